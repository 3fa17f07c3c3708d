import { err, ok, type Instant, type Result } from "#base";
import {
  ownerKeyFromWire,
  ownerKeyToWire,
  type AuditActor,
  type AuditDraft,
  type KeyError,
  type KeyId,
  type OwnerKey,
  type OwnerKeyBody,
} from "#model";
import type { KeyRecord, KeyRegistry, KeyRevocation, RecordedUse } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue } from "../store-fault.ts";

/** The owner's keys on a migrated `silas.db`. Each change and use is in the audit chain by the same commit. */
export function createKeyRegistry(db: Sqlite, recordAct: RecordAct): KeyRegistry {
  return {
    add: async (key, actor) => guarded(() => db.transaction(() => add(db, { key, actor, recordAct }))),
    find: async (keyId) => guardedValue(() => find(db, keyId)),
    onRecord: async (key) => guardedValue(() => onRecord(db, key)),
    list: async () =>
      guardedValue(() =>
        db.all<OwnerKeyBody>("SELECT * FROM owner_keys ORDER BY enrolled_at, key_id").map(ownerKeyFromWire),
      ),
    recordUse: async (keyId, use) => guarded(() => db.transaction(() => recordUse(db, { keyId, use, recordAct }))),
    revoke: async (revocation) => guarded(() => db.transaction(() => revoke(db, { revocation, recordAct }))),
  };
}

function find(db: Sqlite, keyId: string): OwnerKey | null {
  const row = db.get<OwnerKeyBody>("SELECT * FROM owner_keys WHERE key_id = :keyId", { keyId });
  return row === null ? null : ownerKeyFromWire(row);
}

/** A key is enrolled for one session or for none; the row says the same, or is not the key that was enrolled. */
function onRecord(db: Sqlite, { keyId, sessionId }: OwnerKey): KeyRecord {
  const told = db.all<{ readonly event: string; readonly session_id: string | null }>(
    `SELECT event, json_extract(entry, '$.data.session_id') AS session_id FROM audit_entries
     WHERE subject_kind = 'key' AND subject_id = :keyId ORDER BY seq`,
    { keyId },
  );
  const [enrolled, ...later] = told;
  if (enrolled?.event !== "key_enrolled" || enrolled.session_id !== sessionId) return "unknown";
  return later.some(({ event }) => event === "key_revoked") ? "revoked" : "enrolled";
}

/** The state of a key by its row and the chain together: an edited row brings no revoked key back. */
export function keyStanding(db: Sqlite, keyId: string): KeyRecord {
  const key = find(db, keyId);
  if (key === null) return "unknown";
  return key.revokedAt === null ? onRecord(db, key) : "revoked";
}

type Adding = { readonly key: OwnerKey; readonly actor: AuditActor; readonly recordAct: RecordAct };

/** A browser key needs its session, asked in the same transaction: a device that was just signed out gets no key. */
function add(db: Sqlite, { key, actor, recordAct }: Adding): Result<void, KeyError> {
  const { sessionId, enrolledAt: at } = key;
  if (sessionId !== null) {
    const signedIn = db.get("SELECT 1 FROM sessions WHERE session_id = :sessionId AND revoked_at IS NULL", {
      sessionId,
    });
    if (signedIn === null) return err({ code: "device_signed_out", sessionId });
    revokeKeyOfSession(db, { sessionId, at, actor, recordAct });
  }
  db.run(
    `INSERT INTO owner_keys (key_id, public_key, name, kind, session_id, enrolled_at, revoked_at, last_used_at)
     VALUES (:key_id, :public_key, :name, :kind, :session_id, :enrolled_at, :revoked_at, :last_used_at)`,
    ownerKeyToWire(key),
  );
  recordAct(enrolledDraft(key, actor));
  return ok();
}

type SessionEnd = {
  readonly sessionId: string;
  readonly at: Instant;
  readonly actor: AuditActor;
  readonly recordAct: RecordAct;
};

/** Inside the transaction that ends the session or gives it another key. */
export function revokeKeyOfSession(db: Sqlite, { sessionId, at, actor, recordAct }: SessionEnd): void {
  const row = db.get<OwnerKeyBody>("SELECT * FROM owner_keys WHERE session_id = :sessionId AND revoked_at IS NULL", {
    sessionId,
  });
  if (row === null) return;
  const key = ownerKeyFromWire(row);
  db.run("UPDATE owner_keys SET revoked_at = :at WHERE key_id = :keyId", { keyId: key.keyId, at });
  recordAct(revokedDraft(key, { at, actor }));
}

type Use = { readonly keyId: KeyId; readonly use: RecordedUse; readonly recordAct: RecordAct };

function recordUse(db: Sqlite, { keyId, use, recordAct }: Use): Result<void, KeyError> {
  const key = find(db, keyId);
  if (key === null) return err({ code: "key_unknown", keyId });
  if (key.revokedAt !== null) return err({ code: "key_revoked", keyId });
  // A clock that jumped back never makes a key look used earlier than it was.
  db.run("UPDATE owner_keys SET last_used_at = max(coalesce(last_used_at, :at), :at) WHERE key_id = :keyId", {
    keyId,
    at: use.at,
  });
  recordAct(usedDraft(keyId, use));
  return ok();
}

type Revoking = { readonly revocation: KeyRevocation; readonly recordAct: RecordAct };

/** In one transaction with the count, so that two revocations at once cannot leave nobody. */
function revoke(db: Sqlite, { revocation, recordAct }: Revoking): Result<OwnerKey, KeyError> {
  const { keyId, at, lastKey } = revocation;
  const key = find(db, keyId);
  if (key === null) return err({ code: "key_unknown", keyId });
  if (key.revokedAt !== null) return ok(key);
  const others = db.get<{ readonly count: number }>(
    "SELECT count(*) AS count FROM owner_keys WHERE revoked_at IS NULL AND key_id <> :keyId",
    { keyId },
  );
  if (lastKey === "refuse" && (others?.count ?? 0) === 0) return err({ code: "last_key", keyId });
  db.run("UPDATE owner_keys SET revoked_at = :at WHERE key_id = :keyId", { keyId, at });
  recordAct(revokedDraft(key, revocation));
  return ok({ ...key, revokedAt: at });
}

export const enrolledDraft = ({ keyId, name, sessionId, enrolledAt }: OwnerKey, actor: AuditActor): AuditDraft => ({
  event: "key_enrolled",
  data: { key_id: keyId, key_name: name, ...(sessionId === null ? {} : { session_id: sessionId }) },
  at: enrolledAt,
  actor,
});

export const usedDraft = (keyId: KeyId, { purpose, at, actor }: RecordedUse): AuditDraft => ({
  event: "key_used",
  data: { key_id: keyId, purpose },
  at,
  actor,
});

export const revokedDraft = (
  { keyId, name }: OwnerKey,
  { at, actor }: Pick<KeyRevocation, "at" | "actor">,
): AuditDraft => ({
  event: "key_revoked",
  data: { key_id: keyId, key_name: name },
  at,
  actor,
});
