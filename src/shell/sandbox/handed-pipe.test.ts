import { readdirSync, readFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/contracts/sandbox-fixture.ts";
import { openPipes } from "./handed-pipe.ts";

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
  const none = await openPipes({ ground: {}, folder, randomness }, { argv: ["true"] });
  expect(none).toMatchObject({ ok: true, value: { names: [], handles: [] } });
  const gone = { ground: { handsOverPipes: true }, folder: `${folder}/gone`, randomness } as const;
  expect(await openPipes(gone, command)).toMatchObject({ ok: false, error: { code: "sandbox_not_started" } });
});
