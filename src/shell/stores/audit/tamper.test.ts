import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AuditBreak, AuditDraft } from "#model";
import { createAuditRules } from "#policy";
import type { AuditReader } from "#ports";
import { sampleOf } from "../../../../test/depth.ts";
import { openRuntime } from "../open-stores.ts";
import { AT, countingRandom, fixedClock, must } from "../store.fixture.ts";
import { createHeadsFile } from "./heads.ts";
import { createAuditReader } from "./read.ts";

// Changed rows are looked for straight in the file's tables, as somebody with the file in hand would change them. Every
// single change is tried in memory by the sweep beside this; here the way through SQLite is held to a part of them.
const { hash } = process.getBuiltinModule("node:crypto");
const sha256 = (text: string): string => hash("sha256", text);
const rules = createAuditRules(sha256);

const ENTRIES = 1_000;
const CHECKPOINT_EVERY = 100;

let dataDir = "";
let db: DatabaseSync;
let reader: AuditReader;
let rows: readonly { readonly seq: number; readonly entry: string; readonly hash: string }[];

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "silas-tamper-"));
  const opened = must(await openRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules: rules }));
  const { audit } = opened;
  for (let done = 0; done < ENTRIES; done += CHECKPOINT_EVERY) {
    const drafts = Array.from({ length: CHECKPOINT_EVERY - 1 }, (_, index) => draftAt(done + index));
    for (const appended of await Promise.all(drafts.map((draft) => audit.append(draft)))) must(appended);
    must(await audit.checkpoint({ checkpointId: `checkpoint-${done}`, at: AT, key: null }));
  }
  opened.close();
  db = new DatabaseSync(join(dataDir, "silas.db"));
  // A table without derived columns, triggers and indexes: SQLite itself would refuse text that is not JSON any more.
  db.exec(`CREATE TABLE bare (seq INTEGER PRIMARY KEY, entry TEXT, hash TEXT);
    INSERT INTO bare SELECT seq, entry, hash FROM audit_entries;
    DROP TABLE audit_entries;
    ALTER TABLE bare RENAME TO audit_entries`);
  rows = db.prepare("SELECT seq, entry, hash FROM audit_entries ORDER BY seq").all() as unknown as typeof rows;
  const readable = {
    get: <Row>(sql: string, params = {}) => (db.prepare(sql).get(params) as Row | undefined) ?? null,
    all: <Row>(sql: string, params = {}) => db.prepare(sql).all(params) as Row[],
    columns: <Row>(sql: string, params = {}) => {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(params) as unknown[] as Row[];
    },
    close: () => db.close(),
  };
  reader = createAuditReader({ db: readable, rules, heads: createHeadsFile(dataDir) });
});
afterAll(() => {
  db.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function draftAt(index: number): AuditDraft {
  const sessionId = `0192f0c1-7a3b-7c11-9e55-${String(index).padStart(12, "0")}`;
  const data = { session_id: sessionId, device_name: `Firefox on Linux ${index} größer` };
  return { event: "device_enrolled", data, at: AT, actor: { kind: "owner", session_id: sessionId } };
}

/** Changes the file, looks, and takes the change back. */
async function foundAfter(change: () => void): Promise<AuditBreak | null> {
  db.exec("BEGIN");
  try {
    change();
    const verdict = must(await reader.verify("genesis"));
    return verdict.valid ? null : verdict.broken;
  } finally {
    db.exec("ROLLBACK");
  }
}

const run = (sql: string, ...params: (string | number | Uint8Array)[]) => db.prepare(sql).run(...params);
const each = (step: number): readonly number[] =>
  sampleOf(
    Array.from({ length: Math.ceil(ENTRIES / step) }, (_, index) => index * step + 1),
    4,
  );

describe("a log of 1,000 entries", () => {
  test("[AUD-02] is valid as it was written", async () => {
    expect(must(await reader.verify("genesis"))).toMatchObject({
      valid: true,
      entriesChecked: ENTRIES,
      headsChecked: 10,
    });
  });

  test("[AUD-02] shows every changed byte of an entry, and names the entry", async () => {
    for (const { seq, entry } of sampleOf(rows, 8)) {
      const bytes = Buffer.from(entry);
      // Some entries are changed at every byte, the others at a place that wanders.
      const whole = seq % 500 === 1;
      const places = whole ? bytes.keys() : [(seq * 7) % bytes.length];
      for (const place of places) {
        const changed = Buffer.from(bytes);
        changed[place] = (changed[place] ?? 0) ^ (1 << (seq % 8));
        const broken = await foundAfter(() =>
          run("UPDATE audit_entries SET entry = CAST(? AS TEXT) WHERE seq = ?", changed, seq),
        );
        expect(broken, `byte ${place} of entry ${seq}`).toEqual({ code: "entry_changed", seq });
      }
    }
  });

  test("[AUD-02] shows every changed hash and number", async () => {
    for (const seq of each(7)) {
      const row = rows[seq - 1];
      const flipped = `${row?.hash.slice(0, seq % 64)}${row?.hash[seq % 64] === "a" ? "b" : "a"}${row?.hash.slice((seq % 64) + 1)}`;
      expect(await foundAfter(() => run("UPDATE audit_entries SET hash = ? WHERE seq = ?", flipped, seq))).toEqual({
        code: "entry_changed",
        seq,
      });
      expect(await foundAfter(() => run("UPDATE audit_entries SET seq = 100000 WHERE seq = ?", seq))).not.toBeNull();
    }
  });

  test("[AUD-02] shows every removed entry, also when the others close the gap", async () => {
    for (const seq of each(9)) {
      const remove = () => run("DELETE FROM audit_entries WHERE seq = ?", seq);
      const code = seq === ENTRIES ? "entries_cut" : "entry_missing";
      expect(await foundAfter(remove)).toEqual({ code, seq });
      const broken = await foundAfter(() => {
        remove();
        run("UPDATE audit_entries SET seq = -(seq - 1) WHERE seq > ?", seq);
        run("UPDATE audit_entries SET seq = -seq WHERE seq < 0");
      });
      expect(broken, `entry ${seq} and the gap closed`).toMatchObject({ seq });
    }
  });

  test("[AUD-02] shows swapped, repeated and inserted entries", async () => {
    for (const seq of each(17)) {
      const other = ((seq * 31) % ENTRIES) + 1;
      if (other === seq) continue;
      const [low, high] = [Math.min(seq, other), Math.max(seq, other)];
      const swapped = await foundAfter(() => {
        run("UPDATE audit_entries SET seq = 0 WHERE seq = ?", low);
        run("UPDATE audit_entries SET seq = ? WHERE seq = ?", low, high);
        run("UPDATE audit_entries SET seq = ? WHERE seq = 0", high);
      });
      expect(swapped, `entries ${low} and ${high} swapped`).toEqual({ code: "entry_moved", seq: low });
      const makeRoom = () => {
        run("UPDATE audit_entries SET seq = -(seq + 1) WHERE seq > ?", seq);
        run("UPDATE audit_entries SET seq = -seq WHERE seq < 0");
      };
      const insert = (row: { readonly seq: number; readonly entry: string; readonly hash: string }) =>
        run("INSERT INTO audit_entries (seq, entry, hash) VALUES (?, ?, ?)", row.seq, row.entry, row.hash);
      const row = rows[seq - 1];
      if (row === undefined) continue;
      const repeated = await foundAfter(() => (makeRoom(), insert({ ...row, seq: seq + 1 })));
      expect(repeated, `entry ${seq} twice`).toEqual({ code: "entry_moved", seq: seq + 1 });
      const forged = must(rules.seal({ seq, hash: row.hash }, draftAt(5_000)));
      const inserted = await foundAfter(() => (makeRoom(), insert({ ...forged, entry: forged.text })));
      expect(inserted, `a sound entry put in behind ${seq}`).not.toBeNull();
    }
  });

  test("[AUD-02] shows an entry put in before the first", async () => {
    for (const seq of [0, -1, -1_000]) {
      const [row] = rows;
      const insert = () =>
        run("INSERT INTO audit_entries (seq, entry, hash) VALUES (?, ?, ?)", seq, row?.entry ?? "", row?.hash ?? "");
      expect(await foundAfter(insert)).toEqual({ code: "entry_moved", seq });
    }
  });

  test("[AUD-02] shows an entry that was replaced by a sound one: the next does not follow it", async () => {
    for (const seq of each(10)) {
      const before = rows[seq - 2] ?? rules.genesis;
      const forged = must(rules.seal({ seq: seq - 1, hash: before.hash }, draftAt(9_999)));
      const broken = await foundAfter(() =>
        run("UPDATE audit_entries SET entry = ?, hash = ? WHERE seq = ?", forged.text, forged.hash, seq),
      );
      expect(broken).toEqual(
        seq % CHECKPOINT_EVERY === 0
          ? { code: "checkpoint_differs", seq, checkpointId: `checkpoint-${seq - CHECKPOINT_EVERY}` }
          : { code: "previous_differs", seq: seq + 1 },
      );
    }
  });

  test("[AUD-04] shows every tail cut back to the last checkpoint, in full and behind the latest checkpoint", async () => {
    for (const seq of each(7)) {
      const cut = () => run("DELETE FROM audit_entries WHERE seq >= ?", seq);
      expect(await foundAfter(cut), `from ${seq}`).toEqual({ code: "entries_cut", seq });
    }
    db.exec("BEGIN");
    run("DELETE FROM audit_entries WHERE seq >= ?", ENTRIES - 5);
    expect(must(await reader.verify("latest"))).toMatchObject({ valid: false, broken: { code: "entries_cut" } });
    // Whoever also removes the checkpoint still has the heads beside the database against him.
    run("DELETE FROM audit_checkpoints WHERE seq = ?", ENTRIES);
    expect(must(await reader.verify("latest"))).toMatchObject({ valid: false, broken: { code: "entries_cut" } });
    expect(must(await reader.verify("genesis"))).toMatchObject({ valid: false, broken: { code: "entries_cut" } });
    db.exec("ROLLBACK");
  });

  test("[AUD-03] shows a checkpoint that was changed, moved or removed", async () => {
    for (let seq = CHECKPOINT_EVERY; seq <= ENTRIES; seq += CHECKPOINT_EVERY) {
      const checkpointId = `checkpoint-${seq - CHECKPOINT_EVERY}`;
      const changed = () => run("UPDATE audit_checkpoints SET hash = ? WHERE seq = ?", "0".repeat(64), seq);
      expect(await foundAfter(changed)).toEqual({ code: "checkpoint_differs", seq, checkpointId });
      expect(
        await foundAfter(() => run("UPDATE audit_checkpoints SET seq = seq - 1 WHERE seq = ?", seq)),
      ).not.toBeNull();
      expect(await foundAfter(() => run("DELETE FROM audit_checkpoints WHERE seq = ?", seq))).toEqual({
        code: "checkpoint_missing",
        seq,
        checkpointId,
      });
    }
    db.exec("BEGIN");
    run("UPDATE audit_checkpoints SET hash = ? WHERE seq = ?", "0".repeat(64), ENTRIES);
    expect(must(await reader.verify("latest"))).toMatchObject({ valid: false, broken: { code: "checkpoint_differs" } });
    db.exec("ROLLBACK");
  });

  test("[AUD-02] a chain rewritten whole from some entry on, checkpoints and all, is betrayed by the heads beside it", async () => {
    const from = 501;
    const broken = await foundAfter(() => {
      let head = { seq: from - 1, hash: rows[from - 2]?.hash ?? "" };
      run("DELETE FROM audit_checkpoints WHERE seq >= ?", from);
      for (let seq = from; seq <= ENTRIES; seq += 1) {
        const forged = must(rules.seal(head, draftAt(seq + 10_000)));
        run("UPDATE audit_entries SET entry = ?, hash = ? WHERE seq = ?", forged.text, forged.hash, seq);
        head = { seq, hash: forged.hash };
      }
    });
    expect(broken).toEqual({ code: "head_differs", seq: 600 });
  });

  test("[AUD-02] a changed byte in the heads shows; a last line that a crash cut off does not count", async () => {
    const path = join(dataDir, "audit-heads.jsonl");
    const text = readFileSync(path, "utf8");
    const verify = async () => must(await reader.verify("genesis"));
    for (let place = 0; place < text.length; place += 17) {
      writeFileSync(path, text.slice(0, place) + (text[place] === "1" ? "2" : "1") + text.slice(place + 1));
      expect((await verify()).valid, `byte ${place}`).toBe(false);
    }
    writeFileSync(path, text);
    appendFileSync(path, '{"at":"2026-11-15T08:0');
    expect((await verify()).valid).toBe(true);
    appendFileSync(path, "\n");
    expect(await verify()).toMatchObject({ valid: false, broken: { code: "heads_unreadable", line: 11 } });
    writeFileSync(path, text);
  });

  test("[AUD-05] behind a checkpoint no entry before it is read: a change there is left to the full check", async () => {
    db.exec("BEGIN");
    run("DELETE FROM audit_entries WHERE seq < ?", ENTRIES);
    expect(must(await reader.verify("latest"))).toMatchObject({ valid: true, entriesChecked: 0 });
    expect(must(await reader.verify("genesis"))).toMatchObject({
      valid: false,
      broken: { code: "entry_missing", seq: 1 },
    });
    db.exec("ROLLBACK");
  });
});

test("entries cannot be changed or removed by mistake", async () => {
  const dir = mkdtempSync(join(tmpdir(), "silas-tamper-"));
  const opened = must(
    await openRuntime({ dataDir: dir, clock: fixedClock, random: countingRandom(), auditRules: rules }),
  );
  must(await opened.audit.append(draftAt(1)));
  opened.close();
  const file = new DatabaseSync(join(dir, "silas.db"));
  expect(() => file.exec("UPDATE audit_entries SET hash = ''")).toThrow("never changed");
  expect(() => file.exec("DELETE FROM audit_entries")).toThrow("never removed");
  file.close();
  rmSync(dir, { recursive: true });
});
