import { err, LIMITS, ok, type Instant, type Result } from "#base";
import type { Passkey, PasskeyId, PasskeyKeepRefusal, PasskeyRefusal } from "#model";
import type { PasskeyRemoval, PasskeyStore, PasskeyUse } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue } from "../store-fault.ts";
import { addedDraft, removedDraft, usedDraft } from "./drafts.ts";

type PasskeyRow = {
  readonly passkey_id: string;
  readonly credential_id: string;
  readonly public_key: string;
  readonly counter: number;
  readonly session_id: string;
  readonly rp_id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
};

/** A passkey of a device that signed out counts no more, and needs no entry of its own for that. */
const IN_USE = `SELECT passkeys.* FROM passkeys JOIN sessions USING (session_id)
  WHERE passkeys.removed_at IS NULL AND sessions.revoked_at IS NULL`;

type Parts = { readonly db: Sqlite; readonly recordAct: RecordAct };

/** Passkeys on a migrated `silas.db`. Each change and use is in the audit chain by the same commit. */
export function createPasskeyStore(parts: Parts): PasskeyStore {
  const { db } = parts;
  return {
    list: async () =>
      guardedValue(() => db.all<PasskeyRow>(`${IN_USE} ORDER BY passkeys.created_at, passkey_id`).map(passkeyOf)),
    add: async (passkey, actor) => guarded(() => db.transaction(() => add(parts, { passkey, actor }))),
    recordUse: async (use) => guarded(() => db.transaction(() => recordUse(parts, use))),
    remove: async (removal) => guarded(() => db.transaction(() => remove(parts, removal))),
  };
}

type Adding = { readonly passkey: Passkey; readonly actor: PasskeyUse["actor"] };

function add({ db, recordAct }: Parts, { passkey, actor }: Adding): Result<void, PasskeyKeepRefusal> {
  const { credentialId, sessionId } = passkey;
  const known = db.get("SELECT 1 FROM passkeys WHERE credential_id = :credentialId", { credentialId });
  if (known !== null) return err({ code: "passkey_known" });
  const mine = db.get<{ readonly count: number }>(
    "SELECT count(*) AS count FROM passkeys WHERE session_id = :sessionId AND removed_at IS NULL",
    { sessionId },
  );
  if ((mine?.count ?? 0) >= LIMITS.passkeysPerDevice) {
    return err({ code: "passkeys_full", max: LIMITS.passkeysPerDevice });
  }
  db.run(
    `INSERT INTO passkeys
       (passkey_id, credential_id, public_key, counter, session_id, rp_id, name, created_at, last_used_at)
     VALUES
       (:passkey_id, :credential_id, :public_key, :counter, :session_id, :rp_id, :name, :created_at, :last_used_at)`,
    rowOf(passkey),
  );
  recordAct(addedDraft(passkey, actor));
  return ok();
}

/** The counter is compared here, inside the transaction: of two answers with one count only the first is taken. */
function recordUse({ db, recordAct }: Parts, use: PasskeyUse): Result<void, PasskeyRefusal> {
  const passkey = find(db, use.passkeyId);
  if (passkey === null) return err({ code: "passkey_refused", reason: "unknown_credential" });
  if (!isNextCount(passkey.counter, use.counter)) return err({ code: "passkey_refused", reason: "counter_went_back" });
  db.run(
    `UPDATE passkeys SET counter = :counter, last_used_at = max(coalesce(last_used_at, :at), :at)
     WHERE passkey_id = :passkeyId`,
    { passkeyId: use.passkeyId, counter: use.counter, at: use.at },
  );
  recordAct(usedDraft(passkey, use));
  return ok();
}

/** Authenticators that do not count say 0 for ever; all others say more every time. */
const isNextCount = (kept: number, said: number): boolean => said > kept || (said === 0 && kept === 0);

function remove({ db, recordAct }: Parts, removal: PasskeyRemoval): Result<Passkey, PasskeyKeepRefusal> {
  const { passkeyId, at } = removal;
  const passkey = find(db, passkeyId);
  if (passkey === null) return err({ code: "passkey_unknown", passkeyId });
  db.run("UPDATE passkeys SET removed_at = :at WHERE passkey_id = :passkeyId", { passkeyId, at });
  recordAct(removedDraft(passkey, removal));
  return ok(passkey);
}

function find(db: Sqlite, passkeyId: string): Passkey | null {
  const row = db.get<PasskeyRow>(`${IN_USE} AND passkey_id = :passkeyId`, { passkeyId });
  return row === null ? null : passkeyOf(row);
}

const rowOf = (passkey: Passkey): PasskeyRow => ({
  passkey_id: passkey.passkeyId,
  credential_id: passkey.credentialId,
  public_key: passkey.publicKey,
  counter: passkey.counter,
  session_id: passkey.sessionId,
  rp_id: passkey.rpId,
  name: passkey.name,
  created_at: passkey.createdAt,
  last_used_at: passkey.lastUsedAt,
});

const passkeyOf = (row: PasskeyRow): Passkey => ({
  passkeyId: row.passkey_id as PasskeyId,
  credentialId: row.credential_id,
  publicKey: row.public_key,
  counter: row.counter,
  sessionId: row.session_id,
  rpId: row.rp_id,
  name: row.name,
  createdAt: row.created_at as Instant,
  lastUsedAt: row.last_used_at as Instant | null,
});
