import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inRealScene, type RealScene } from "./real-sandbox.fixture.ts";
import { grantPlan, settleAll } from "./work-world.ts";

type Scene = RealScene & { readonly repository: string; readonly canary: string };

/** A repository with a small test suite whose settings and hooks would like to run something. */
const inScene = (look: (scene: Scene) => Promise<void>): Promise<void> =>
  inRealScene(7, async (scene) => {
    const repository = join(scene.root, "repository");
    const canary = join(scene.root, "canary");
    makeRepository(repository, canary);
    await look({ ...scene, repository, canary });
  });

function makeRepository(folder: string, canary: string): void {
  mkdirSync(join(folder, "test"), { recursive: true });
  writeFileSync(join(folder, "sum.mjs"), "export const sum = (a, b) => a - b;\n");
  writeFileSync(
    join(folder, "test/sum.test.mjs"),
    'import assert from "node:assert";\nimport { sum } from "../sum.mjs";\nassert.equal(sum(1, 2), 3);\nconsole.log("1 passed");\n',
  );
  writeFileSync(join(folder, ".gitattributes"), "* filter=evil\n");
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git(
    "-c",
    "maintenance.auto=false",
    "-c",
    "user.name=t",
    "-c",
    "user.email=t@example.invalid",
    "commit",
    "--quiet",
    "-m",
    "first",
  );
  const evil = join(folder, ".git/evil.sh");
  writeFileSync(evil, `#!/bin/sh\necho ran >> ${canary}\ncat\n`);
  chmodSync(evil, 0o755);
  for (const hook of ["post-checkout", "reference-transaction", "pre-auto-gc"]) {
    writeFileSync(join(folder, ".git/hooks", hook), `#!/bin/sh\nexec ${evil}\n`);
    chmodSync(join(folder, ".git/hooks", hook), 0o755);
  }
  for (const name of [
    "core.fsmonitor",
    "filter.evil.smudge",
    "filter.evil.process",
    "core.sshCommand",
    "diff.external",
  ]) {
    git("config", name, evil);
  }
}

const plan = (
  id: string,
  { repository, steps, more = "" }: { repository: string; steps: string; more?: string },
): string => `---
id: ${id}
type: task
title: Mend the sum
budget: { max_attempts: 2 }
repository: { path: ${repository}, ref: main }
steps:
${steps}
verify:
  - { name: the suite, run: node test/sum.test.mjs, expect: { contains: 1 passed } }
${more}---

# What to do

Mend it.
`;

/** Does nothing the first time, and mends it when it is told of a failure. */
const MENDS = `  - name: mend
    tool: node_exec
    args:
      script: |
        import fs from "node:fs";
        if (process.env.SILAS_ATTEMPT !== "1" && process.env.SILAS_LAST_FAILURE.includes("the suite")) {
          fs.writeFileSync("sum.mjs", "export const sum = (a, b) => a + b;\\n");
        }
        console.log(fs.existsSync("left-by-another"), fs.existsSync("/repository"));
        fs.writeFileSync("left-by-another", "1");
  - { name: difference, run: git -c core.pager= diff --no-ext-diff --output=mended.patch, artifacts: { patch: mended.patch } }`;

test("[PAR-05] [WORK-29] runs on one repository each have a tree of their own: one sees nothing of another or of an attempt before, a failed suite is tried again, nothing in the repository runs outside or is changed, and no tree is left", async () => {
  await inScene(async (scene) => {
    const { repository, workDir, canary } = scene;
    const before = readFileSync(join(repository, "sum.mjs"), "utf8");
    const ids = ["task-one", "task-two"];
    for (const id of ids) await grantPlan(scene, plan(id, { repository, steps: MENDS }));
    const runs = await settleAll(scene);
    for (const { runId } of runs) {
      const shown = await scene.work.show(runId);
      if (!shown.ok) throw new Error("it is shown");
      const { run, ledger } = shown.value;
      expect([run.status, run.isVerified, run.attempts, run.lastError]).toEqual(["done", true, 2, null]);
      expect(run.results[0]).toMatchObject({ passed: true, output: "1 passed\n" });
      expect(run.results[0]?.changedFiles).toBeUndefined();
      const said = ledger.filter(({ stepName }) => stepName === "mend").map(({ returnValue }) => returnValue);
      expect(said).toEqual(["false false\n", "false false\n"]);
      expect(run.artifacts["patch"]?.size).toBeGreaterThan(50);
    }
    expect(readFileSync(join(repository, "sum.mjs"), "utf8")).toBe(before);
    expect(existsSync(canary)).toBe(false);
    // The bait is a good one: git outside of a sandbox takes it.
    execFileSync("git", ["-C", repository, "status"], { stdio: "ignore" });
    expect(existsSync(canary)).toBe(true);
    await scene.work.close();
    expect(readdirSync(workDir)).toEqual([]);
  });
});

test("files that a check may rest on are named with its result when the run changed them", async () => {
  await inScene(async (scene) => {
    const { repository } = scene;
    const cheats = `  - name: cheat
    run: cp /dev/null package.json
  - { name: write, tool: file_write, args: { path: test/sum.test.mjs, content: "console.log('1 passed')" } }`;
    const runId = await grantPlan(scene, plan("task-cheat", { repository, steps: cheats }));
    await scene.work.runGranted(runId);
    const shown = await scene.work.show(runId);
    expect(shown).toMatchObject({
      value: { run: { status: "done", results: [{ changedFiles: ["package.json", "test/sum.test.mjs"] }] } },
    });
  });
});

test("a commit or a repository that is not there blocks the run with the words of git, and no step runs", async () => {
  await inScene(async (scene) => {
    const { repository } = scene;
    const text = plan("task-lost", { repository, steps: MENDS }).replace("ref: main", "ref: nowhere");
    const runId = await grantPlan(scene, text);
    await scene.work.runGranted(runId);
    const shown = await scene.work.show(runId);
    expect(shown).toMatchObject({ value: { run: { status: "blocked" }, ledger: [] } });
    expect(shown.ok && shown.value.run.lastError).toContain("nowhere");
  });
});
