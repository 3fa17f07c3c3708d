import { appendFileSync, mkdtempSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LIMITS, type Instant } from "#base";
import { createDigests, type Digests } from "./digests.ts";
import { scanFolder } from "./scan-folder.ts";

const AT = "2026-11-16T09:00:00.000Z" as Instant;
let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "silas-scan-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Digests that remember which files were really read. */
function counted(): Digests & { readonly read: string[] } {
  const digests = createDigests();
  const read: string[] = [];
  return {
    read,
    async of(file, look) {
      const before = look.bytesLeft;
      const answer = await digests.of(file, look);
      if (look.bytesLeft !== before) read.push(file.path.slice(folder.length + 1));
      return answer;
    },
  };
}
type Over = { readonly bytesMax?: number; readonly isSettled?: (file: { readonly name: string }) => boolean };
async function scan(digests: Digests, { bytesMax = 1_000_000, isSettled = () => false }: Over = {}) {
  const scanned = await scanFolder({ folder, own: [homedir()], at: AT, digests, bytesMax, isSettled });
  if (!scanned.ok) throw new Error(scanned.error.code);
  return scanned.value;
}

test("a file is read again only when it is another: with other bytes, also of the same length and time, it is", async () => {
  writeFileSync(join(folder, "a.pdf"), "one");
  writeFileSync(join(folder, "b.pdf"), "two");
  const digests = counted();
  const first = await scan(digests);
  expect((await scan(digests)).facts.files).toEqual(first.facts.files);
  expect(digests.read).toEqual(["a.pdf", "b.pdf"]);
  const { atime, mtime } = statSync(join(folder, "b.pdf"));
  rmSync(join(folder, "b.pdf"));
  writeFileSync(join(folder, "b.pdf"), "six");
  utimesSync(join(folder, "b.pdf"), atime, mtime);
  const again = await scan(digests);
  expect(digests.read).toEqual(["a.pdf", "b.pdf", "b.pdf"]);
  expect(again.facts.files[1]?.sha256).not.toBe(first.facts.files[1]?.sha256);
});

test("a look reads so much, the next goes on where it ended, and both say what waits", async () => {
  for (const name of ["a", "b", "c"]) writeFileSync(join(folder, `${name}.pdf`), name.repeat(600));
  const digests = counted();
  const namesOf = ({ facts }: Awaited<ReturnType<typeof scan>>) => facts.files.map(({ name }) => name);
  const first = await scan(digests, { bytesMax: 1_000 });
  expect(namesOf(first)).toEqual(["a.pdf"]);
  expect(first.leftAlone.map(({ reason }) => reason)).toEqual(
    Array(2).fill("more than one look takes up; it waits for the next"),
  );
  expect(namesOf(await scan(digests, { bytesMax: 1_000 }))).toEqual(["a.pdf", "b.pdf"]);
  expect(namesOf(await scan(digests, { bytesMax: 1_000 }))).toEqual(["a.pdf", "b.pdf", "c.pdf"]);
});

test("files about which nothing more is asked do not keep the others from being found", async () => {
  for (let at = 0; at < LIMITS.batchCandidates; at += 1) writeFileSync(join(folder, `old-${at}.pdf`), String(at));
  writeFileSync(join(folder, "young.pdf"), "young");
  const found = await scan(createDigests(), { isSettled: ({ name }) => name.startsWith("old-") });
  expect(found.facts.files.map(({ name }) => name)).toContain("young.pdf");
  expect((await scan(createDigests())).facts.files.map(({ name }) => name)).not.toContain("young.pdf");
});

test("a file that grows while it is read is left alone, and the look comes to an end", async () => {
  const path = join(folder, "log.txt");
  writeFileSync(path, "one");
  const about = statSync(path);
  appendFileSync(path, "more");
  expect(await createDigests().of({ path, about }, { bytesLeft: 100 })).toBeNull();
});
