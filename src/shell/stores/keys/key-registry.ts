import { err, LIMITS, ok, type Instant, type Result } from "#base";
import {
  enrolmentStatement,
  ownerKeyFromWire,
  ownerKeyToWire,
  type AuditActor,
  type AuditRules,
  type EnrolledKey,
  type KeyError,
  type KeyId,
  type OwnerKey,
  type OwnerKeyBody,
  type SignatureHex,
  type AuditDraft,
} from "#model";
import type {
  CountersignedKey,
  Countersigning,
  KeyEnrolling,
  KeyRecord,
  KeyRegistry,
  KeyRevocation,
  RecordedUse,
} from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue } from "../store-fault.ts";

type KeyRegistryParts = {
  readonly db: Sqlite;
  readonly recordAct: RecordAct;
  readonly rules: Pick<AuditRules, "isVouchedFor">;
};

/** The owner's keys on a migrated `silas.db`. Each change and use is in the audit chain by the same commit. */
export function createKeyRegistry({ db, recordAct, rules }: KeyRegistryParts): KeyRegistry {
  let rootKeyId: KeyId | null = null;
  let vaultKeyId: KeyId | null = null;
  // The first signed enrolment stays the first: the chain only grows.
  const root = (): KeyId | null => (rootKeyId ??= findRoot(db));
  const vouched = new Set<string>();
  /** A key that was once vouched for stays so while its row and its signature stay: each check costs no cryptography. */
  const isVouchedFor = (enrolled: EnrolledKey): boolean => {
    const { key, signed } = enrolled;
    const remembered = `${signed?.seq} ${signed?.signature} ${enrolmentStatement(key)}`;
    if (vouched.has(remembered)) return true;
    const facts = { rootKeyId: root(), vaultKeyId, find: (keyId: KeyId) => findEnrolled(db, keyId) };
    if (!rules.isVouchedFor(enrolled, facts)) return false;
    if (vouched.size >= LIMITS.vouchedKeys) vouched.clear();
    vouched.add(remembered);
    return true;
  };
  return {
    add: async (key, by) => guarded(() => db.transaction(() => add(db, { key, by, recordAct }))),
    countersign: async (keys, by) => guarded(() => db.transaction(() => countersign(db, { keys, by, recordAct }))),
    root: async () => guardedValue(root),
    trustVaultKey: (keyId) => void (vaultKeyId = keyId),
    find: async (keyId) => guardedValue(() => find(db, keyId)),
    onRecord: async (key) =>
      guardedValue(() => {
        const { standing, enrolled } = onRecord(db, key);
        return standing === "enrolled" && !isVouchedFor(enrolled) ? "unknown" : standing;
      }),
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

/** With `min`, SQLite reads the row of the smallest number without sorting. */
function findRoot(db: Sqlite): KeyId | null {
  const first = db.get<{ readonly key_id: string | null }>(
    `SELECT subject_id AS key_id, min(seq) FROM audit_entries
     WHERE subject_kind = 'key' AND event = 'key_enrolled' AND json_extract(entry, '$.data.signature') IS NOT NULL`,
  );
  return (first?.key_id ?? null) as KeyId | null;
}

type KeyEntry = {
  readonly seq: number;
  readonly event: string;
  readonly session_id: string | null;
  readonly signed_by: string | null;
  readonly signature: string | null;
};

/** A key is enrolled for one session or for none; the row says the same, or is not the key that was enrolled. */
function onRecord(db: Sqlite, key: OwnerKey): { readonly standing: KeyRecord; readonly enrolled: EnrolledKey } {
  const entries = db.all<KeyEntry>(
    `SELECT seq, event, json_extract(entry, '$.data.session_id') AS session_id,
       json_extract(entry, '$.data.signed_by') AS signed_by, json_extract(entry, '$.data.signature') AS signature
     FROM audit_entries WHERE subject_kind = 'key' AND subject_id = :keyId ORDER BY seq`,
    { keyId: key.keyId },
  );
  const revokedSeq = entries.find(({ event }) => event === "key_revoked")?.seq ?? null;
  const signed = entries.find(({ event, signature }) => event === "key_enrolled" && signature !== null);
  const enrolled: EnrolledKey = { key, revokedSeq, signed: signed === undefined ? null : signatureOf(signed) };
  return { standing: standingOf(entries, key.sessionId), enrolled };
}

function standingOf(entries: readonly Pick<KeyEntry, "event" | "session_id">[], sessionId: string | null): KeyRecord {
  const [first] = entries;
  if (first?.event !== "key_enrolled" || first.session_id !== sessionId) return "unknown";
  return entries.some(({ event }) => event === "key_revoked") ? "revoked" : "enrolled";
}

const signatureOf = ({ seq, signed_by: signedBy, signature }: KeyEntry): EnrolledKey["signed"] => ({
  seq,
  keyId: (signedBy ?? "") as KeyId,
  signature: (signature ?? "") as SignatureHex,
});

function findEnrolled(db: Sqlite, keyId: KeyId): EnrolledKey | null {
  const key = find(db, keyId);
  return key === null ? null : onRecord(db, key).enrolled;
}

/**
 * The state of a key by its row and the chain together: an edited row brings no revoked key back. For a signature that was
 * checked before: a key that nobody vouched for did not get that far.
 */
export function keyStanding(db: Sqlite, keyId: string): KeyRecord {
  // A key that the chain tells nothing of comes with no event.
  const entries = db.all<StandingRow>(
    `SELECT k.revoked_at, k.session_id AS row_session_id, e.event, json_extract(e.entry, '$.data.session_id') AS session_id
     FROM owner_keys k LEFT JOIN audit_entries e ON e.subject_kind = 'key' AND e.subject_id = k.key_id
     WHERE k.key_id = :keyId ORDER BY e.seq`,
    { keyId },
  );
  const [row] = entries;
  if (row === undefined) return "unknown";
  return row.revoked_at === null ? standingOf(entries, row.row_session_id) : "revoked";
}
type StandingRow = Pick<KeyEntry, "event" | "session_id"> &
  Pick<OwnerKeyBody, "revoked_at"> & { readonly row_session_id: string | null };

type Adding = { readonly key: OwnerKey; readonly by: KeyEnrolling; readonly recordAct: RecordAct };

/** A browser key needs its session, asked in the same transaction: a device that was just signed out gets no key. */
function add(db: Sqlite, { key, by, recordAct }: Adding): Result<void, KeyError> {
  const { sessionId, enrolledAt: at } = key;
  if (sessionId !== null) {
    const signedIn = db.get("SELECT 1 FROM sessions WHERE session_id = :sessionId AND revoked_at IS NULL", {
      sessionId,
    });
    if (signedIn === null) return err({ code: "device_signed_out", sessionId });
    revokeKeyOfSession(db, { sessionId, at, actor: by.actor, recordAct });
  }
  db.run(
    `INSERT INTO owner_keys (key_id, public_key, name, kind, session_id, enrolled_at, revoked_at, last_used_at)
     VALUES (:key_id, :public_key, :name, :kind, :session_id, :enrolled_at, :revoked_at, :last_used_at)`,
    ownerKeyToWire(key),
  );
  recordAct(enrolledDraft(key, by));
  return ok();
}

type Countersign = {
  readonly keys: readonly CountersignedKey[];
  readonly by: Countersigning;
  readonly recordAct: RecordAct;
};

/** A row that the chain does not know is not made to count by this, least of all that of the signer. */
function countersign(db: Sqlite, { keys, by, recordAct }: Countersign): Result<void, KeyError> {
  for (const { key, signed } of keys) {
    const { standing } = onRecord(db, key);
    if (standing === "enrolled") recordAct(countersignedDraft(key, { ...by, signed }));
    else if (key.keyId === signed.keyId) return err({ code: "signer_not_enrolled", keyId: key.keyId });
  }
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

/** The entries of the audit chain about the owner's keys. */

const enrolledDraft = (key: OwnerKey, { actor, signed }: KeyEnrolling): AuditDraft => ({
  event: "key_enrolled",
  data: { ...enrolmentOf(key), signed_by: signed.keyId, signature: signed.signature },
  at: key.enrolledAt,
  actor,
});

const countersignedDraft = (
  key: OwnerKey,
  { at, actor, signed }: Countersigning & Pick<KeyEnrolling, "signed">,
): AuditDraft => ({
  event: "key_enrolled",
  data: { ...enrolmentOf(key), signed_by: signed.keyId, signature: signed.signature, countersigned: true },
  at,
  actor,
});

const enrolmentOf = ({ keyId, name, sessionId }: OwnerKey) => ({
  key_id: keyId,
  key_name: name,
  ...(sessionId === null ? {} : { session_id: sessionId }),
});

const usedDraft = (keyId: KeyId, { purpose, at, actor }: RecordedUse): AuditDraft => ({
  event: "key_used",
  data: { key_id: keyId, purpose },
  at,
  actor,
});

const revokedDraft = ({ keyId, name }: OwnerKey, { at, actor }: Pick<KeyRevocation, "at" | "actor">): AuditDraft => ({
  event: "key_revoked",
  data: { key_id: keyId, key_name: name },
  at,
  actor,
});
