import { LIMITS, oneLine } from "#base";
import { MODEL_FAILURE_WORDS, MODEL_FAILURES, modelNext, type ModelFailure } from "../talk/model-words.ts";
import type { ConsultFailure, ToldConsult } from "./consultation.ts";

/** Why nothing came of asking the planner, as the end of a sentence. */
export const consultFailureWords = (reason: ConsultFailure): string =>
  isModelFailure(reason) ? MODEL_FAILURE_WORDS[reason] : WORDS[reason];

const isModelFailure = (reason: ConsultFailure): reason is ModelFailure =>
  MODEL_FAILURES.some((failure) => failure === reason);

const WORDS: { readonly [F in Exclude<ConsultFailure, ModelFailure>]: string } = {
  consult_interrupted: "Silas was stopped while the planner was thinking; it is not asked twice",
  consult_given_up: "it failed again and again, and was set aside",
  answer_held_back: "a gate held the answer back",
  no_other_way: "the planner knows none",
  not_revised: "the planner answered with the plan that has failed",
  plan_not_asked: "its plan cannot be put to you",
  advice_late: `none came within ${LIMITS.adviceWaitMs / 1000} s`,
  advice_unneeded: "nobody waited for it any more",
  advice_over_budget: "too little is left of the budget to ask",
  approval_lapsed: "the approval of the run no longer holds",
  replan_depth_reached: "so many other ways were tried already that no further one is looked for",
};

/** What became of asking the planner, as one short line. */
export const consultLine = (told: ToldConsult): string => {
  const run = told.otherRunId === null ? "" : `, run ${told.otherRunId}`;
  return consultWords(told, { request: `request ${told.requestId}`, run });
};

/** How the request and its run are called: the page has links beside the words instead. */
type Called = { readonly request: string; readonly run: string };

export function consultWords(told: ToldConsult, called: Called): string {
  const { kind, number, numberMax, state, requestId, failure, refused } = told;
  const which = `(${number} of ${numberMax})`;
  if (kind === "advice") return adviceLine(told, which);
  if (state === "failed" && failure === "replan_depth_reached")
    return `No other way is looked for: ${consultFailureWords(failure)}. ${DECIDE}`;
  if (state === "failed" && failure !== null) {
    const why =
      refused === null ? consultFailureWords(failure) : `${consultFailureWords(failure)}: ${oneLine(refused)}`;
    const next = isModelFailure(failure) ? `${modelNext(failure)} ${DECIDE}` : DECIDE;
    return `No other way was found ${which}: ${why}. ${next}`;
  }
  if (state === "ended" && requestId !== null) return `Proposed another way ${which}: ${otherWords(told, called)}`;
  return `Asks the planner for another way ${which}`;
}

function otherWords({ decided, otherLine }: ToldConsult, { request, run }: Called): string {
  if (decided === null) return request;
  if (decided === "pending") return `${request} waits for your decision`;
  if (decided === "declined") return `you declined ${request}`;
  if (decided === "expired") return `nobody decided on ${request} in time`;
  return `you approved ${request}${run}${otherLine === null ? "" : `: ${otherLine}`}`;
}

function adviceLine({ state, failure, guidance }: ToldConsult, which: string): string {
  if (state === "failed" && failure !== null) return `Went on without advice ${which}: ${consultFailureWords(failure)}`;
  if (state !== "ended" || guidance === null) return `Asks the planner for advice ${which}`;
  const said = oneLine(guidance);
  return `Asked the planner for advice ${which}: ${said.length <= ADVICE_SHOWN ? said : `${said.slice(0, ADVICE_SHOWN)}…`}`;
}
/** A line of it: the record of the run has all that was given to it. */
const ADVICE_SHOWN = 400;

const DECIDE = "Nothing more happens by itself: change the plan and propose it again.";
