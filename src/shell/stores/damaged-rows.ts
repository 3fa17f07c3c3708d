import { readMessage, type QueueText } from "#engine";
import { requestOf } from "./approvals/rows.ts";
import { nextOf } from "./batches/batch-store.ts";
import { cycleOf } from "./goals/goal-store.ts";
import { MEMORIES_SQL, memoryOf, type MemoryRow } from "./memories/rows.ts";
import { messageOf, type MessageRow } from "./messages/message-store.ts";
import { unlessDamaged, whole } from "./store-fault.ts";
import { suggestionOf } from "./suggestions/suggestion-store.ts";
import { entryOf, runOf } from "./work/rows.ts";
import { settlementOf } from "./work/settlements.ts";

/** A row that holds no such thing as its table keeps: lists go on without it, so it is named here. */
export type DamagedRow = { readonly table: string; readonly id: string };

type Row = Readonly<Record<string, string>>;
type Table = {
  readonly table: string;
  /** Without an order, so that nothing of it is sorted. */
  readonly sql: string;
  readonly read: (row: never) => unknown;
};

const TABLES: readonly Table[] = [
  { table: "pending_decisions", sql: "SELECT request_id AS id, * FROM pending_decisions", read: requestOf },
  { table: "work_runs", sql: "SELECT run_id AS id, record FROM work_runs", read: runOf },
  { table: "suggestions", sql: "SELECT suggestion_id AS id, state, suggestion FROM suggestions", read: suggestionOf },
  { table: "work_ledger", sql: "SELECT execution_id AS id, entry FROM work_ledger", read: entryOf },
  { table: "run_settlements", sql: "SELECT run_id AS id, record FROM run_settlements", read: settlementOf },
  { table: "goal_cycles", sql: "SELECT goal_id || ' ' || number AS id, record FROM goal_cycles", read: cycleOf },
  {
    table: "queue",
    sql: "SELECT message_id AS id, kind, message FROM queue",
    read: (row: QueueText) => whole(readMessage(row), "BUS-01 a stored message is whole"),
  },
  {
    table: "batch_series",
    sql: "SELECT series_id || ' ' || position AS id, series_id, position, payload FROM batch_series",
    read: nextOf,
  },
  {
    table: "memory_items",
    sql: `SELECT memory_id AS id, * FROM (${MEMORIES_SQL})`,
    read: ({ id: _id, ...row }: MemoryRow) => memoryOf(row),
  },
  {
    table: "messages",
    sql: `SELECT message_id AS id, *, NULL AS token_id, NULL AS endorsed_at, NULL AS told_taint, NULL AS told_token_id
      FROM messages`,
    read: ({ id: _id, ...row }: MessageRow) => messageOf(row),
  },
];

/** All of them, one row in memory at a time. */
export function findDamagedRows(rowsOf: (sql: string) => Iterable<unknown>): readonly DamagedRow[] {
  const found: DamagedRow[] = [];
  for (const { table, sql, read } of TABLES) {
    for (const row of rowsOf(sql)) {
      if (unlessDamaged(() => read(row as never)) === null) found.push({ table, id: (row as Row)["id"] ?? "" });
    }
  }
  return found;
}
