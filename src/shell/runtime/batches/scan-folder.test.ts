import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LIMITS, type Instant } from "#base";
import { createDigests, type Digests } from "./digests.ts";
import { scanFolder } from "./scan-folder.ts";

const AT = "2026-11-16T09:00:00.000Z" as Instant;
let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "silas-scan-")));
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

/** Digests that read nothing, for what is too much to be read. */
const UNREAD: Digests = { of: async () => "0".repeat(64) };

test("a look reads to its last byte, and a file of four gigabytes; one byte more is left for later, or alone", async () => {
  for (const name of ["a", "b"]) writeFileSync(join(folder, `${name}.pdf`), name.repeat(500));
  const read = async (bytesMax: number) => (await scan(createDigests(), { bytesMax })).facts.files.length;
  expect([await read(999), await read(1_000), await read(1_001)]).toEqual([1, 2, 2]);
  for (const [name, bytes] of Object.entries({ c: -1, d: 0, e: 1 })) {
    writeFileSync(join(folder, `${name}.mov`), "");
    truncateSync(join(folder, `${name}.mov`), 4 * 1024 ** 3 + bytes);
  }
  const { facts, leftAlone } = await scan(UNREAD);
  expect(facts.files.map(({ name }) => name)).toEqual(["a.pdf", "b.pdf", "c.mov", "d.mov"]);
  expect(leftAlone).toEqual([{ name: "e.mov", reason: "it is larger than four gigabytes" }]);
});

test("of files about which nothing more is asked, so many are looked at and no more", async () => {
  const most = 10 * LIMITS.batchCandidates;
  for (let at = 0; at <= most; at += 1) writeFileSync(join(folder, `${at}.pdf`), "");
  const { facts, leftAlone } = await scan(UNREAD, { isSettled: () => true });
  expect([facts.files.length, leftAlone.length]).toEqual([most, 1]);
});

test("a file that grows while it is read is left alone, and the look comes to an end", async () => {
  const path = join(folder, "log.txt");
  writeFileSync(path, "one");
  const about = statSync(path);
  appendFileSync(path, "more");
  expect(await createDigests().of({ path, about }, { bytesLeft: 100 })).toBeNull();
});
