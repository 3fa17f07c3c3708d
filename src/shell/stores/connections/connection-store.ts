import { isDeepStrictEqual } from "node:util";
import { ok } from "#base";
import { connectionRecordToWire, keptConnectionSchema, type AuditDraft } from "#model";
import type { ConnectionStore, EndedWidening, KeptConnection, WideningOutcome } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue, readable, whole } from "../store-fault.ts";

type ConnectionStoreParts = { readonly db: Sqlite; readonly recordAct: RecordAct };

/** Connections on a migrated `silas.db`. Every change is one transaction with its audit entry. */
export function createConnectionStore({ db, recordAct }: ConnectionStoreParts): ConnectionStore {
  const record = (draft: AuditDraft | null): void => {
    if (draft !== null) recordAct(draft);
  };
  return {
    list: async () =>
      guardedValue(() => readable(db.all<ConnectionRow>(`${SELECT} ORDER BY connection_id`), connectionOf)),
    find: async (id) => guardedValue(() => find(db, id)),
    keep: async (connection, draft) =>
      guarded(() =>
        db.transaction(() => {
          save(db, connection);
          record(draft);
          return ok(undefined);
        }),
      ),
    replace: async ({ before, after, draft }) =>
      guarded(() =>
        db.transaction(() => {
          if (!isDeepStrictEqual(find(db, before.record.connectionId), before)) return ok(false);
          save(db, after);
          record(draft);
          return ok(true);
        }),
      ),
    begin: async (requestId, connection, draft) =>
      guarded(() =>
        db.transaction(() => {
          const { connectionId } = connection.record;
          if (find(db, connectionId) === null) return ok(false);
          if (db.run(BEGIN, { requestId, connectionId }) === 0) return ok(false);
          save(db, connection);
          record(draft);
          return ok(true);
        }),
      ),
    widened: async (ended) => guarded(() => db.transaction(() => keepEnded({ db, recordAct }, ended))),
    outcomeOf: async (requestId) =>
      guardedValue(() => {
        const row = db.get<OutcomeRow>("SELECT outcome FROM connection_setups WHERE request_id = :requestId", {
          requestId,
        });
        return row?.outcome ?? null;
      }),
    remove: async (id, draft) =>
      guarded(() =>
        db.transaction(() => {
          if (find(db, id) === null) return ok(false);
          db.run("DELETE FROM connections WHERE connection_id = :id", { id });
          record(draft);
          return ok(true);
        }),
      ),
  };
}

function keepEnded({ db, recordAct }: ConnectionStoreParts, { requestId, outcome, connection, draft }: EndedWidening) {
  const kept = db.run(
    "UPDATE connection_setups SET outcome = :outcome WHERE request_id = :requestId AND outcome IS NULL",
    { requestId, outcome },
  );
  whole(kept === 1 ? true : undefined, "PERM-07 a wider sign-in ends once");
  save(db, connection);
  recordAct(draft);
  return ok(undefined);
}

/** One decision begins one setup. */
const BEGIN = `INSERT INTO connection_setups (request_id, connection_id) VALUES (:requestId, :connectionId)
  ON CONFLICT (request_id) DO NOTHING`;
const SELECT = "SELECT connection FROM connections";

type OutcomeRow = { readonly outcome: WideningOutcome | null };
type ConnectionRow = { readonly connection: string };

function connectionOf({ connection }: ConnectionRow): KeptConnection {
  return whole(keptConnectionSchema.safeParse(JSON.parse(connection)).data, "CONN-02 a kept connection is whole");
}

function find(db: Sqlite, id: string): KeptConnection | null {
  const row = db.get<ConnectionRow>(`${SELECT} WHERE connection_id = :id`, { id });
  return row === null ? null : connectionOf(row);
}

function save(db: Sqlite, given: KeptConnection): void {
  const { connectionId } = given.record;
  const kept = withFirst(given, find(db, connectionId));
  const wire = JSON.stringify({ ...kept, record: connectionRecordToWire(kept.record) });
  whole(keptConnectionSchema.safeParse(JSON.parse(wire)).data, "CONN-02 a connection is whole before it is kept");
  db.run(
    `INSERT INTO connections (connection_id, connection) VALUES (:connectionId, :wire)
     ON CONFLICT (connection_id) DO UPDATE SET connection = excluded.connection`,
    { connectionId, wire },
  );
}

/** What was there at the first registration stays. [CONN-04] */
function withFirst(connection: KeptConnection, before: KeptConnection | null): KeptConnection {
  if (before === null || before.registeredAt === null) return connection;
  const { registeredAt, record } = before;
  return {
    ...connection,
    registeredAt,
    record: { ...connection.record, initialPermissions: record.initialPermissions },
  };
}
