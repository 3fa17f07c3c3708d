import { err, ok } from "#base";
import type { Session, SessionStore } from "#ports";
import type { RecordAct } from "./audit/log.ts";
import type { SessionKeys } from "./keys/memory-key-registry.ts";
import { enrolledDraft, revokedDraft } from "./session-store.ts";

/** The in-memory twin of the session store: the same behaviour in the plainest code. */
export function createMemorySessionStore(recordAct: RecordAct, keys: SessionKeys): SessionStore {
  const sessions = new Map<string, Session>();
  return {
    add: async (session) => {
      const taken = [...sessions.values()].some(
        ({ sessionId, tokenDigest }) => sessionId === session.sessionId || tokenDigest === session.tokenDigest,
      );
      if (taken) return err({ code: "store_failed", retryable: false });
      sessions.set(session.sessionId, session);
      recordAct(enrolledDraft(session));
      keys.signedIn(session.sessionId);
      return ok();
    },
    findByDigest: async (digest) => ok([...sessions.values()].find((one) => one.tokenDigest === digest) ?? null),
    list: async () =>
      ok([...sessions.values()].toSorted((a, b) => (a.createdAt + a.sessionId < b.createdAt + b.sessionId ? -1 : 1))),
    touch: async (id, at) => {
      const session = sessions.get(id);
      if (session !== undefined && at > session.lastSeenAt) sessions.set(id, { ...session, lastSeenAt: at });
      return ok();
    },
    revoke: async (id, by) => {
      const session = sessions.get(id);
      if (session === undefined || session.revokedAt !== null) return ok();
      sessions.set(id, { ...session, revokedAt: by.at });
      recordAct(revokedDraft(session, by));
      keys.signedOut(id, by);
      return ok();
    },
  };
}
