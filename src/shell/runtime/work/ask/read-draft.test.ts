import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { err, LIMITS, ok } from "#base";
import { readDraft } from "./read-draft.ts";

test("a draft has so many characters and no more, however many bytes they take", async () => {
  const workspace = mkdtempSync(join(tmpdir(), "silas-draft-"));
  onTestFinished(() => rmSync(workspace, { recursive: true }));
  const read = (text: string) => {
    writeFileSync(join(workspace, "draft"), text);
    return readDraft(workspace, "draft");
  };
  const longest = "ü".repeat(LIMITS.draftChars);
  expect(await read(longest)).toEqual(ok(longest));
  expect(await read(`${longest}ü`)).toEqual(err(`a draft is text of at most ${LIMITS.draftChars} characters`));
});
