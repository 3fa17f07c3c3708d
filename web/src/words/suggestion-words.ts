import type { SuggestionAnswer } from "#model";

/** What the page says around a suggestion. */
export const suggestionWords = {
  title: "Suggestion",
  busy: "One moment",
  /** Under Missed. */
  gone: "Suggestion, not answered while it held",
  risk: {
    low: "Low risk",
    medium: "Medium risk",
    high: "High risk",
    irreversible: "It cannot be undone",
  },
  said: {
    do_it: "Taken up. Nothing runs before you decide.",
    not_now: "Put off.",
    not_again: "Not suggested any more.",
  } satisfies { readonly [A in SuggestionAnswer]: string },
} as const;
