import { err, ok } from "#base";
import type { Suggestion } from "#model";
import type { SuggestionLooks, SuggestionStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { answeredAs, answeredDraft, expiredAs, expiredDraft, madeDraft, skippedDraft } from "./drafts.ts";

/** The in-memory twin of the store of suggestions: the same behaviour in the plainest code. */
export function createMemorySuggestionStore({ recordAct }: { readonly recordAct: RecordAct }): SuggestionStore {
  const kept = new Map<string, Suggestion>();
  const looks = new Map<string, SuggestionLooks>();
  const waits = ({ scopeId, cooldownKey }: Suggestion): boolean =>
    [...kept.values()].some(
      (one) => one.state === "pending" && one.scopeId === scopeId && one.cooldownKey === cooldownKey,
    );
  return {
    recent: async ({ scopeId, since }) =>
      ok(
        [...kept.values()]
          .filter((one) => one.scopeId === scopeId)
          .filter(
            ({ state, createdAt, handledAt }) =>
              state === "pending" || state === "dismissed" || createdAt >= since || (handledAt ?? "") >= since,
          )
          .toSorted((a, b) => (placeOf(a) > placeOf(b) ? -1 : 1)),
      ),
    find: async (suggestionId) => ok(kept.get(suggestionId) ?? null),
    saying: async ({ scopeId, words }) => {
      const said = [...kept.values()].filter((one) => one.scopeId === scopeId && one.rationale === words);
      return ok(said.toSorted((a, b) => (placeOf(a) > placeOf(b) ? -1 : 1))[0] ?? null);
    },
    add: async (suggestions) => {
      const added = suggestions.filter((one) => {
        if (waits(one)) return false;
        kept.set(one.suggestionId, one);
        recordAct(madeDraft(one));
        return true;
      });
      return ok(added);
    },
    handle: async (handled) => {
      const { suggestionId } = handled;
      const one = kept.get(suggestionId);
      if (one === undefined) return err({ code: "suggestion_unknown", suggestionId });
      if (one.state !== "pending") return err({ code: "suggestion_closed", suggestionId, state: one.state });
      const answered = answeredAs(one, handled);
      kept.set(suggestionId, answered);
      recordAct(answeredDraft(one, handled));
      return ok(answered);
    },
    expire: async ({ suggestionIds, at }) => {
      for (const suggestionId of suggestionIds) {
        const one = kept.get(suggestionId);
        if (one?.state !== "pending") continue;
        kept.set(suggestionId, expiredAs(one, at));
        recordAct(expiredDraft(one, at));
      }
      return ok();
    },
    looks: async (scopeId) => ok(looks.get(scopeId) ?? null),
    planLook: async ({ scopeId, nextDue, lastDue, skipped, at }) => {
      looks.set(scopeId, { nextDue, lastDue });
      if (skipped !== null) recordAct(skippedDraft(skipped, at));
      return ok();
    },
  };
}

const placeOf = ({ createdAt, suggestionId }: Suggestion): string => `${createdAt} ${suggestionId}`;
