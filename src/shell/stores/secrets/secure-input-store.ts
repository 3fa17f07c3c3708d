import { err, LIMITS, ok, type Instant, type Result } from "#base";
import type { ActBy, AskedSecret, AuditDraft, SecretRef, SecureInputRefusal, SecureInputRequest } from "#model";
import type { SecureInputStore } from "#ports";
import { actorOf } from "../approvals/rows.ts";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue, readable } from "../store-fault.ts";

type Parts = { readonly db: Sqlite; readonly recordAct: RecordAct };

/** What is asked for, on a migrated `silas.db`. Every change is one transaction with its audit entry. */
export function createSecureInputStore(parts: Parts): SecureInputStore {
  const { db, recordAct } = parts;
  return {
    ask: async (request) => guarded(() => db.transaction(() => ask(parts, request))),
    list: async (at) => guardedValue(() => list(db, at)),
    find: async (ref, at) => guarded(() => stillAsked(list(db, at), ref)),
    fulfil: async (ref, by) => guarded(() => db.transaction(() => fulfil(parts, { ref, by }))),
    remove: async (ref, by) =>
      guarded(() =>
        db.transaction(() => {
          db.run("DELETE FROM secure_inputs WHERE ref_id = :ref", { ref });
          recordAct(secretDraft("secret_removed", { ref, ...by }));
          return ok();
        }),
      ),
  };
}

type Row = {
  readonly ref_id: string;
  readonly label: string;
  readonly input_hint: string | null;
  readonly instructions: string;
  readonly help_url: string | null;
  readonly host: string | null;
  readonly requested_by: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly fulfilled_at: string | null;
};

function list(db: Sqlite, at: Instant): readonly SecureInputRequest[] {
  const rows = db.all<Row>("SELECT * FROM secure_inputs ORDER BY created_at, ref_id");
  return readable(rows, (row) => requestOf(row, at));
}

function ask({ db, recordAct }: Parts, request: SecureInputRequest): Result<AskedSecret, SecureInputRefusal> {
  const all = list(db, request.createdAt);
  const waiting = all.filter(({ state }) => state === "pending");
  const same = waiting.find(({ refId }) => refId === request.refId);
  if (same !== undefined) return ok({ request: same, isNew: false });
  if (waiting.length >= LIMITS.secretsAsked) return err({ code: "too_many_asked", max: LIMITS.secretsAsked });
  db.run(
    `INSERT OR REPLACE INTO secure_inputs
       (ref_id, label, input_hint, instructions, help_url, host, requested_by, created_at, expires_at, fulfilled_at)
     VALUES
       (:ref_id, :label, :input_hint, :instructions, :help_url, :host, :requested_by, :created_at, :expires_at,
        :fulfilled_at)`,
    paramsOf(request),
  );
  recordAct(secretDraft("secret_asked", { ref: request.refId, at: request.createdAt, actor: request.requestedBy }));
  return ok({ request, isNew: true });
}

type Fulfilment = { readonly ref: SecretRef; readonly by: ActBy };

function fulfil({ db, recordAct }: Parts, { ref, by }: Fulfilment): Result<void, SecureInputRefusal> {
  const open = stillAsked(list(db, by.at), ref);
  if (!open.ok) return open;
  db.run("UPDATE secure_inputs SET fulfilled_at = :at WHERE ref_id = :ref", { ref, at: by.at });
  recordAct(secretDraft("secret_stored", { ref, ...by }));
  return ok();
}

/** The request that waits for this secret, or why none does. */
function stillAsked(
  requests: readonly SecureInputRequest[],
  ref: SecretRef,
): Result<SecureInputRequest, SecureInputRefusal> {
  const request = requests.find(({ refId }) => refId === ref);
  if (request?.state === "fulfilled") return err({ code: "secret_fulfilled", refId: ref });
  return request?.state === "pending" ? ok(request) : err({ code: "secret_not_asked", refId: ref });
}

type SecretEvent = "secret_asked" | "secret_stored" | "secret_removed";

/** What is recorded about a secret: its name. */
const secretDraft = (event: SecretEvent, { ref, at, actor }: ActBy & { ref: SecretRef }): AuditDraft => ({
  event,
  data: { ref_id: ref },
  at,
  actor,
});

const requestOf = (row: Row, at: Instant): SecureInputRequest => ({
  refId: row.ref_id as SecretRef,
  label: row.label,
  inputHint: row.input_hint,
  guidance: { instructions: row.instructions, helpUrl: row.help_url },
  host: row.host,
  createdAt: row.created_at as Instant,
  expiresAt: row.expires_at as Instant,
  state: row.fulfilled_at !== null ? "fulfilled" : row.expires_at > at ? "pending" : "expired",
  requestedBy: actorOf(row.requested_by),
});

const paramsOf = (request: SecureInputRequest): Row => ({
  ref_id: request.refId,
  label: request.label,
  input_hint: request.inputHint,
  instructions: request.guidance.instructions,
  help_url: request.guidance.helpUrl,
  host: request.host,
  requested_by: JSON.stringify(request.requestedBy),
  created_at: request.createdAt,
  expires_at: request.expiresAt,
  fulfilled_at: null,
});
