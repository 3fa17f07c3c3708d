import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { secretTexts } from "../secret-texts.ts";
import { createHome, databaseIn, ROOT, type Home } from "./cli-process.ts";

type Checked = { readonly ok: boolean; readonly plan_hash: string; readonly projection: object };
type Refused = { readonly ok: boolean; readonly problems: readonly { readonly message: string }[] };
type Asked = { readonly request: { readonly plan_hash: string; readonly projection: string } };

const GATE = "{ name: ask_first, on: on_tool_call, type: approval_always }";

let home: Home;
beforeEach(() => {
  // No plan may name a place under /tmp, and this one is to be refused for what it is.
  home = createHome(mkdtempSync("/var/tmp/silas-agree-"));
  mkdirSync(join(home.dir, "config"));
  writeFileSync(join(home.dir, "config", "silas.yaml"), `silas:\n  gates:\n    system:\n      - ${GATE}\n`);
});
afterEach(() => home.remove());

const EXAMPLES = join(ROOT, "docs", "examples");
const plan = (lines = "", { body = "# Context\nWhy.\n", head = "id: task-1\ntype: task\ntitle: A task\n" } = {}) =>
  `---\n${head}${lines}---\n${body}`;
const step = (words: string): string => `steps:\n  - { name: a, ${words} }\n`;
const LOOK = step("run: ls");
const gate = (words: string): string => `gates:\n  - { name: a, on: on_tool_call, ${words} }\n`;
const file = (name: string, text: string): string => {
  const path = join(home.dir, name);
  writeFileSync(path, text);
  return path;
};

/** Each with a part of what is said about it. The folder of Silas itself is known when a test runs. */
const badPlans = (): Readonly<Record<string, readonly [text: string, words: string]>> => ({
  "a list of no steps": [plan("steps: []\n"), "has no step"],
  "a task without steps": [plan(), "nothing would carry this task out"],
  "no front matter": ["# Context\nWhy.\n", "a plan begins with a line ---"],
  "front matter without an end": ["---\nid: task-1\n", "no closing line"],
  "front matter that is no YAML": [plan("skills: [a\n"), ".md:"],
  "an unknown key": [plan("skils: []\n"), "did you mean skills?"],
  "a skill that is not installed": [plan(`skills: [nowhere]\n${LOOK}`), "nowhere"],
  "a gate of no known type": [plan(gate("type: sorcery") + LOOK), "expected numeric_range"],
  "a gate whose provider is not here": [plan(gate("provider: guardrails_ai, check: sorcery") + LOOK), "gates.0"],
  "two gates of one name": [
    plan(`${gate("type: approval_always")}  - { name: a, on: on_tool_call, type: approval_always }\n${LOOK}`),
    "is there twice",
  ],
  "the name of a gate of the configuration": [plan(`gates:\n  - ${GATE}\n${LOOK}`), "ask_first"],
  "a tool that is unknown": [plan(step("tool: fly, args: {}")), "there is no such tool"],
  "a tool that is not set up": [plan(step("tool: web_search, args: { query: a }")), "web_search is not set up here"],
  "a model, and none is set up": [plan("executor: model\ntools: [file_read]\n"), "none is set up"],
  "a credential": [plan(LOOK, { body: `# Context\n${secretTexts(7)[0]?.text}\n` }), "looks like a secret ("],
  "a schedule that is none": [
    plan("schedule: often\n", { head: "id: goal-1\ntype: goal\ntitle: A goal\n" }),
    "five cron fields",
  ],
  "a schedule that is never due": [
    plan("schedule: 0 0 31 2 *\n", { head: "id: goal-1\ntype: goal\ntitle: A goal\n" }),
    "no month has",
  ],
  "a pattern that cannot run in linear time": [
    plan("verify:\n  - { name: a, run: ls, expect: { regex: '(a)\\1' } }\n" + LOOK),
    "not a pattern that can be run safely",
  ],
  "a path outside": [plan(step("tool: file_read, args: { path: ../a }")), "relative path"],
  "a title with a control character": [
    plan(LOOK, { head: 'id: task-1\ntype: task\ntitle: "A\\u0007task"\n' }),
    "holds a control",
  ],
  "the folder of Silas": [plan(`files:\n  read: [${join(home.dir, "data")}]\n${LOOK}`), "task-1 cannot be"],
  "a task that waits for another": [plan(`depends_on: [task-2]\n${LOOK}`), "task-1 cannot be"],
  "a project without its tasks": [
    plan("tasks: [task-2]\n", { head: "id: project-1\ntype: project\ntitle: A project\n" }),
    "task-2 cannot be",
  ],
});

const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");

describe.each(["no instance", "a running instance"])("with %s", (which) => {
  beforeEach(async () => {
    if (which === "a running instance") await home.start();
  });

  test("what plan propose refuses, plan check refuses with the same reasons", async () => {
    for (const [name, [text, words]] of Object.entries(badPlans())) {
      const path = file("bad.md", text);
      const proposed = await home.silas(["plan", "propose", path]);
      const checked = await home.silas(["plan", "check", path]);
      expect([name, checked.code, proposed.code]).toEqual([name, 1, 1]);
      expect(checked.out, name).toContain(words);
      for (const line of linesOf(checked.out)) expect(linesOf(proposed.err), name).toContain(line);
      const json = await home.silas(["plan", "check", path, "--json"]);
      const { ok, problems } = JSON.parse(json.out) as Refused;
      expect([name, json.code, ok]).toEqual([name, 1, false]);
      expect(
        problems.map(({ message }) => message),
        name,
      ).toEqual(linesOf(checked.out));
    }
  });

  test("what plan check accepts, plan propose asks about with the hash that was shown", async () => {
    const project = plan("tasks: [task-2]\n", { head: "id: project-1\ntype: project\ntitle: A project\n" });
    const task = plan(LOOK, { head: "id: task-2\ntype: task\ntitle: A part\n" });
    const whole = [file("project.md", project), file("task.md", task)];
    const good = [...readdirSync(EXAMPLES).map((name) => [join(EXAMPLES, name)]), whole];
    for (const files of good) {
      const checked = await home.json<Checked>(["plan", "check", ...files, "--json"]);
      const { request } = await home.json<Asked>(["plan", "propose", ...files, "--json"]);
      expect([checked.ok, checked.plan_hash]).toEqual([true, request.plan_hash]);
      expect(checked.projection).toEqual(JSON.parse(request.projection));
    }
  });

  test("a check leaves no request, no question and no entry in the audit log", async () => {
    await home.silas(["plan", "propose", join(EXAMPLES, "tidy-notes.md")]);
    const kept = (): readonly number[] => {
      const db = databaseIn(home.dir, { readOnly: true });
      const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"] as number;
      const counts = ["pending_decisions", "audit_entries", "secure_inputs"].map(count);
      db.close();
      return counts;
    };
    const before = kept();
    const secret = step("run: ls, credentials: { A_KEY: { ref: absent_key, as: pipe } }");
    const codes: (number | null)[] = [];
    for (const text of [plan(`skills: [nowhere]\n${LOOK}`), plan(LOOK), plan(secret)]) {
      codes.push((await home.silas(["plan", "check", file("checked.md", text)])).code);
    }
    expect(codes).toEqual([1, 0, 0]);
    expect(kept()).toEqual(before);
    // The same plan, proposed, does leave each of these.
    await home.silas(["plan", "propose", join(home.dir, "checked.md")]);
    for (const [index, count] of kept().entries()) expect(count).toBeGreaterThan(before[index] ?? 0);
  });
});
