import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { depth } from "../../../../test/depth.ts";
import { LIMITS } from "#base";
import { BENIGN_TEXTS } from "../../../../test/benign-texts.ts";
import { NEAR_SECRETS } from "../../../../test/near-secrets.ts";
import { secretTexts, type SecretText } from "../../../../test/secret-texts.ts";
import { createSecretFinder, findSecrets, SECRETLINT_RULES } from "./find-secrets.ts";

const SEEDS = [11, 22, 33];
const ALL = SEEDS.flatMap((seed) => secretTexts(seed));

async function found(text: string) {
  const scan = await findSecrets(text);
  if (!scan.ok) throw new Error(scan.error);
  return scan.value;
}

/** The text with every finding taken out. */
async function cleaned(text: string): Promise<string> {
  const findings = (await found(text)).toSorted((a, b) => b.start - a.start);
  return findings.reduce((left, { start, end }) => left.slice(0, start) + left.slice(Math.max(start, end)), text);
}

const missed = async (change: (one: SecretText) => string): Promise<readonly string[]> => {
  const names: string[] = [];
  for (const one of ALL) if ((await found(change(one))).length === 0) names.push(one.name);
  return names;
};

describe("credentials", () => {
  test("there are thirty forms of them", () => {
    expect(secretTexts(1).length).toBeGreaterThanOrEqual(30);
  });

  test("each form is found, and taking out what was found leaves nothing of it", async () => {
    expect(await missed(({ text }) => text)).toEqual([]);
    for (const { name, text, canary } of ALL) expect(await cleaned(text), name).not.toContain(canary);
  });

  test("a comment for another tool above it does not hide it", async () => {
    expect(await missed(({ text }) => `# secretlint-disable\n${text}\n# secretlint-enable`)).toEqual([]);
    expect(await missed(({ text }) => `// secretlint-disable-next-line\n${text}`)).toEqual([]);
    expect(await missed(({ text }) => `${text} // secretlint-disable-line`)).toEqual([]);
  });

  test("invisible characters, wide letters and other alphabets of letters do not hide it", async () => {
    const changed = (change: (value: string) => string) =>
      missed(({ text, canary }) => text.replace(canary, () => change(canary)));
    for (const hidden of ["\u200b", "\u00ad", "\u2060", "\ufeff", "\u202e", "\u{e0041}"])
      expect(await changed((value) => [...value].join(hidden)), JSON.stringify(hidden)).toEqual([]);
    const wide = (value: string): string =>
      value.replaceAll(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
    expect(await missed(({ text }) => wide(text).replaceAll("\u3000", " "))).toEqual([]);
  });

  test("a password is known by its length, to the character", async () => {
    const isFound = async (text: string) => (await found(text)).length > 0;
    // From twelve characters on it has to look random, below that only to be long enough.
    const assigned = ["abc12", "abc123", "aaaaaaaaaa1", "aaaaaaaaaaa1"].map((value) => isFound(`password=${value}`));
    expect(await Promise.all(assigned)).toEqual([false, true, true, false]);
    const spoken = [19, 20].map((length) =>
      isFound(`my password is ${"abcdefghijklmnopqrst".slice(0, length)} indeed`),
    );
    expect(await Promise.all(spoken)).toEqual([false, true]);
  });

  test("a wrapped key is found from its first character on, and behind so many ends of lines and no more", async () => {
    const key = "AKIAQ2X7ZK5M\nP3RT6WYB";
    const startsIn = async (text: string) => [...new Set((await found(text)).map(({ start }) => start))];
    expect(await startsIn(`Key.\n${key}`)).toEqual([5]);
    const behind = (lines: number) => startsIn(`${".\n".repeat(lines)}${key}`);
    expect([await behind(9_999), await behind(10_000)]).toEqual([[2 * 9_999], []]);
  });

  test("a key that was wrapped is found where it is the last word of its line, and where it is not", async () => {
    // Passwords in words and addresses are no longer known when they are cut.
    const keys = ALL.filter(
      ({ name }) => !/words|thing|address|environment|connection|JSON|header|AWS secret|Azure/.test(name),
    );
    for (const { name, canary, text } of keys) {
      const middle = Math.floor(canary.length / 2);
      const cut = `${canary.slice(0, middle)}\n${canary.slice(middle)}`;
      for (const after of ["", "\nand tell me", " and tell me"])
        expect((await found(text.replace(canary, () => cut) + after)).length, `${name} ${after}`).toBeGreaterThan(0);
    }
  });
});

describe("a password in plain words", () => {
  test.each([
    "my password is hunter2",
    "My Password Is Hunter22!",
    "the password for the wifi is Sommer2026!",
    "password was changed, the new password is 1234abc",
    "my password is: sunshine",
    'my password is "sunshine"',
    "my password is “sunshine”, please keep it",
    "the passcode is 483920",
    "my PIN is 4831",
    "my password is correct-horse-battery-staple",
    "mein Passwort ist Geheim99!",
    "Mein Passwort lautet sonnenschein",
    "Unser Kennwort für das Lager ist Hof-7731",
    "passwort: Geheim99",
    "pwd=hunter2x",
  ])("%s is found", async (text) => expect((await found(text)).map(({ kind }) => kind)).toEqual(["password"]));
});

describe("ordinary text", () => {
  const texts = [...BENIGN_TEXTS, ...NEAR_SECRETS];

  test("there is enough of it to say something", () => expect(new Set(texts).size).toBeGreaterThanOrEqual(400));

  test("at most two in a hundred are taken for a credential, and words about passwords are not", async () => {
    const refused: string[] = [];
    for (const text of texts) if ((await found(text)).length > 0) refused.push(text);
    expect(refused.length / texts.length, refused.join("\n")).toBeLessThanOrEqual(0.02);
    expect(await found("the password policy is strict")).toEqual([]);
    expect(await found("reset my password tomorrow")).toEqual([]);
  });

  test("neither are all of them together as one note", async () => {
    expect(await found(texts.join("\n"))).toEqual([]);
  });

  test("hashes, ids and encoded images are none", async () => {
    const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
    const image = fc
      .uint8Array({ minLength: 60, maxLength: 400 })
      .map((bytes) => Buffer.from(bytes).toString("base64"));
    await fc.assert(
      fc.asyncProperty(hex(40), hex(64), fc.uuid(), image, async (sha1, sha256, id, base64) => {
        expect(await found(`commit ${sha1}\nsha256:${sha256}\nid ${id}\n![](data:image/png;base64,${base64})`)).toEqual(
          [],
        );
      }),
      { numRuns: depth({ sample: 25, every: 100 }) },
    );
  });

  test.each([
    "password = ${PASSWORD}",
    "password: correcthorsebatterystaple",
    "secret=<the secret of the app>",
    `ghp_${"0".repeat(36)}`,
    `sk-${"a".repeat(24)}`,
    `sk_live_${"x".repeat(24)}`,
    "Authorization: Bearer $TOKEN",
    "postgres://user:password@localhost/app",
    "put(ref: SecretRef, secret: Uint8Array): void",
  ])("%s is a name, a reference or a placeholder", async (text) => expect(await found(text)).toEqual([]));
});

describe("a search that cannot be made", () => {
  test("a text over the limit is an answer of its own", async () => {
    expect(await findSecrets("a".repeat(LIMITS.secretScanChars + 1))).toEqual({ ok: false, error: "too_long" });
    expect(await findSecrets("a".repeat(LIMITS.secretScanChars))).toEqual({ ok: true, value: [] });
  });

  test("rules that cannot be loaded, are missing or throw are an answer of their own, and the next text tries again", async () => {
    const whole = await import("@secretlint/secretlint-rule-preset-recommend");
    const throwing = { meta: { id: "@secretlint/secretlint-rule-github" }, create: () => ({ file: thrown }) };
    const thrown = (): never => {
      throw new Error("a rule failed");
    };
    const loads: (() => Promise<unknown>)[] = [
      () => Promise.reject(new Error("no such package")),
      async () => ({}),
      async () => ({ rules: whole.rules.slice(1) }),
      async () => ({ rules: [throwing, ...whole.rules] }),
      async () => whole,
    ];
    const find = createSecretFinder(() => (loads.shift() ?? thrown)());
    for (let tries = 0; tries < 4; tries += 1) expect(await find("hello")).toEqual({ ok: false, error: "failed" });
    expect(await find("hello")).toEqual({ ok: true, value: [] });
  });

  test("the rules that are used are there, and the one that hides findings is not used", async () => {
    const { rules } = await import("@secretlint/secretlint-rule-preset-recommend");
    const there = new Set(rules.map(({ meta }) => meta.id.replace("@secretlint/secretlint-rule-", "")));
    for (const name of Object.keys(SECRETLINT_RULES)) expect(there).toContain(name);
    expect(SECRETLINT_RULES).not.toHaveProperty("filter-comments");
  });

  // Beginnings of whatever is looked for, repeated: a pattern that tries again at each of them would not come back.
  test.each([
    "a",
    "1 ",
    "eyJ",
    "eyJaaaaaaaaaaaaa.",
    "sk-",
    "xoxb-a-",
    "-----BEGIN PRIVATE KEY-----",
    "password=",
    "password: a1B2",
    "password is ",
    "password for a ",
    "a_a_a_password",
    "http://a:",
    "a\n",
    "ghp_\n",
    "Authorization: Bearer ",
    "SG.a.",
    "\u200b",
    "a\u0301",
    "\u{1d420}",
  ])("a megabyte of %j is answered about", async (unit) => {
    const text = unit.repeat(Math.ceil(LIMITS.secretScanChars / unit.length)).slice(0, LIMITS.secretScanChars);
    expect((await findSecrets(text)).ok).toBe(true);
  });
});
