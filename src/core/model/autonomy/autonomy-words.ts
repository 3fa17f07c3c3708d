import { oneLine } from "#base";
import type { Words } from "../words.ts";
import type { AutonomyRefused } from "./autonomy-wire.ts";
import { LIMIT_WORDS } from "./families.ts";
import type { LimitFault, LimitRefused } from "./limits.ts";

type Table = {
  readonly [C in AutonomyRefused["code"]]: (error: Extract<AutonomyRefused, { readonly code: C }>) => Words;
};

const AS_IT_WAS = "Every limit is as it was.";

export const AUTONOMY_WORDS: Table = {
  nothing_to_tighten: () => ({
    what: "No limit is wider than your configuration has it.",
    kept: AS_IT_WAS,
    next: "`silas autonomy show` says how each limit stands.",
  }),
  not_a_limit_request: ({ requestId }) => ({
    what: `${oneLine(requestId)} is no request about limits that waits for you.`,
    kept: AS_IT_WAS,
    next: "`silas inbox` shows what waits for you.",
  }),
  autonomy_disabled: () => ({
    what: "Proposals about limits are switched off (`autonomy.enabled`).",
    kept: AS_IT_WAS,
    next: "Limits that were approved before count on; `silas autonomy tighten` takes them back.",
  }),
};

const FAULTS: { readonly [F in LimitFault]: string } = {
  value_unreadable: "one of its values is none that this limit can have",
  not_a_change: "it would stay as it is",
  direction_differs: "it does the opposite of what it says",
  over_cap: "that is beyond what your configuration lets any approval reach",
  key_repeated: "it is named twice",
  limit_moved: "it is not as the card says any more",
};

export const limitWords = ({ key, reason }: LimitRefused): Words => ({
  what: `The limit ${key} (${LIMIT_WORDS[key]}) cannot be changed so: ${FAULTS[reason]}.`,
  kept: `Nothing was approved. ${AS_IT_WAS}`,
  next: "Decline the request; `silas autonomy show` says how each limit stands.",
});
