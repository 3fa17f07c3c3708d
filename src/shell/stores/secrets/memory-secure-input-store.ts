import { err, LIMITS, ok, type Instant } from "#base";
import type { SecretRef, SecureInputRequest } from "#model";
import type { SecureInputStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { secretDraft, stillAsked } from "./secure-input-store.ts";

/** The in-memory twin of the store of asked secrets: the same behaviour in the plainest code. */
export function createMemorySecureInputStore(recordAct: RecordAct): SecureInputStore {
  const kept = new Map<SecretRef, SecureInputRequest>();
  const list = (at: Instant): readonly SecureInputRequest[] =>
    [...kept.values()]
      .map((request) => (request.state === "pending" && request.expiresAt <= at ? expired(request) : request))
      .toSorted((a, b) => (a.createdAt + a.refId < b.createdAt + b.refId ? -1 : 1));
  return {
    ask: async (request) => {
      const waiting = list(request.createdAt).filter(({ state }) => state === "pending");
      const same = waiting.find(({ refId }) => refId === request.refId);
      if (same !== undefined) return ok({ request: same, isNew: false });
      if (waiting.length >= LIMITS.secretsAsked) return err({ code: "too_many_asked", max: LIMITS.secretsAsked });
      kept.set(request.refId, request);
      recordAct(secretDraft("secret_asked", { ref: request.refId, at: request.createdAt, actor: request.requestedBy }));
      return ok({ request, isNew: true });
    },
    list: async (at) => ok(list(at)),
    find: async (ref, at) => stillAsked(list(at), ref),
    fulfil: async (ref, by) => {
      const open = stillAsked(list(by.at), ref);
      if (!open.ok) return open;
      kept.set(ref, { ...open.value, state: "fulfilled" });
      recordAct(secretDraft("secret_stored", { ref, ...by }));
      return ok();
    },
    remove: async (ref, by) => {
      kept.delete(ref);
      recordAct(secretDraft("secret_removed", { ref, ...by }));
      return ok();
    },
  };
}

const expired = (request: SecureInputRequest): SecureInputRequest => ({ ...request, state: "expired" });
