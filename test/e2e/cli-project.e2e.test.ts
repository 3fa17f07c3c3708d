import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome, type Home } from "./cli-process.ts";

type Check = { readonly name: string; readonly passed: boolean; readonly output: string };
type Run = {
  readonly run_id: string;
  readonly status: string;
  readonly is_verified: boolean;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly results: readonly Check[];
};
type Child = { readonly work_item_id: string; readonly status: string; readonly waits_for: readonly string[] };
type Summary = {
  readonly run: Run;
  readonly project_run_id: string | null;
  readonly project: { readonly children: readonly Child[] } | null;
};

let home: Home;
beforeAll(async () => {
  home = createHome();
  await home.silas(["init"]);
});
afterAll(() => home.remove());

const write = (name: string, text: string): string => {
  const file = join(home.dir, name);
  writeFileSync(file, text);
  return file;
};
const planText = (front: string): string => `---\n${front.trim()}\n---\n\n# What to do\n\nDo it.\n`;

async function runPlan(files: readonly string[]) {
  const proposed = await home.json<{ readonly request: { readonly plan_hash: string } }>([
    "plan",
    "propose",
    ...files,
    "--json",
  ]);
  return home.silas(["run", ...files, "--hash", proposed.request.plan_hash, "--json"]);
}

/** A small repository whose one test fails. */
function makeRepository(): string {
  const folder = join(home.dir, "repository");
  mkdirSync(join(folder, "test"), { recursive: true });
  writeFileSync(join(folder, "sum.mjs"), "export const sum = (a, b) => a - b;\n");
  writeFileSync(
    join(folder, "test", "sum.test.mjs"),
    `import { test } from "node:test";
import assert from "node:assert";
import { sum } from "../sum.mjs";
test("adds", () => assert.equal(sum(1, 2), 3));
`,
  );
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "--quiet", "-m", "first");
  return folder;
}

test("[PAR-05] [WORK-29] a plan runs the test suite of a repository in a tree of its own, fails once, is tried again with what went wrong, and ends done with the output of the suite", async () => {
  const repository = makeRepository();
  const file = write(
    "mend.md",
    planText(`
id: task-mend
type: task
title: Mend the sum
budget: { max_attempts: 3 }
repository: { path: ${repository}, ref: main }
steps:
  - name: mend it when told that it fails
    tool: node_exec
    args:
      script: |
        import fs from "node:fs";
        const isMending = process.env.SILAS_LAST_FAILURE.includes("the suite passes");
        if (isMending) fs.writeFileSync("sum.mjs", "export const sum = (a, b) => a + b;\\n");
        console.log("attempt", process.env.SILAS_ATTEMPT);
  - { name: what changed, run: git diff --output=mended.patch, artifacts: { patch: mended.patch } }
verify:
  - { name: the suite passes, run: node --test, expect: { exit_code: 0 }, timeout: 600 }
`),
  );
  const ran = await runPlan([file]);
  const { run } = JSON.parse(ran.out) as Summary;
  expect(run.last_error).toBeNull();
  expect(run).toMatchObject({ status: "done", is_verified: true, attempts: 2 });
  expect(run.results[0]?.output).toContain("pass 1");
  expect(ran.code).toBe(0);
  const shown = await home.silas(["work", "show", run.run_id]);
  expect(shown.out).toContain("ok  the suite passes");
  expect(shown.out).toMatch(/\| .*fail 0/);
  expect(shown.out).toMatch(/patch +\d+ bytes, sha256/);
});

test("[PROJ-04] `silas run` carries out a project with its tasks, and `silas work` shows what became of each", async () => {
  const tasks = ["first", "second", "third"].map((id, index, all) =>
    write(
      `${id}.md`,
      planText(`
id: ${id}
type: task
title: The ${id} task
budget: { max_attempts: 1 }
${index === 0 ? "" : `depends_on: [${all[index - 1]}]`}
steps:
  - { name: do it, run: ${id === "second" ? "/bin/false" : "/bin/true"} }
`),
    ),
  );
  const project = write(
    "project.md",
    planText("id: project-e2e\ntype: project\ntitle: All three\ntasks: [third, first, second]"),
  );
  const ran = await runPlan([project, ...tasks]);
  expect(ran.code).toBe(1);
  const { run, project: summary } = JSON.parse(ran.out) as Summary;
  expect(run).toMatchObject({ status: "failed" });
  expect(run.last_error).toContain("Task second failed");
  expect(summary?.children.map(({ work_item_id, status }) => [work_item_id, status])).toEqual([
    ["first", "done"],
    ["second", "stuck"],
    ["third", "blocked"],
  ]);
  const { runs } = await home.json<{ readonly runs: readonly Summary[] }>(["work", "list", "--json"]);
  expect(runs.filter((one) => one.project_run_id === run.run_id)).toHaveLength(3);
  const shown = await home.silas(["work", "show", run.run_id]);
  expect(shown.out).toContain("2. The second task: stuck");
});

test("a plan that names the folder of Silas itself is refused before anybody is asked", async () => {
  const file = write(
    "greedy.md",
    planText(`
id: task-greedy
type: task
title: Look at everything
repository: { path: ${join(home.dir, "data")} }
steps:
  - { name: look, run: ls }
`),
  );
  const ran = await home.silas(["plan", "propose", file]);
  expect(ran.code).not.toBe(0);
  expect(ran.err).toContain("holds the data of Silas itself");
});
