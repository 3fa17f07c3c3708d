import { err, LIMITS, ok } from "#base";
import type { Passkey, PasskeyId } from "#model";
import type { PasskeyStore, SessionStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { addedDraft, removedDraft, usedDraft } from "./drafts.ts";
import { isNextCount } from "./passkey-store.ts";

/** The in-memory twin of the passkey store: the same behaviour in the plainest code. */
export function createMemoryPasskeyStore(recordAct: RecordAct, sessions: Pick<SessionStore, "list">): PasskeyStore {
  const kept = new Map<PasskeyId, Passkey>();
  const credentials = new Set<string>();
  const inUse = async (): Promise<readonly Passkey[]> => {
    const listed = await sessions.list();
    const signedIn = new Set(
      listed.ok ? listed.value.filter(({ revokedAt }) => revokedAt === null).map(({ sessionId }) => sessionId) : [],
    );
    return [...kept.values()].filter(({ sessionId }) => signedIn.has(sessionId));
  };
  const find = async (passkeyId: PasskeyId) => (await inUse()).find((each) => each.passkeyId === passkeyId);
  return {
    list: async () =>
      ok((await inUse()).toSorted((a, b) => (a.createdAt + a.passkeyId < b.createdAt + b.passkeyId ? -1 : 1))),
    add: async (passkey, actor) => {
      if (credentials.has(passkey.credentialId)) return err({ code: "passkey_known" });
      const mine = [...kept.values()].filter(({ sessionId }) => sessionId === passkey.sessionId);
      if (mine.length >= LIMITS.passkeysPerDevice) return err({ code: "passkeys_full", max: LIMITS.passkeysPerDevice });
      kept.set(passkey.passkeyId, passkey);
      credentials.add(passkey.credentialId);
      recordAct(addedDraft(passkey, actor));
      return ok();
    },
    recordUse: async (use) => {
      const passkey = await find(use.passkeyId);
      if (passkey === undefined) return err({ code: "passkey_refused", reason: "unknown_credential" });
      if (!isNextCount(passkey.counter, use.counter))
        return err({ code: "passkey_refused", reason: "counter_went_back" });
      const lastUsedAt = use.at > (passkey.lastUsedAt ?? "") ? use.at : passkey.lastUsedAt;
      kept.set(use.passkeyId, { ...passkey, counter: use.counter, lastUsedAt });
      recordAct(usedDraft(passkey, use));
      return ok();
    },
    remove: async (removal) => {
      const passkey = await find(removal.passkeyId);
      if (passkey === undefined) return err({ code: "passkey_unknown", passkeyId: removal.passkeyId });
      kept.delete(removal.passkeyId);
      recordAct(removedDraft(passkey, removal));
      return ok(passkey);
    },
  };
}
