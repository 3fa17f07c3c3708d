import { expect, test } from "vitest";
import { groupPlaces } from "./task-groups.ts";

const PIDS = "30 24 0:26 / /sys/fs/cgroup/pids rw,nosuid - cgroup cgroup rw,pids";
const MEMORY = "31 24 0:27 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory";
const UNIFIED = "29 23 0:25 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";
const ROOT = "24 1 254:0 / / rw,relatime - ext4 /dev/vda rw";

test("a group is made below this process in the first version, and also beside it in the second", () => {
  const places = (mounts: readonly string[], groups: readonly string[]) =>
    groupPlaces({ mounts: mounts.join("\n"), groups: groups.join("\n") });
  expect(places([ROOT, MEMORY, PIDS], ["8:pids:/user/ada", "4:memory:/other", "0::/"])).toEqual([
    "/sys/fs/cgroup/pids/user/ada",
  ]);
  expect(places([ROOT, UNIFIED], ["0::/system.slice/silas.service"])).toEqual([
    "/sys/fs/cgroup/system.slice/silas.service",
    "/sys/fs/cgroup/system.slice",
  ]);
  expect(places([ROOT, UNIFIED], ["0::/"])).toEqual(["/sys/fs/cgroup/", "/sys/fs/cgroup/"]);
  // Without the controller, without a mount, and without anything that could be read.
  expect(places([ROOT, MEMORY], ["4:memory:/other"])).toEqual([]);
  expect(places([ROOT], ["8:pids:/", "0::/"])).toEqual([]);
  expect(places([""], [""])).toEqual([]);
});
