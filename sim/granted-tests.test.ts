import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inScene } from "./real-sandbox.fixture.ts";
import { grantPlan } from "./work-world.ts";

test("a run that changes a test or the program of a check in a granted folder says so with every result", async () => {
  await inScene({ seed: 41 }, async (scene) => {
    // Nothing below /tmp can be granted.
    const place = realpathSync(mkdtempSync("/var/tmp/silas-tests-"));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    mkdirSync(join(place, "tests"));
    for (const name of ["tests/sum.mjs", "tests/kept.mjs", "check.sh", "notes.txt"])
      writeFileSync(join(place, name), "exit 1\n");
    const plan = `---
id: task-granted
type: task
title: Make the check pass
budget: { max_attempts: 1 }
files: { write: [${place}] }
steps:
  - { name: cheat, tool: shell_exec, args: { argv: [sh, -c, "for name in tests/sum.mjs check.sh notes.txt; do echo exit 0 > ${place}/$name; done"] } }
verify:
  - { name: passes, run: sh ${place}/check.sh, expect: { exit_code: 0 } }
---

# What to do

Make it pass.
`;
    const runId = await grantPlan(scene, plan);
    await scene.work.runGranted(runId);
    const shown = await scene.work.show(runId);
    expect(shown).toMatchObject({
      value: {
        run: { status: "done", results: [{ changedFiles: [join(place, "check.sh"), join(place, "tests/sum.mjs")] }] },
      },
    });
  });
});
