import { oneLine } from "#base";
import type { SuggestionState } from "./suggestion.ts";

/** Why a suggestion was not answered. Nothing was asked, and nothing was changed. */
export type SuggestionRefusal =
  | { readonly code: "suggestion_unknown"; readonly suggestionId: string }
  | { readonly code: "suggestion_closed"; readonly suggestionId: string; readonly state: SuggestionState }
  /** What it offers cannot be asked for any more. */
  | { readonly code: "suggestion_stale"; readonly suggestionId: string; readonly reason: string };

type Said = { readonly what: string; readonly kept: string; readonly next: string };
type Table = {
  readonly [C in SuggestionRefusal["code"]]: (error: Extract<SuggestionRefusal, { readonly code: C }>) => Said;
};

const STATES: { readonly [S in SuggestionState]: string } = {
  pending: "waits",
  accepted: "was taken up before",
  deferred: "was put off before",
  dismissed: "is not made any more",
  expired: "holds no longer",
};

export const SUGGESTION_WORDS: Table = {
  suggestion_unknown: ({ suggestionId }) => ({
    what: `There is no suggestion ${oneLine(suggestionId)}.`,
    kept: "Nothing was changed.",
    next: "`silas inbox` shows those that wait.",
  }),
  suggestion_closed: ({ state }) => ({
    what: `This suggestion ${STATES[state]}.`,
    kept: "That stays as it is.",
    next: "",
  }),
  suggestion_stale: ({ reason }) => ({
    what: `What was suggested cannot be asked for (${oneLine(reason)}).`,
    kept: "Nothing was changed.",
    next: "Say `not now` to put it away.",
  }),
};
