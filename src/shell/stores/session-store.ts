import { ok, type Instant } from "#base";
import type { AuditActor, AuditDraft } from "#model";
import type { Session, SessionStore } from "#ports";
import type { RecordAct } from "./audit/log.ts";
import { revokeKeyOfSession } from "./keys/key-registry.ts";
import type { Sqlite } from "./sqlite.ts";
import { guarded, guardedValue } from "./store-fault.ts";

type SessionRow = {
  readonly session_id: string;
  readonly device_name: string;
  readonly token_digest: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly revoked_at: string | null;
};

/** Signed-in devices on a migrated `silas.db`. Signing in and out is recorded by the commit that does it. */
export function createSessionStore(db: Sqlite, recordAct: RecordAct): SessionStore {
  return {
    add: async (session) =>
      guarded(() =>
        db.transaction(() => {
          db.run(
            `INSERT INTO sessions (session_id, device_name, token_digest, created_at, last_seen_at, revoked_at)
             VALUES (:session_id, :device_name, :token_digest, :created_at, :last_seen_at, :revoked_at)`,
            paramsOf(session),
          );
          recordAct(enrolledDraft(session));
          return ok();
        }),
      ),
    findByDigest: async (digest) =>
      guardedValue(() => {
        const row = db.get<SessionRow>("SELECT * FROM sessions WHERE token_digest = :digest", { digest });
        return row === null ? null : sessionOf(row);
      }),
    list: async () =>
      guardedValue(() => db.all<SessionRow>("SELECT * FROM sessions ORDER BY created_at, session_id").map(sessionOf)),
    touch: async (id, at) =>
      guardedValue(() => {
        // A clock that jumped back never makes a device look older than it is.
        db.run("UPDATE sessions SET last_seen_at = max(last_seen_at, :at) WHERE session_id = :id", { id, at });
      }),
    revoke: async (id, { at, actor }) =>
      guarded(() =>
        db.transaction(() => {
          const row = db.get<SessionRow>("SELECT * FROM sessions WHERE session_id = :id AND revoked_at IS NULL", {
            id,
          });
          if (row === null) return ok();
          db.run("UPDATE sessions SET revoked_at = :at WHERE session_id = :id", { id, at });
          recordAct(revokedDraft(sessionOf(row), { at, actor }));
          // A device that is signed out signs nothing any more, from this very commit on.
          revokeKeyOfSession(db, { sessionId: id, at, actor, recordAct });
          return ok();
        }),
      ),
  };
}

/** A device signs itself in: the link it used was made by the owner. */
const enrolledDraft = ({ sessionId, deviceName, createdAt }: Session): AuditDraft => ({
  event: "device_enrolled",
  data: { session_id: sessionId, device_name: deviceName },
  at: createdAt,
  actor: { kind: "owner", session_id: sessionId },
});

type By = { readonly at: Instant; readonly actor: AuditActor };

const revokedDraft = ({ sessionId, deviceName }: Session, by: By): AuditDraft => ({
  event: "device_revoked",
  data: { session_id: sessionId, device_name: deviceName },
  ...by,
});

const paramsOf = (session: Session) => ({
  session_id: session.sessionId,
  device_name: session.deviceName,
  token_digest: session.tokenDigest,
  created_at: session.createdAt,
  last_seen_at: session.lastSeenAt,
  revoked_at: session.revokedAt,
});

const sessionOf = (row: SessionRow): Session => ({
  sessionId: row.session_id,
  deviceName: row.device_name,
  tokenDigest: row.token_digest,
  createdAt: row.created_at as Instant,
  lastSeenAt: row.last_seen_at as Instant,
  revokedAt: row.revoked_at as Instant | null,
});
