import { readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/contracts/sandbox-fixture.ts";
import { openPipes } from "./handed-pipe.ts";
import { heldUnder } from "../../../test/held-under.ts";

const SECRET = Buffer.from("canary-of-the-pipe");
const randomness = { bytes: (count: number) => randomBytes(count) };
const command = { argv: ["true"], pipes: { KEY: SECRET } };

test("a pipe has no name once it is open, and is empty once it was read", async () => {
  const folder = tempFolder();
  const opened = await openPipes({ ground: { handsOverPipes: true }, folder, randomness }, command);
  const [handle = -1] = opened.ok ? opened.value.handles : [];
  expect(readdirSync(folder)).toEqual([]);
  expect([readFileSync(handle, "utf8"), readFileSync(handle, "utf8")]).toEqual([SECRET.toString(), ""]);
  if (opened.ok) opened.value.close();
});

test("where a backend cannot hand it over nothing is made of it, and a folder that is gone is said", async () => {
  const folder = tempFolder();
  const refused = { ok: false, error: { code: "sandbox_command_refused", reason: "no_pipes" } };
  expect(await openPipes({ ground: {}, folder, randomness }, command)).toEqual(refused);
  const handsBack = { name: "BACK", take: () => expect.unreachable() };
  for (const talk of [{ handsBack }, { onInput: () => expect.unreachable() }]) {
    const silent = { ground: { handsOverPipes: true }, folder, randomness } as const;
    expect(await openPipes(silent, { argv: ["true"], ...talk })).toEqual(refused);
  }
  expect(readdirSync(folder)).toEqual([]);
  const none = await openPipes({ ground: {}, folder, randomness }, { argv: ["true"] });
  expect(none).toMatchObject({ ok: true, value: { names: [], handles: [] } });
  const gone = { ground: { handsOverPipes: true }, folder: `${folder}/gone`, randomness } as const;
  const detail = expect.stringMatching(/^Command failed/);
  expect(await openPipes(gone, command)).toEqual({ ok: false, error: { code: "sandbox_not_started", detail } });
});

const KIB = 1024;
const TALKING = { handsOverPipes: true, talks: true } as const;

test("a text fills a pipe to its last byte, and a longer one is refused", async () => {
  const place = { ground: TALKING, folder: tempFolder(), randomness };
  const long = Buffer.alloc(64 * KIB, "x");
  const opened = await openPipes(place, { argv: ["true"], pipes: { KEY: long } });
  if (!opened.ok) throw new Error(opened.error.code);
  expect(readFileSync(opened.value.handles[0] ?? -1)).toEqual(long);
  opened.value.close();
  const longer = { argv: ["true"], pipes: { SHORT: SECRET, KEY: Buffer.alloc(64 * KIB + 1) } };
  const refused = { ok: false, error: { code: "sandbox_command_refused", reason: "too_long" } };
  expect(await openPipes(place, longer)).toEqual(refused);
});

test("what was handed back is taken once, and no end of a pipe stays open", async () => {
  const folder = tempFolder();
  const taken: string[] = [];
  const handsBack = { name: "BACK", take: (bytes: Uint8Array) => void taken.push(Buffer.from(bytes).toString()) };
  const opened = await openPipes({ ground: TALKING, folder, randomness }, { ...command, handsBack });
  if (!opened.ok) throw new Error(opened.error.code);
  const { names, handles, close, finish } = opened.value;
  expect(names).toEqual(["KEY", "BACK"]);
  writeSync(handles[1] ?? -1, "said");
  expect(heldUnder(folder)).toHaveLength(3);
  close();
  expect(heldUnder(folder)).toHaveLength(1);
  finish();
  finish();
  expect(taken).toEqual(["said"]);
  expect(heldUnder(folder)).toEqual([]);
});

test("where one pipe cannot be made the others are closed, and nothing was handed back", async () => {
  const folder = tempFolder();
  let made = 0;
  const failing = {
    bytes: (count: number) => {
      made += 1;
      if (made === 2) rmSync(folder, { recursive: true });
      return randomBytes(count);
    },
  };
  const handsBack = { name: "BACK", take: () => expect.unreachable() };
  const opened = await openPipes({ ground: TALKING, folder, randomness: failing }, { ...command, handsBack });
  expect(opened).toMatchObject({ ok: false, error: { code: "sandbox_not_started" } });
  expect([made, heldUnder(folder)]).toEqual([2, []]);
});
