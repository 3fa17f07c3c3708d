import { isDeepStrictEqual } from "node:util";
import { assert, err, ok } from "#base";
import type { ApprovalStore, ConnectionStore, KeptConnection, WideningOutcome } from "#ports";
import type { RecordAct } from "../audit/log.ts";

type Parts = { readonly recordAct: RecordAct; readonly approvals: Pick<ApprovalStore, "list"> };

/** The in-memory twin of the connection store: the same behaviour in the plainest code. */
export function createMemoryConnectionStore({ recordAct, approvals }: Parts): ConnectionStore {
  const kept = new Map<string, KeptConnection>();
  const begun = new Map<string, WideningOutcome | null>();
  const save = (connection: KeptConnection): void => {
    const { connectionId } = connection.record;
    const before = kept.get(connectionId) ?? null;
    kept.set(connectionId, withFirst(connection, before));
  };
  return {
    list: async () => ok([...kept.keys()].toSorted().flatMap((id) => kept.get(id) ?? [])),
    find: async (id) => ok(kept.get(id) ?? null),
    keep: async (connection, draft) => {
      save(connection);
      if (draft !== null) recordAct(draft);
      return ok();
    },
    replace: async ({ before, after, draft }) => {
      if (!isDeepStrictEqual(kept.get(before.record.connectionId), before)) return ok(false);
      save(after);
      if (draft !== null) recordAct(draft);
      return ok(true);
    },
    unsettled: async () => {
      const listed = await approvals.list(["approved"]);
      if (!listed.ok) return err(listed.error);
      return ok(listed.value.filter(({ kind, requestId }) => KINDS.has(kind) && !begun.has(requestId)));
    },
    begin: async (requestId, connection, draft) => {
      if (begun.has(requestId) || !kept.has(connection.record.connectionId)) return ok(false);
      begun.set(requestId, null);
      save(connection);
      recordAct(draft);
      return ok(true);
    },
    widened: async ({ requestId, outcome, connection, draft }) => {
      assert(begun.get(requestId) === null, "PERM-07 a wider sign-in ends once");
      begun.set(requestId, outcome);
      save(connection);
      recordAct(draft);
      return ok();
    },
    outcomeOf: async (requestId) => ok(begun.get(requestId) ?? null),
    remove: async (id, draft) => {
      if (!kept.delete(id)) return ok(false);
      recordAct(draft);
      return ok(true);
    },
  };
}

const KINDS: ReadonlySet<string> = new Set(["connection_setup", "permission_escalation"]);

/** What was there at the first registration stays. [CONN-04] */
export function withFirst(connection: KeptConnection, before: KeptConnection | null): KeptConnection {
  if (before === null || before.registeredAt === null) return connection;
  const { registeredAt, record } = before;
  return {
    ...connection,
    registeredAt,
    record: { ...connection.record, initialPermissions: record.initialPermissions },
  };
}
