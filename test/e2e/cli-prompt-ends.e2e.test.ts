/** The end of input at every kind of question, at a real terminal: nothing is decided, and the command says so. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome, ROOT, type Home } from "./cli-process.ts";
import { sitAt, type Turn } from "./typing-person.ts";

const CTRL_D = "\u0004";
const PASSPHRASE = { SILAS_VAULT_PASSPHRASE: "four words for a vault" };

let home: Home;
let requestId: string;
// Plans may not reach into /tmp.
const place = mkdtempSync("/var/tmp/silas-ends-");
beforeAll(async () => {
  home = createHome();
  await home.silas(["init"]);
  await home.silas(["secrets", "set", "token", "--stdin"], { input: "kept" });
  const plan = join(ROOT, "docs", "examples", "tidy-notes.md");
  const { request } = await home.json<{ readonly request: { readonly request_id: string } }>([
    "plan",
    "propose",
    plan,
    "--json",
  ]);
  requestId = request.request_id;
});
afterAll(async () => {
  await home.remove();
  rmSync(place, { recursive: true });
});

const yes: Turn = { when: /Approve this plan/, type: "y" };
const ENDS: readonly (readonly [string, () => readonly string[], readonly Turn[], RegExp])[] = [
  ["yes or no", () => ["approve", requestId], [{ when: yes.when, type: CTRL_D }], /Not approved/],
  ["words", () => ["approve", requestId], [yes, { when: /Type approve/, type: CTRL_D }], /Not approved/],
  [
    "half-typed words",
    () => ["approve", requestId],
    [yes, { when: /Type approve/, type: `app${CTRL_D}` }],
    /Not approved/,
  ],
  [
    "a choice",
    () => ["tidy", "--sample", join(place, "sample")],
    [{ when: /Which ones\?/, type: CTRL_D }],
    /Not decided/,
  ],
  ["a secret", () => ["secrets", "set", "other"], [{ when: /The secret/, type: CTRL_D }], /Nothing was typed/],
  ["a removal", () => ["secrets", "remove", "token"], [{ when: /\?/, type: CTRL_D }], /Nothing was changed/],
];

test.each(ENDS)("Ctrl-D at a question for %s exits 3 with a sentence", async (_name, args, turns, said) => {
  const { code, screen } = await sitAt(home, { args: args(), turns });
  expect(screen).toMatch(said);
  expect(code).toBe(3);
});

test("Ctrl-D at the question for the passphrase exits 3 with a sentence", async () => {
  const closed = createHome();
  try {
    expect((await closed.silas(["init"], { env: PASSPHRASE })).code).toBe(0);
    const turns = [
      { when: /The secret/, type: "words\r" },
      { when: /Passphrase of the vault/, type: CTRL_D },
    ];
    const { code, screen } = await sitAt(closed, { args: ["secrets", "set", "token"], turns });
    expect(screen).toContain("The vault is locked: it needs its passphrase.");
    expect(code).toBe(3);
  } finally {
    await closed.remove();
  }
});

test("no command asks past the one place that knows of the end of input", () => {
  const asking = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .filter((path) => readFileSync(join(ROOT, "src", path), "utf8").includes('"@clack/prompts"'));
  expect(asking).toEqual([join("cli", "terminal", "prompts.ts")]);
});
