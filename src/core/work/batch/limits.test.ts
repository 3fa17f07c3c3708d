import { expect, test } from "vitest";
import { instantFromMs, sha256Hex, type Instant } from "#base";
import { projectBatch } from "#model";
import { compileBatch } from "./compile.ts";
import { flagsOf } from "./flags.ts";
import { endingOf, tidyBatches, type FileFact, type FolderFacts, type TidySettings } from "./tidy.ts";

const AT_MS = Date.UTC(2026, 10, 16, 8);
const ago = (ms: number): Instant => {
  const at = instantFromMs(AT_MS - ms);
  if (!at.ok) throw new Error("a moment");
  return at.value;
};
const file = (name: string, more: Partial<FileFact> = {}): FileFact => ({
  name,
  size: 10,
  changedAt: ago(86_400_000),
  isExecutable: false,
  sha256: sha256Hex(name),
  ...more,
});

function tidy(name: string, more: Partial<FolderFacts & TidySettings> = {}) {
  const { size = 10, mediumMin = 0.5, highMin = 0.85, ...facts } = more;
  const folder = { folder: "/home/me/Downloads", files: [file(name)], folders: [], taken: [], at: ago(0), ...facts };
  return tidyBatches(folder, { size, mediumMin, highMin });
}
const itemOf = (...given: Parameters<typeof tidy>) => tidy(...given).batches[0]?.items[0];
const placeOf = (...given: Parameters<typeof tidy>) => {
  const moves = tidy(...given).batches[0]?.params?.["moves"] as readonly { readonly to: string }[] | undefined;
  return moves?.[0]?.to;
};

test("a file is large from a gigabyte on, and changed recently for less than an hour", () => {
  const flags = (more: Partial<FileFact>) =>
    flagsOf(file("a.pdf", more), { ending: "pdf", isKnown: true, isTwin: false, isTaken: false, at: ago(0) });
  expect([flags({ size: 1024 ** 3 - 1 }), flags({ size: 1024 ** 3 })]).toEqual([[], ["very_large"]]);
  expect(flags({ changedAt: ago(3_600_000) })).toEqual([]);
  expect(flags({ changedAt: ago(3_599_999) })).toEqual(["changed_recently"]);
});

test("a kind that is exactly as sure as is asked for is sure", () => {
  expect(itemOf("a.pdf", { highMin: 0.95 })?.flags).toBeUndefined();
  expect(itemOf("a.pdf", { highMin: 0.96 })?.flags).toEqual(["medium_confidence"]);
  expect(itemOf("a.pdf", { mediumMin: 0.95, highMin: 0.96 })?.flags).toEqual(["medium_confidence"]);
  expect(itemOf("a.pdf", { mediumMin: 0.96, highMin: 0.97 })?.flags).toEqual(["low_confidence"]);
});

test("a name that only begins with a dot has no ending", () => {
  expect([endingOf(".pdf"), endingOf("a.pdf"), endingOf("a"), endingOf("a.")]).toEqual(["", "pdf", "", ""]);
  expect(placeOf(".pdf", { taken: ["Other/.pdf"] })).toBe("Other/.pdf (2)");
  expect(placeOf("a.pdf", { taken: ["Documents/a.pdf"] })).toBe("Documents/a (2).pdf");
});

test("a name of 256 characters is moved, and a longer one stays where it is", () => {
  const named = (chars: number) => `${"a".repeat(chars - 4)}.pdf`;
  expect(itemOf(named(256))?.title).toBe(named(256));
  expect(tidy(named(257))).toMatchObject({ batches: [], leftAlone: [{ name: named(257) }] });
});

test("a step is named whole as long as its name fits", () => {
  const stepFor = (stem: number) => {
    const [batch] = tidy(`${"a".repeat(stem)}.png`).batches;
    const compiled = batch === undefined ? null : compileBatch(projectBatch(batch), ago(0));
    return compiled?.ok === true ? compiled.value.steps[2]?.name : null;
  };
  expect(stepFor(28)).toBe(`move ${"a".repeat(28)}.png to Images/${"a".repeat(28)}.png`);
  expect(stepFor(28)).toHaveLength(80);
  expect(stepFor(29)).toBe(`move ${"a".repeat(29)}.png to Images/${"a".repeat(29)}.…`);
});
