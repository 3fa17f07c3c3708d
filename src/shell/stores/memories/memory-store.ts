import { err, LIMITS, ok, sha256Hex, type Result } from "#base";
import type {
  ForgottenMemory,
  KeptMemory,
  MemoryItem,
  MemoryPlace,
  MemoryQuery,
  MemoryRefusal,
  MemorySearch,
  PromotedMemory,
  StandingRules,
  UsedMemories,
} from "#model";
import type { MemoryStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { termsOf, setApart } from "../journal/search-words.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue, readable } from "../store-fault.ts";
import { changedDraft, forgottenDraft, promotedDraft, storedDraft } from "./drafts.ts";
import { MEMORIES_SQL, memoryOf, memoryParams, type MemoryRow } from "./rows.ts";

type MemoryStoreParts = { readonly db: Sqlite; readonly recordAct: RecordAct };

/** Memories on a migrated `silas.db`. Every change is one transaction with its audit entry and its place in the index. */
export function createMemoriesStore(parts: MemoryStoreParts): MemoryStore {
  const { db } = parts;
  return {
    store: async (kept) => guarded(() => db.transaction(() => store(parts, kept))),
    find: async (place) => guardedValue(() => find(db, place)),
    list: async (query) => guardedValue(() => list(db, query)),
    searchKeyword: async (search) => guardedValue(() => searchKeyword(db, search)),
    change: async (kept) => guarded(() => erasing(db, () => change(parts, kept))),
    touch: async (used) => guardedValue(() => touch(db, used)),
    promote: async (promoted) => guarded(() => db.transaction(() => ok(promote(parts, promoted)))),
    forget: async (forgotten) => guarded(() => erasing(db, () => ok(forget(parts, forgotten)))),
    keepRules: async (standing) => guarded(() => erasing(db, () => ok(keepRules(parts, standing)))),
  };
}

/** What leaves a row leaves the file too: its page is overwritten, and the log of changes is written out and emptied. */
function erasing<T, E>(db: Sqlite, work: () => Result<T, E>): Result<T, E> {
  db.run("PRAGMA secure_delete = ON");
  const done = db.transaction(work);
  if (done.ok) db.get("PRAGMA wal_checkpoint(TRUNCATE)");
  return done;
}

function find(db: Sqlite, { scopeId, memoryId }: MemoryPlace): MemoryItem | null {
  const row = db.get<MemoryRow>(`${MEMORIES_SQL} WHERE m.memory_id = :memoryId AND m.scope_id = :scopeId`, {
    memoryId,
    scopeId,
  });
  return row === null ? null : memoryOf(row);
}

/** Sorts behind every id. */
const BEHIND = "~";

function list(db: Sqlite, { scopeId, before, limit }: MemoryQuery): readonly MemoryItem[] {
  const rows = db.all<MemoryRow>(
    `${MEMORIES_SQL} WHERE m.scope_id = :scopeId AND m.memory_id < :before
     ORDER BY m.memory_id DESC LIMIT :limit`,
    { scopeId, before: before ?? BEHIND, limit: Math.min(limit, LIMITS.pageRows) },
  );
  return readable(rows, memoryOf);
}

function searchKeyword(db: Sqlite, { scopeId, text, limit, words }: MemorySearch): readonly MemoryItem[] {
  // Every term is quoted: what somebody types is never query syntax.
  const terms = termsOf(text).map((term) => `"${setApart(term).replaceAll('"', '""')}"`);
  if (terms.length === 0) return [];
  const best = db.all<{ seq: number }>(
    `SELECT m.seq FROM memory_search JOIN memory_items m ON m.seq = memory_search.rowid
     WHERE memory_search MATCH :match AND m.scope_id = :scopeId AND m.reingestion_tier = 'active'
     ORDER BY bm25(memory_search), m.memory_id DESC LIMIT :limit`,
    { match: terms.join(words === "all" ? " AND " : " OR "), scopeId, limit: Math.min(limit, LIMITS.searchRows) },
  );
  const places = new Map(best.map(({ seq }, place) => [seq, place]));
  const rows = db.all<MemoryRow & { readonly seq: number }>(
    `${MEMORIES_SQL} WHERE m.seq IN (SELECT value FROM json_each(:seqs))`,
    { seqs: JSON.stringify([...places.keys()]) },
  );
  const inOrder = rows.toSorted((a, b) => (places.get(a.seq) ?? 0) - (places.get(b.seq) ?? 0));
  return readable(inOrder, memoryOf);
}

function store({ db, recordAct }: MemoryStoreParts, kept: KeptMemory): Result<MemoryItem, MemoryRefusal> {
  const refusal = taken(db, kept.item);
  if (refusal !== null) return err(refusal);
  insert(db, kept.item);
  recordAct(storedDraft(kept));
  return ok(kept.item);
}

/** Why these words cannot be kept under this id; a memory of its own is no hindrance to itself. */
function taken(db: Sqlite, { memoryId, scopeId, content }: MemoryItem): MemoryRefusal | null {
  const same = db.get<{ memory_id: string }>(
    `SELECT memory_id FROM memory_items WHERE memory_id <> :memoryId AND scope_id = :scopeId
     AND content_digest = :digest AND reingestion_tier = 'active' ORDER BY memory_id DESC LIMIT 1`,
    { memoryId, scopeId, digest: sha256Hex(content) },
  );
  return same === null ? null : { code: "memory_duplicate", memoryId: same.memory_id };
}

function insert(db: Sqlite, item: MemoryItem): void {
  const params = memoryParams(item);
  const columns = Object.keys(params);
  const { seq } = db.get<{ seq: number }>("SELECT coalesce(max(seq), 0) + 1 AS seq FROM memory_items") ?? { seq: 1 };
  db.run(
    `INSERT INTO memory_items (seq, ${columns.join(", ")}) VALUES (:seq, ${columns.map((name) => `:${name}`).join(", ")})`,
    { ...params, seq },
  );
  addToIndex(db, { seq, item });
}

type Indexed = { readonly seq: number; readonly item: MemoryItem };

function addToIndex(db: Sqlite, { seq, item }: Indexed): void {
  db.run("INSERT INTO memory_search (rowid, content, semantic_tags) VALUES (:seq, :content, :tags)", {
    seq,
    content: setApart(item.content),
    tags: setApart(item.semanticTags.join(" ")),
  });
}

const seqOf = (db: Sqlite, memoryId: string): number | null =>
  db.get<{ seq: number }>("SELECT seq FROM memory_items WHERE memory_id = :memoryId", { memoryId })?.seq ?? null;

function change({ db, recordAct }: MemoryStoreParts, kept: KeptMemory): Result<MemoryItem, MemoryRefusal> {
  const { item } = kept;
  const { memoryId, scopeId } = item;
  const seq = seqOf(db, memoryId);
  if (seq === null || find(db, { scopeId, memoryId }) === null) return err({ code: "memory_unknown", memoryId });
  const refusal = taken(db, item);
  if (refusal !== null) return err(refusal);
  const params = memoryParams(item);
  const columns = Object.keys(params).filter((name) => name !== "memory_id");
  db.run(
    `UPDATE memory_items SET ${columns.map((name) => `${name} = :${name}`).join(", ")} WHERE memory_id = :memory_id`,
    params,
  );
  db.run("DELETE FROM memory_search WHERE rowid = :seq", { seq });
  addToIndex(db, { seq, item });
  recordAct(changedDraft(kept));
  return ok(item);
}

function touch(db: Sqlite, { scopeId, memoryIds, at }: UsedMemories): void {
  db.run(
    `UPDATE memory_items SET access_count = access_count + 1, last_accessed = :at
     WHERE scope_id = :scopeId AND memory_id IN (SELECT value FROM json_each(:ids))`,
    { scopeId, at, ids: JSON.stringify(memoryIds) },
  );
}

function promote({ db, recordAct }: MemoryStoreParts, promoted: PromotedMemory): void {
  const { requestId, memoryId, at, itemDigest } = promoted;
  const before = db.get("SELECT 1 FROM memory_promotions WHERE request_id = :requestId", { requestId });
  if (before !== null) return;
  db.run("INSERT INTO memory_promotions (request_id, memory_id, at) VALUES (:requestId, :memoryId, :at)", {
    requestId,
    memoryId,
    at,
  });
  const item = find(db, promoted);
  // Exactly the words that were shown; others were not signed.
  if (item === null || item.trustLevel !== "working" || sha256Hex(item.content) !== itemDigest) return;
  recordAct(promotedDraft(promoted));
}

function forget({ db, recordAct }: MemoryStoreParts, forgotten: ForgottenMemory): boolean {
  const { memoryId, scopeId } = forgotten;
  const gone = remove(db, { memoryId, scopeId });
  if (gone) recordAct(forgottenDraft(forgotten));
  return gone;
}

function remove(db: Sqlite, { memoryId, scopeId }: MemoryPlace): boolean {
  const row = db.get<{ seq: number }>(
    "SELECT seq FROM memory_items WHERE memory_id = :memoryId AND scope_id = :scopeId",
    { memoryId, scopeId },
  );
  if (row === null) return false;
  db.run("DELETE FROM memory_search WHERE rowid = :seq", { seq: row.seq });
  db.run("DELETE FROM memory_items WHERE seq = :seq", { seq: row.seq });
  return true;
}

function keepRules({ db, recordAct }: MemoryStoreParts, { rules, scopeId, at }: StandingRules): void {
  const there = db.all<MemoryRow>(
    `${MEMORIES_SQL} WHERE m.scope_id = :scopeId AND (m.trust_level = 'constitutional' OR m.memory_id LIKE 'rule-%')`,
    { scopeId },
  );
  const wanted = new Set(rules.map(({ item }) => item.memoryId));
  // A row that is no rule any more, whatever became of it, is one of those that go.
  const stays = new Set(readable(there, memoryOf).flatMap(({ memoryId }) => (wanted.has(memoryId) ? [memoryId] : [])));
  for (const { memory_id: memoryId } of there) {
    if (stays.has(memoryId as MemoryItem["memoryId"])) continue;
    remove(db, { memoryId: String(memoryId), scopeId });
    recordAct(forgottenDraft({ memoryId: String(memoryId), at, actor: { kind: "system" } }));
  }
  for (const kept of rules) {
    if (stays.has(kept.item.memoryId)) continue;
    insert(db, kept.item);
    recordAct(storedDraft(kept));
  }
}
