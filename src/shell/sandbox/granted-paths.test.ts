import { closeSync, fstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, onTestFinished, test } from "vitest";
import { closePaths, openByWalking, openGranted, type Places } from "./granted-paths.ts";
import { heldUnder } from "../../../test/held-under.ts";
import { tempFolder } from "./sandbox.fixture.ts";

const NOWHERE: Places = { own: [], workDir: "/nowhere" };
const refusal = (path: string, as = "/in", places = NOWHERE) => {
  const opened = openGranted({ readPaths: [{ path, as }], writePaths: [] }, places);
  if (!opened.ok) return opened.error.code === "sandbox_path_refused" ? opened.error.reason : opened.error.code;
  closePaths(opened.value);
  return "opened";
};

describe("opening a granted path", () => {
  test("takes files and folders by their plain name", () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "file"), "x");
    expect(refusal(folder)).toBe("opened");
    expect(refusal(join(folder, "file"))).toBe("opened");
  });

  test("goes through no link, neither last nor on the way, and takes no other kind of thing", async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "real/deep"), { recursive: true });
    symlinkSync(join(folder, "real"), join(folder, "link"));
    const server = createServer().listen(join(folder, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    expect(refusal(join(folder, "link"))).toBe("is_link");
    expect(refusal(join(folder, "link/deep"))).toBe("is_link");
    expect(refusal(join(folder, "socket"))).toBe("special_file");
    expect(refusal(join(folder, "none"))).toBe("missing");
    expect(refusal(join(folder, "real/none/none"))).toBe("missing");
  });

  test.each(["", "relative", "./x", "/a/../b", "/a//b", "/a/./b", "/nul\0", "/\ud800"])(
    "refuses %j as no plain path",
    (path) => {
      expect(refusal(path)).toBe("not_absolute");
      expect(openByWalking(path)).toEqual({ ok: false, error: "not_absolute" });
    },
  );

  test("keeps open what was granted until it is closed, and nothing at all where one path is refused", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "deep/er"), { recursive: true });
    symlinkSync(folder, join(folder, "link"));
    writeFileSync(join(folder, "file"), "x");
    const handles = (): number => readdirSync("/proc/self/fd").length;
    const before = handles();
    const good = { path: join(folder, "deep/er"), as: "/good" };
    for (const name of ["link", "link/deep", "none", "none/none", "file/none"]) {
      const writePaths = [{ path: join(folder, name), as: "/bad" }];
      expect(openGranted({ readPaths: [good], writePaths }, NOWHERE).ok, name).toBe(false);
      expect(handles(), name).toBe(before);
    }
    const opened = openGranted({ readPaths: [good], writePaths: [{ path: join(folder, "file"), as: "/f" }] }, NOWHERE);
    if (!opened.ok) throw new Error(opened.error.code);
    expect(heldUnder(folder).toSorted()).toEqual([join(folder, "deep/er"), join(folder, "file")]);
    closePaths(opened.value);
    expect(handles()).toBe(before);
  });

  test.each([
    "/",
    "/usr",
    "/usr/x",
    "/bin",
    "/lib64",
    "/etc/x",
    "/proc/1",
    "/dev/x",
    "/sys",
    "/tmp",
    "/run/x",
    "in",
    "/in/",
    "/in/../etc",
  ])("shows nothing at %s", (as) => expect(refusal(tempFolder(), as)).toBe("bad_target"));

  test.each(["/workspace", "/workspace/x", "/opt/silas/bin"])("shows nothing at %s, which is the sandbox's own", (as) =>
    expect(refusal(tempFolder(), as)).toBe("bad_target"),
  );

  test("shows nothing inside another grant, where a program could have laid a link, and no two at one place", () => {
    const path = tempFolder();
    for (const as of ["/in", "/in/side"]) {
      const opened = openGranted({ readPaths: [{ path, as }], writePaths: [{ path, as: "/in" }] }, NOWHERE);
      expect(opened.ok).toBe(false);
    }
  });

  test("[SBX-06] reaches neither into Silas's own folders nor over them, except into workspaces", () => {
    const folder = tempFolder();
    const workDir = join(folder, "data/work");
    mkdirSync(join(workDir, "run-1-1-00/workspace/out"), { recursive: true });
    mkdirSync(join(folder, "state"));
    symlinkSync(join(folder, "data"), join(folder, "alias"));
    // The owner may have written the place with a link in it.
    const places = { own: [join(folder, "alias"), join(folder, "state")], workDir };
    const reasons = [
      folder,
      "/",
      ...["data", "state", "data/work", "data/work/run-1-1-00"].map((name) => join(folder, name)),
    ];
    expect(reasons.map((path) => refusal(path, "/in", places))).toEqual(reasons.map(() => "holds_silas"));
    expect(refusal(join(workDir, "run-1-1-00/workspace/out"), "/in", places)).toBe("opened");
  });
});

test("a name swapped for a link under the walk, 10,000 times, never opens what the link leads to", async () => {
  const folder = tempFolder();
  for (const name of ["good/deep", "secret/deep", "swap"]) mkdirSync(join(folder, name), { recursive: true });
  const path = join(folder, "swap/now/deep");
  const swapper = new Worker(
    `const { renameSync, symlinkSync, rmSync } = require("node:fs"), { workerData: f, parentPort } = require("node:worker_threads");
     symlinkSync(f + "/secret", f + "/swap/link"); renameSync(f + "/good", f + "/swap/now"); parentPort.postMessage("go");
     (function loop() { for (let i = 0; i < 200; i++) {
       renameSync(f + "/swap/now", f + "/good"); renameSync(f + "/swap/link", f + "/swap/now");
       renameSync(f + "/swap/now", f + "/swap/link"); renameSync(f + "/good", f + "/swap/now"); }
       setImmediate(loop); })();`,
    { eval: true, workerData: folder },
  );
  await new Promise((resolve) => swapper.once("message", resolve));
  const secret = statSync(join(folder, "secret/deep")).ino;
  const seen = new Map<string, number>();
  // The race is run when the same name was a folder at one time and a link at another: whoever swaps may be held up.
  const isRun = () => seen.has("good") && (seen.has("is_link") || seen.has("missing"));
  for (let tries = 0; tries < 10_000 || !isRun(); tries += 1) {
    if (tries % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    const opened = openByWalking(path);
    const what = opened.ok ? (fstatSync(opened.value).ino === secret ? "secret" : "good") : opened.error;
    if (opened.ok) closeSync(opened.value);
    seen.set(what, (seen.get(what) ?? 0) + 1);
  }
  await swapper.terminate();
  expect(seen.get("secret")).toBeUndefined();
});
