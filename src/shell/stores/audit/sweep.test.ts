import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { AuditBreak, AuditCheckpoint, AuditHeadKey, AuditRow, AuditVerdict, KeptHead } from "#model";
import { sampleOf } from "../../../../test/depth.ts";
import { must } from "../store.fixture.ts";
import { createHeadsFile } from "./heads.ts";
import { sourceOf } from "./read.ts";
import {
  CHECKPOINT_EVERY,
  draftAt,
  ENTRIES,
  makeSignedChain,
  openBare,
  readableOf,
  signedRules as rules,
} from "./signed-chain.fixture.ts";
import { verifyChain, type ChainSource, type From } from "./verify.ts";

// `npm run soak` tries every single change of each kind, `npm test` a sample. The chain is in memory, and verified from
// the checkpoint before the change on. What lies before that is untouched, so verifying from the first entry would only
// take longer to get there; a part of the changes is verified both ways to prove it.

// A file is written thousands of times over, and what is looked at is its bytes: a disk in memory has them as well.
const makeDir = (): string => mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "silas-sweep-"));
const dataDir = makeDir();
let chain: Chain;

type Chain = {
  readonly rows: readonly AuditRow[];
  readonly checkpoints: readonly AuditCheckpoint[];
  readonly heads: readonly KeptHead[];
  readonly keys: readonly AuditHeadKey[];
};

beforeAll(async () => {
  await makeSignedChain(dataDir);
  const db = openBare(dataDir);
  const source = sourceOf({ db: readableOf(db), rules, heads: createHeadsFile(dataDir) });
  chain = {
    rows: db.prepare("SELECT seq, entry AS text, hash FROM audit_entries ORDER BY seq").all() as unknown as AuditRow[],
    checkpoints: source.checkpointsFrom(1),
    heads: must(source.heads(1)),
    keys: source.keys(),
  };
  db.close();
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const BATCH = 100;

/** A chain in memory, in the order of its numbers. */
function sourceIn({ rows, checkpoints, heads, keys }: Chain): ChainSource {
  return {
    batchAfter(seq) {
      let first = Math.max(0, Math.min(seq, rows.length) - 1);
      while (first > 0 && (rows[first - 1]?.seq ?? 0) > seq) first -= 1;
      while (first < rows.length && (rows[first]?.seq ?? 0) <= seq) first += 1;
      return rows.slice(first, first + BATCH);
    },
    rowAt: (seq) =>
      rows[seq - 1]?.seq === seq ? (rows[seq - 1] ?? null) : (rows.find((row) => row.seq === seq) ?? null),
    firstSeq: () => rows[0]?.seq ?? null,
    checkpointsFrom: (seq) => from(checkpoints, seq),
    findCheckpoint: (id) => checkpoints.find((one) => one.checkpointId === id) ?? null,
    latestCheckpoint: () => checkpoints.at(-1) ?? null,
    checkpointBefore: (seq) => checkpoints.findLast((one) => one.seq < seq) ?? null,
    latestSigned: () => checkpoints.findLast(({ signature }) => signature !== null) ?? null,
    heads: (seq) => ({ ok: true, value: from(heads, seq) }),
    noted: () => ({ ok: true, value: [] }),
    keys: () => keys,
  };
}

/** Those are in order, so the first one that is not too early begins the rest. */
function from<T extends { readonly seq: number }>(all: readonly T[], seq: number): readonly T[] {
  const first = all.findIndex((one) => one.seq >= seq);
  return first === -1 ? [] : all.slice(first);
}

const brokenIn = (verdict: AuditVerdict): AuditBreak | null => (verdict.valid ? null : verdict.broken);

/** From the last checkpoint before this entry. */
function before(seq: number): From {
  const marked = Math.floor((seq - 1) / CHECKPOINT_EVERY) * CHECKPOINT_EVERY;
  return marked === 0 ? "genesis" : { checkpointId: `checkpoint-${marked}` };
}

let looks = 0;

/** What is found in a changed chain whose first change is at this entry; now and then it is looked at both ways. */
function found(changed: Partial<Chain>, seq: number): AuditBreak | null {
  const work = { source: sourceIn({ ...chain, ...changed }), rules };
  const broken = brokenIn(verifyChain(work, before(seq)));
  looks += 1;
  if (looks % 997 === 0 && !isDeepStrictEqual(brokenIn(verifyChain(work, "genesis")), broken))
    throw new Error(`a look from the first entry finds something else than ${JSON.stringify(broken)}`);
  return broken;
}

const rowAt = (seq: number): AuditRow => {
  const row = chain.rows[seq - 1];
  if (row === undefined) throw new Error(`there is no entry ${seq}`);
  return row;
};
const withRow = (seq: number, row: AuditRow): Partial<Chain> => ({ rows: chain.rows.with(seq - 1, row) });
const numbered = (rows: readonly AuditRow[]): readonly AuditRow[] =>
  rows.map((row, index) => ({ ...row, seq: index + 1 }));
/** Where an entry put in behind this one shows: where it stands if that place is marked, else one further. */
const shownBehind = (seq: number): AuditBreak =>
  (seq + 1) % CHECKPOINT_EVERY === 0
    ? { code: "checkpoint_differs", seq: seq + 1, checkpointId: `checkpoint-${seq + 1}` }
    : { code: "entry_moved", seq: seq + 2 };
const flipped = (text: string, place: number): string =>
  text.slice(0, place) + (text[place] === "a" ? "b" : "a") + text.slice(place + 1);

describe("a log of 1,000 entries with a signed head every 20", () => {
  test("[AUD-02] is valid as it was written", () => {
    expect(verifyChain({ source: sourceIn(chain), rules }, "genesis")).toMatchObject({
      valid: true,
      entriesChecked: ENTRIES,
      headsChecked: ENTRIES / CHECKPOINT_EVERY,
      headsSigned: ENTRIES / CHECKPOINT_EVERY,
    });
  });

  test("[AUD-02] shows a change of any byte of any entry, and names the entry", () => {
    const wrong: string[] = [];
    for (const { seq, text, hash } of sampleOf(chain.rows, 20)) {
      const bytes = Buffer.from(text);
      for (const place of bytes.keys()) {
        const kept = bytes[place] ?? 0;
        bytes[place] = kept ^ (1 << (place % 8));
        const broken = found(withRow(seq, { seq, text: bytes.toString("utf8"), hash }), seq);
        bytes[place] = kept;
        if (broken?.code !== "entry_changed" || broken.seq !== seq) wrong.push(`byte ${place} of entry ${seq}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("[AUD-02] shows every other value of every byte of an entry", () => {
    const { seq, text, hash } = rowAt(501);
    const bytes = Buffer.from(text);
    const found501 = new Set<string>();
    for (const place of sampleOf(bytes.keys(), 10)) {
      const kept = bytes[place] ?? 0;
      for (let value = 0; value < 256; value += 1) {
        if (value === kept) continue;
        bytes[place] = value;
        found501.add(JSON.stringify(found(withRow(seq, { seq, text: bytes.toString("utf8"), hash }), seq)));
      }
      bytes[place] = kept;
    }
    expect([...found501]).toEqual([JSON.stringify({ code: "entry_changed", seq })]);
  });

  test("[AUD-02] shows a change of any character of any hash", () => {
    const wrong: string[] = [];
    for (const { seq, text, hash } of sampleOf(chain.rows, 20)) {
      for (let place = 0; place < hash.length; place += 1) {
        const broken = found(withRow(seq, { seq, text, hash: flipped(hash, place) }), seq);
        if (broken?.code !== "entry_changed" || broken.seq !== seq) wrong.push(`character ${place} of hash ${seq}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("[AUD-02] shows every removed entry, also when the others close the gap", () => {
    for (const { seq } of sampleOf(chain.rows, 5)) {
      const rest = chain.rows.toSpliced(seq - 1, 1);
      const isLast = seq === ENTRIES;
      expect(found({ rows: rest }, seq)).toEqual({ code: isLast ? "entries_cut" : "entry_missing", seq });
      expect(found({ rows: numbered(rest) }, seq)).toEqual({ code: isLast ? "entries_cut" : "entry_moved", seq });
    }
  });

  test("[AUD-02] shows every swap of two entries", () => {
    const wrong: string[] = [];
    const numbers = chain.rows.slice(0, -1).map(({ seq }) => seq);
    for (const low of sampleOf(numbers, 50)) {
      for (let high = low + 1; high <= ENTRIES; high += 1) {
        const rows = chain.rows.slice();
        rows[low - 1] = { ...rowAt(high), seq: low };
        rows[high - 1] = { ...rowAt(low), seq: high };
        const broken = found({ rows }, low);
        if (broken?.code !== "entry_moved" || broken.seq !== low) wrong.push(`${low} and ${high}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("[AUD-02] shows an entry repeated or put in at any place, sound in itself or not", () => {
    for (const row of sampleOf(chain.rows, 5)) {
      const { seq } = row;
      const repeated = numbered(chain.rows.toSpliced(seq, 0, row));
      expect(found({ rows: repeated }, seq + 1)).toEqual({ code: "entry_moved", seq: seq + 1 });
      const forged = must(rules.seal({ seq, hash: row.hash }, draftAt(5_000)));
      const inserted = numbered(chain.rows.toSpliced(seq, 0, forged));
      // Behind the last entry there is nothing yet that an entry could contradict: that is how entries are appended.
      expect(found({ rows: inserted }, seq)).toEqual(seq === ENTRIES ? null : shownBehind(seq));
    }
    for (const seq of [0, -1, -1_000]) {
      const broken = found({ rows: [{ ...rowAt(1), seq }, ...chain.rows] }, 1);
      expect(broken).toEqual({ code: "entry_moved", seq });
    }
  });

  test("[AUD-02] shows every entry that a sound one takes the place of", () => {
    for (const { seq } of sampleOf(chain.rows, 5)) {
      const previous = seq === 1 ? rules.genesis : rowAt(seq - 1);
      const forged = must(rules.seal({ seq: seq - 1, hash: previous.hash }, draftAt(9_999)));
      const isMarked = seq % CHECKPOINT_EVERY === 0;
      expect(found(withRow(seq, forged), seq)).toEqual(
        isMarked
          ? { code: "checkpoint_differs", seq, checkpointId: `checkpoint-${seq}` }
          : { code: "previous_differs", seq: seq + 1 },
      );
    }
  });

  test("[AUD-04] shows every tail cut back to the last head; behind it lies the window, and nothing else", () => {
    for (const left of sampleOf(chain.rows.keys(), 5)) {
      const rows = chain.rows.slice(0, left);
      expect(brokenIn(verifyChain({ source: sourceIn({ ...chain, rows }), rules }, "latest"))).toEqual({
        code: "entries_cut",
        seq: ENTRIES,
      });
      // The checkpoints are cut with the entries, and the heads beside the database still speak of them.
      const checkpoints = chain.checkpoints.filter(({ seq }) => seq <= left);
      for (const changed of [{ rows }, { rows, checkpoints }]) {
        expect(found(changed, left + 1), `after ${left}`).toEqual({ code: "entries_cut", seq: left + 1 });
      }
    }
    let head = { seq: ENTRIES, hash: rowAt(ENTRIES).hash };
    const rows = [...chain.rows];
    for (let index = 1; index <= 5; index += 1) {
      const row = must(rules.seal(head, draftAt(ENTRIES + index)));
      rows.push(row);
      head = row;
    }
    for (let left = ENTRIES; left <= rows.length; left += 1) {
      expect(found({ rows: rows.slice(0, left) }, ENTRIES)).toBeNull();
    }
  });

  test("[AUD-03] shows a change of any character of any checkpoint, its removal and its move", () => {
    for (const [index, checkpoint] of sampleOf(chain.checkpoints.entries(), 5)) {
      const { seq, hash, checkpointId, signature } = checkpoint;
      const at = (changed: AuditCheckpoint) =>
        found({ checkpoints: chain.checkpoints.with(index, changed) }, seq)?.code;
      for (let place = 0; place < hash.length; place += 1) {
        expect(at({ ...checkpoint, hash: flipped(hash, place) })).toBe("checkpoint_differs");
      }
      for (let place = 0; place < checkpointId.length; place += 1) {
        expect(at({ ...checkpoint, checkpointId: flipped(checkpointId, place) })).toBe("checkpoint_differs");
      }
      for (let place = 0; place < (signature ?? "").length; place += 1) {
        const changed = flipped(signature ?? "", place) as typeof signature;
        expect(at({ ...checkpoint, signature: changed })).toBe("head_signature_invalid");
      }
      expect(at({ ...checkpoint, signature: null })).toBe("head_signature_missing");
      for (const moved of [seq - 1, seq + 1]) {
        const checkpoints = chain.checkpoints.with(index, { ...checkpoint, seq: moved });
        expect(found({ checkpoints }, seq - 1)?.code).toMatch(/^(checkpoint_(differs|missing)|entries_cut)$/);
      }
      const without = found({ checkpoints: chain.checkpoints.toSpliced(index, 1) }, seq);
      expect(without).toEqual({ code: "checkpoint_missing", seq, checkpointId });
    }
  });

  test("[AUD-03] shows a change of any byte of the heads beside the database, and every one that is gone", () => {
    const { path, whole, look } = headsOfFirst(200);
    expect(look()).toBeNull();
    const bytes = Buffer.from(whole);
    for (const place of sampleOf(bytes.keys(), 10)) {
      const kept = bytes[place] ?? 0;
      bytes[place] = kept ^ (1 << (place % 7));
      writeFileSync(path, bytes);
      bytes[place] = kept;
      expect(look()?.code, `byte ${place}`).toMatch(/^head(s_unreadable|_differs|_missing)$|^entries_cut$/);
    }
    const lines = whole.split("\n").slice(0, -1);
    for (const index of lines.keys()) {
      const rest = lines.toSpliced(index, 1);
      writeFileSync(path, rest.map((line) => `${line}\n`).join(""));
      const isLatest = index === lines.length - 1;
      // A crash may come between a checkpoint and its line; it is written before there is another.
      expect(look()).toEqual(isLatest ? null : { code: "head_missing", seq: (index + 1) * CHECKPOINT_EVERY });
    }
    writeFileSync(path, "");
    expect(look()).toEqual({ code: "head_missing", seq: CHECKPOINT_EVERY });
  });

  test("[AUD-03] leaves a line of the heads that a crash cut off at any byte out of account, and writes it whole", () => {
    const { path, whole, heads, file } = headsOfFirst(200);
    const last = whole.lastIndexOf("\n", whole.length - 2) + 1;
    for (let length = last; length <= whole.length; length += 1) {
      writeFileSync(path, whole.slice(0, length));
      // Without its line break a line is as whole as with it.
      expect(must(file.load(1)).length).toBe(length >= whole.length - 1 ? 10 : 9);
      for (const head of heads.slice(-1)) file.append(head);
      expect(readFileSync(path, "utf8")).toBe(whole);
    }
  });
});

test("[AUD-05] a look from the checkpoint before a change finds what a look from the first entry finds", () => {
  const changed = chain.rows.filter((_row, index) => index % 7 === 0);
  expect(changed.length).toBeGreaterThan(100);
  for (const { seq, text, hash } of changed) {
    const work = {
      source: sourceIn({ ...chain, ...withRow(seq, { seq, text: flipped(text, seq % 40), hash }) }),
      rules,
    };
    const broken = brokenIn(verifyChain(work, before(seq)));
    expect(broken).not.toBeNull();
    expect(brokenIn(verifyChain(work, "genesis"))).toEqual(broken);
  }
});

/** The first part of the chain with a file of its own for its heads. */
function headsOfFirst(entries: number) {
  const dir = makeDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const rows = chain.rows.slice(0, entries);
  const checkpoints = chain.checkpoints.filter(({ seq }) => seq <= entries);
  const heads = chain.heads.filter(({ seq }) => seq <= entries);
  const file = createHeadsFile(dir);
  for (const head of heads) file.append(head);
  const path = join(dir, "audit-heads.jsonl");
  const source = { ...sourceIn({ ...chain, rows, checkpoints }), heads: file.load };
  const look = () => brokenIn(verifyChain({ source, rules }, "genesis"));
  return { path, whole: readFileSync(path, "utf8"), heads, file, look };
}
