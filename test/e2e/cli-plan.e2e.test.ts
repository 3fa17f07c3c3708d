import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { secretTexts } from "../secret-texts.ts";
import { createHome, ROOT, type Home } from "./cli-process.ts";

type Checked = {
  readonly ok: boolean;
  readonly plan_hash: string;
  readonly canonical: string;
  readonly projection: Readonly<Record<string, unknown>>;
  readonly headings: readonly { readonly text: string }[];
  readonly notices: readonly { readonly code: string; readonly message: string }[];
  readonly problems: readonly { readonly code: string; readonly line: number; readonly message: string }[];
};

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

const EXAMPLES = join(ROOT, "docs", "examples");
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(home.dir, name);
  writeFileSync(path, content);
  return path;
};
const plan = (lines = "", body = "# Context\nWhy.\n"): string =>
  `---\nid: task-1\ntype: task\ntitle: A task\n${lines}steps: [{ name: look, run: "true" }]\n---\n${body}`;
// The page that explains plans holds one whole plan in a fenced block.
const documented = (): string =>
  /^```markdown\n([^]*?)^```$/m.exec(readFileSync(join(ROOT, "docs", "plans.md"), "utf8"))?.[1] ?? "";

describe("silas plan check", () => {
  test("a plan with a credential in it is refused with its place, and neither shown nor proposed", async () => {
    for (const { name, text, canary } of secretTexts(7).slice(0, 6)) {
      const path = file("with-secret.md", plan("", `# Context\n${text}\n`));
      for (const verb of name === "npm" ? ["check", "propose"] : ["check"]) {
        const ran = await home.silas(["plan", verb, path]);
        expect([name, ran.code]).toEqual([name, 1]);
        expect(ran.out + ran.err).toMatch(/with-secret\.md:\d+:\d+ looks like a secret \(/);
        expect(ran.out + ran.err).not.toContain(canary);
      }
    }
  });

  test("a hash that the documentation gives for an example is the hash of the example", async () => {
    const pages = ["cli.md", "runs.md"].map((name) => readFileSync(join(ROOT, "docs", name), "utf8")).join("\n");
    const given = [...pages.matchAll(/docs\/examples\/([a-z-]+\.md) --hash ([0-9a-f]{64})/g)];
    expect(given.length).toBeGreaterThan(0);
    for (const [, name = "", hash] of given) {
      const checked = await home.json<Checked>(["plan", "check", join(EXAMPLES, name), "--json"]);
      expect(hash, name).toBe(checked.plan_hash);
    }
  });

  test("every example, and the plan in the documentation, can be proposed", async () => {
    const names = readdirSync(EXAMPLES);
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) {
      const ran = await home.silas(["plan", "check", join(EXAMPLES, name)]);
      expect(ran).toMatchObject({ code: 0, err: "" });
      expect(ran.out).toContain(`${name}: a plan that can be proposed\n`);
      expect(ran.out).not.toContain("notice");
    }
    // The documented plan is for a model. Whether one is set up is asked, and nothing is sent to it.
    const env = {
      SILAS_MODELS__PLANNER: "compatible:trial",
      SILAS_PROVIDERS__COMPATIBLE__BASE_URL: "http://127.0.0.1:9/v1",
    };
    const ran = await home.silas(["plan", "check", "-"], { input: documented(), env });
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).not.toContain("notice");
  });

  test("the summary shows the words that run, and the beginning of the hash that --json prints whole", async () => {
    const path = join(EXAMPLES, "tidy-notes.md");
    const checked = await home.json<Checked>(["plan", "check", path, "--json"]);
    expect(checked.ok).toBe(true);
    expect(checked.plan_hash).toBe(createHash("sha256").update(checked.canonical, "utf8").digest("hex"));
    expect(JSON.parse(checked.canonical)).toEqual(checked.projection);
    expect(checked.headings.map(({ text }) => text)).toEqual([
      "Context",
      "What to do",
      "Constraints",
      "If you get stuck",
    ]);
    const { out } = await home.silas(["plan", "check", path]);
    expect(out).toContain(`sha256 ${checked.plan_hash.slice(0, 16)}…`);
    expect(out).toContain('seven days: grep -c "^## " notes/week-46.md -> equals "7" (10 s, no network)');
    expect(out).toContain("50000 tokens, $0.50, 600 s, 5 attempts, 3 planner calls");
  });

  test("a task that nothing would carry out is refused by check and propose alike, with a sentence", async () => {
    const idle = "---\nid: task-1\ntype: task\ntitle: A task\n---\n# Context\nWhy.\n";
    const path = file("idle.md", idle);
    const checked = await home.silas(["plan", "check", path]);
    expect(checked).toMatchObject({ code: 1, out: expect.stringContaining("nothing would carry this task out") });
    const proposed = await home.silas(["plan", "propose", path]);
    expect(proposed).toMatchObject({ code: 1, err: expect.stringContaining("nothing would carry this task out") });
    expect((await home.silas(["inbox"])).out).not.toContain("A task");
  });

  test("standard input and a file of the same bytes have the same hash", async () => {
    const text = plan("domain: personal\n");
    const ran = await home.silas(["plan", "check", "-", "--json"], { input: text });
    const fromFile = await home.json<Checked>(["plan", "check", file("a.md", text), "--json"]);
    expect((JSON.parse(ran.out) as Checked).plan_hash).toBe(fromFile.plan_hash);
  });

  test("[PLAN-03] a bad plan ends with exit 1 and every problem at its place, in words and as JSON", async () => {
    const text = plan("skils: []\nstatus: done\nverify:\n  - { name: a, run: a && b, expect: { exit_code: 0 } }\n", "");
    const path = file("bad.md", text);
    const ran = await home.silas(["plan", "check", path]);
    expect(ran.code).toBe(1);
    expect(ran.out.split("\n")).toEqual([
      `${path}:5:1 skils: there is no such key; did you mean skills?`,
      `${path}:6:1 status: is kept by Silas and cannot be set by a plan`,
      `${path}:8:16 verify.0.run: no shell reads this, so && is not allowed; put the command into a script file and run that, e.g. \`sh check.sh\``,
      `${path}:11:1 body: the briefing after the front matter is empty`,
      "",
    ]);
    const json = await home.silas(["plan", "check", "-", "--json"], { input: text });
    expect(json.code).toBe(1);
    const { ok, problems } = JSON.parse(json.out) as Checked;
    expect({ ok, codes: problems.map(({ code }) => code) }).toEqual({
      ok: false,
      codes: ["unknown_key", "runtime_field", "command_operator", "body_empty"],
    });
    expect(problems[0]?.message).toBe("<stdin>:5:1 skils: there is no such key; did you mean skills?");
  });

  test("what the YAML reader refuses is said in its words, with the line of the file", async () => {
    const ran = await home.silas(["plan", "check", "-"], { input: plan("domain: &a personal\ntitle: again\n") });
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.out).toContain("<stdin>:5:12 anchors (&name) are not allowed; write the value where it is used\n");
    expect(ran.out).toContain("<stdin>:6:1 this key is already written above in the same map\n");
  });

  test("a missing file, a folder, bad UTF-8, a byte order mark and a file over the limit each have their sentence", async () => {
    const said = async (source: string): Promise<string> => {
      const ran = await home.silas(["plan", "check", source]);
      expect(ran.code).toBe(1);
      return ran.out;
    };
    expect(await said(join(home.dir, "none.md"))).toContain("there is no such file");
    expect(await said(home.dir)).toContain("this is not a file");
    expect(await said(file("bytes.md", Buffer.from("---\nid: a\xff\n", "latin1")))).toContain(":2:6 this is not UTF-8");
    expect(await said(file("bom.md", `\ufeff${plan()}`))).toContain(":1:1 the file begins with a byte order mark");
    expect(await said(file("large.md", plan("", "x".repeat(1_048_577))))).toContain("larger than 1 MiB");
  });

  test("nothing in a plan or in its name acts on the terminal, and JSON is plain ASCII that says the same", async () => {
    const body = "# Con\u202etext\nhid\u200bden\n";
    const path = file("a\u001b[31m.md", plan("escalation: { a: { action: respond, message: 'é' } }\n", body));
    const shown = await home.silas(["plan", "check", path]);
    expect(shown.code).toBe(0);
    expect(shown.out + shown.err).not.toMatch(/[\u001b\u009b\u202e\u200b]/);
    expect(shown.out).toContain("this line holds characters that do not show");
    const json = await home.silas(["plan", "check", path, "--json"]);
    expect(json.out).toMatch(/^[\x20-\x7e\n]*$/);
    expect((JSON.parse(json.out) as Checked).projection["body"]).toBe(body);
    const refused = await home.silas(["plan", "check", "-"], { input: plan('"\\e[31m\\u202e": 1\n') });
    expect(refused.code).toBe(1);
    expect(refused.out).not.toMatch(/[\u001b\u202e]/);
  });

  test("wrong use ends with exit 2, and help names the verb", async () => {
    expect((await home.silas(["plan", "check"])).code).toBe(2);
    expect((await home.silas(["plan", "chekc", "a"])).code).toBe(2);
    expect((await home.silas(["plan", "--help"])).out).toContain("check [options] <file> [tasks...]");
  });

  test("a file with problems of its own is refused before a data directory is made or opened", async () => {
    expect((await home.silas(["plan", "check", "-"], { input: plan("skils: []\n") })).code).toBe(1);
    expect(readdirSync(home.dir)).toEqual([]);
  });
});
