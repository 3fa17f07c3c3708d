import { expect, test } from "vitest";
import type { SandboxSpace } from "#ports";
import { accepted, taskFile } from "../../../../test/plan-texts.ts";
import { performChecks } from "./perform-checks.ts";

test("[VER-07] a check that asks for network does not run where no host was named", async () => {
  const { item } = accepted(
    taskFile(
      'steps:\n  - { name: a, run: "true" }\nverify:\n  - { name: up, run: "curl a.example", expect: { exit_code: 0 } }\n',
    ),
  );
  const [check] = item.verify;
  if (check === undefined) throw new Error("the plan has a check");
  let launches = 0;
  const run: SandboxSpace["run"] = async () => {
    launches += 1;
    throw new Error("nothing is launched");
  };
  const checking = {
    plan: { ...item, verify: [{ ...check, network: true }] },
    space: { run } as SandboxSpace,
    workspace: "/nowhere",
    isStopped: () => false,
    onCheck: () => {},
    onLine: () => {},
  };
  const none = await performChecks(checking);
  expect(none).toMatchObject([{ passed: false, reason: expect.stringContaining("names no hosts") }]);
  const empty = await performChecks({ ...checking, networkFor: () => ({ hosts: [] }) as never });
  expect(empty).toEqual(none);
  expect(launches).toBe(0);
});
