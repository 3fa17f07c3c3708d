/** Secrets from the terminal: typed without being shown, with and without a running Silas, and never printed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as soon } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SecretRef, SecretsBody } from "#model";
import { systemRandomness } from "#runtime";
import { openVault } from "#stores";
import { createHome, urlIn, type Home } from "./cli-process.ts";
import { filesIn } from "./file-tree.ts";
import { sitAt } from "./typing-person.ts";

const CANARY = "canary-c51a-typed-in-a-terminal";

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

const list = async () => (await home.json<SecretsBody>(["secrets", "list", "--json"])).secrets;
const states = async () => (await list()).map(({ ref_id: id, state, stored }) => [id, state, stored]);
const set = (name: string, value: string, ...more: string[]) =>
  home.silas(["secrets", "set", name, "--stdin", ...more], { input: value });

async function kept(name: string): Promise<string | null> {
  const vault = openVault({
    dataDir: join(home.dir, "data"),
    stateDir: join(home.dir, "state"),
    random: systemRandomness,
    access: { passphrase: null, askPassphrase: async () => null, sessionBus: "absent" },
  });
  const got = await vault.get(name as SecretRef);
  return got.ok ? Buffer.from(got.value).toString("utf8") : null;
}

const filesWith = (text: string): readonly string[] =>
  filesIn(home.dir)
    .filter(({ bytes }) => bytes.includes(text))
    .map(({ path }) => path);

describe.each([
  ["without a running Silas", async (): Promise<string | null> => null],
  ["through the running Silas", async (): Promise<string | null> => urlIn((await home.start()).output())],
] as const)("%s", (_name, begin) => {
  test("a secret is asked for, set, listed by name, replaced and removed, and never printed", async () => {
    const url = await begin();
    const said: string[] = [];
    const run = async (args: readonly string[], input = "") => {
      const ran = await home.silas(["secrets", ...args], { input });
      said.push(ran.out, ran.err);
      return ran;
    };
    const asked = await run(["ask", "mail.token", "--label", "Mail\u202e token", "--hint", "abc"]);
    expect(asked).toMatchObject({ code: 0, out: `${url === null ? "" : `${url}/secrets/`}mail.token\n` });
    expect(await states()).toEqual([["mail.token", "pending", false]]);
    const again = await run(["ask", "mail.token", "--label", "Other", "--json"]);
    expect(JSON.parse(again.out)).toMatchObject({ is_new: false, request: { label: "Mail\u202e token" } });
    expect((await run(["list"])).out).toMatch(/mail\.token\s+Mail\uFFFD token\s+asked for/);
    expect(await run(["set", "mail.token", "--stdin"], `${CANARY}\n`)).toMatchObject({
      code: 0,
      out: "Stored mail.token in the vault.\n",
    });
    expect(await kept("mail.token")).toBe(CANARY);
    expect(await states()).toEqual([["mail.token", "fulfilled", true]]);
    const second = await run(["set", "mail.token", "--stdin", "--json"], `${CANARY} 2\r\n`);
    expect(JSON.parse(second.out)).toEqual({ ref_id: "mail.token", success: true });
    expect(await kept("mail.token")).toBe(`${CANARY} 2`);
    expect((await run(["remove", "mail.token"])).code).toBe(3);
    expect((await run(["remove", "mail.token", "--yes"])).code).toBe(0);
    expect(await kept("mail.token")).toBeNull();
    expect((await run(["remove", "mail.token", "--yes"])).code).toBe(1);
    expect(await states()).toEqual([]);
    expect(said.join()).not.toContain(CANARY);
    expect(filesWith(CANARY)).toEqual([]);
    const told = (await home.silas(["activity"])).out;
    expect(told.match(/(Asked for|Stored|Removed) the secret mail\.token/g)).toHaveLength(5);
  });

  test("the names of Silas's own keys are refused before anything is asked", async () => {
    await begin();
    for (const args of [
      ["set", "owner-signing-key", "--stdin"],
      ["ask", "silas-anything", "--label", "x"],
      ["remove", "owner-signing-key", "--yes"],
    ]) {
      const ran = await home.silas(["secrets", ...args], { input: CANARY });
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("a name Silas keeps for its own keys")]);
    }
    expect((await home.silas(["keys", "list"])).code).toBe(0);
    expect(await states()).toEqual([]);
  });
});

test("a secret as an argument is refused with the reason, and not repeated", async () => {
  for (const args of [
    ["token", CANARY],
    ["token", "--value", CANARY],
    ["token", `--value=${CANARY}`],
    ["token", CANARY, "--stdin"],
  ]) {
    const ran = await home.silas(["secrets", "set", ...args], { input: "other\n" });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain("never taken as an argument");
    expect(ran.out + ran.err).not.toContain(CANARY);
  }
  expect(await states()).toEqual([]);
});

test("what standard input holds must be one line of text that fits", async () => {
  for (const [value, words] of [
    ["", "holds no secret"],
    ["\n", "holds no secret"],
    [`${CANARY}\nmore\n`, "more than one line"],
    ["x".repeat(16_385), "at most 16384 bytes"],
    ["x".repeat(70_000), "at most 16384 bytes"],
  ] as const) {
    const ran = await set("token", value);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(words)]);
  }
  expect((await set("UPPER", CANARY)).code).toBe(2);
  expect((await home.silas(["secrets", "set", "token"], { input: CANARY })).code).toBe(3);
  expect((await home.silas(["secrets", "ask", "token"])).code).toBe(2);
  expect(
    (await home.silas(["secrets", "ask", "token", "--label", "x", "--help-url", "javascript:alert(1)"])).code,
  ).toBe(2);
  expect(await states()).toEqual([]);
  expect((await set("token", "x".repeat(16_384))).code).toBe(0);
});

test("[FLOW-19] typed at a terminal it is not shown, and is stored as typed", async () => {
  const turns = [{ when: /The secret/, type: `${CANARY}\r` }];
  const { code, screen } = await sitAt(home, { args: ["secrets", "set", "token"], turns });
  expect(screen).toContain("Stored token in the vault.");
  expect(code).toBe(0);
  expect(screen).not.toContain(CANARY);
  expect(await kept("token")).toBe(CANARY);
});

test("[SECRET-08] killed while it is being stored, it is called stored only if the vault has it, and can be given again", async () => {
  const storedEntries = async () =>
    (await home.silas(["audit", "export"])).out.split("\n").filter((line) => line.includes('"secret_stored"')).length;
  for (const moment of ["sent", "in-the-vault", "in-the-vault-once-more"]) {
    const name = `token-${moment}`;
    const started = await home.start();
    await home.silas(["secrets", "ask", name, "--label", name]);
    const { cli_token } = JSON.parse(readFileSync(join(home.dir, "data", "instance.json"), "utf8")) as {
      readonly cli_token: string;
    };
    const before = await storedEntries();
    const answer = fetch(`${urlIn(started.output())}/secrets/${name}`, {
      method: "POST",
      headers: { authorization: `Bearer ${cli_token}`, "content-type": "application/json" },
      body: JSON.stringify({ value: CANARY }),
    }).then(
      ({ ok }) => ok,
      () => false,
    );
    // The moment between the two files: the vault has it, and the record may not say so yet.
    const isInVault = () => readFileSync(join(home.dir, "data", "vault.json")).includes(name);
    if (moment !== "sent") while (!isInVault()) await soon();
    started.child.kill("SIGKILL");
    const wasAnswered = await answer;
    await started.ended;
    const found = (await list()).find(({ ref_id: id }) => id === name);
    const isStored = found?.state === "fulfilled";
    expect(wasAnswered && !isStored).toBe(false);
    expect(isStored ? await kept(name) : CANARY).toBe(CANARY);
    expect((await storedEntries()) - before).toBe(isStored ? 1 : 0);
    expect((await set(name, "given again\n")).code).toBe(0);
    expect(await kept(name)).toBe("given again");
  }
  expect((await home.silas(["audit", "verify", "--full"])).code).toBe(0);
  expect(filesWith(CANARY)).toEqual([]);
});

test("doctor and status say which vault is in use", async () => {
  const started = await home.start();
  expect((await home.json<{ readonly vault: object }>(["status", "--json"])).vault).toEqual({
    backend: "encrypted_file",
    opens_with: "key_file",
  });
  expect((await home.silas(["doctor"])).out).toMatch(/vault.*encrypted file/);
  started.child.kill("SIGTERM");
  await started.ended;
});
