import { oneLine, type Instant } from "#base";
import type { ApprovalRefusal, DecisionRefusal } from "./approvals.ts";
import type { SelectionRefusal } from "./approval/batch.ts";
import type { PayloadRefused } from "./approval/payload.ts";
import type { ProposalReason, ProposalRefused } from "./approval/proposal.ts";
import type { AnswerFault } from "./ask/answers.ts";
import type { AuditActor } from "./audit.ts";
import { limitWords } from "./autonomy/autonomy-words.ts";
import type { Friction } from "./cards.ts";
import { TELEGRAM_SESSION } from "./message/channels.ts";
import type { KeptRequest, RequestRefusal, SpendRefusal } from "./decisions.ts";
import type { Words } from "./words.ts";

/** What is refused on the way from a plan to a used approval. */
export type ApprovalsError =
  | RequestRefusal
  | SpendRefusal
  | DecisionRefusal
  | ApprovalRefusal
  | { readonly code: "plan_refused"; readonly line: number; readonly column: number; readonly reason: string }
  | PayloadRefused
  | SelectionRefusal
  | ProposalRefused
  | { readonly code: "not_approved"; readonly requestId: string };

type Table = {
  readonly [C in ApprovalsError["code"]]: (error: Extract<ApprovalsError, { readonly code: C }>) => Words;
};

const NOT_RUN = "Nothing was approved and nothing runs.";
const refused = (what: string, next = ""): Words => ({ what, kept: NOT_RUN, next });
const LOOK = "`silas inbox` shows what waits for you.";
const SHOW_AGAIN = "Look at it again with `silas approvals show ID`, then decide.";
const PROPOSE = "Propose the plan again with `silas plan propose FILE`.";

export const DECISION_WORDS: Table = {
  request_unknown: ({ requestId }) => refused(`There is no request ${oneLine(requestId)}.`, LOOK),
  already_decided: (error) => ({ what: decidedWords(error), kept: "That stays as it is.", next: LOOK }),
  plan_differs: () => refused("This is not the plan that was shown: its hash is another.", SHOW_AGAIN),
  not_missed: ({ state }) =>
    refused(`This request is ${state}; only one that nobody decided can be proposed again.`, PROPOSE),
  too_many_pending: ({ max }) =>
    refused(`${max} requests wait for a decision already; no more are taken.`, "Decide or decline some of them first."),
  uses_exhausted: ({ maxExecutions }) =>
    refused(`This approval was used as often as it allows (${maxExecutions}).`, PROPOSE),
  token_differs: () => refused("Another approval is kept under the same id or nonce.", PROPOSE),
  limit_refused: limitWords,
  plan_refused: ({ line, column, reason }) =>
    reason === "model_absent"
      ? refused("This plan is for an AI model, and none is set up.", "`silas models show` says what is missing.")
      : reason === "steps_missing"
        ? refused("Nothing would carry this plan out.", "Give it steps, or `executor: model` with its tools.")
        : refused(
            `The plan cannot be proposed (line ${line}, column ${column}: ${oneLine(reason)}).`,
            "`silas plan check FILE` explains it.",
          ),
  proposal_refused: ({ reason, itemId }) =>
    refused(`${itemId === null ? "This" : oneLine(itemId)} cannot be proposed: ${PROPOSAL_WORDS[reason]}.`),
  payload_refused: ({ reason }) => refused(`This cannot be proposed (${oneLine(reason)}).`),
  selection_refused: ({ itemId }) =>
    refused(
      itemId === null
        ? "Choose some of the items of a batch: at least one, not all, each once."
        : `There is no item ${oneLine(itemId)} in this batch.`,
      SHOW_AGAIN,
    ),
  not_approved: () =>
    refused("There is no approval to show a receipt of.", "`silas approvals list` shows those there are."),
  decision_settled: ({ state }) => refused(`This request is ${state} already.`, LOOK),
  decision_expired: () => refused("Nobody decided in time.", "`silas plan propose --again ID` asks once more."),
  // The whole card is made anew and compared, its words too; a newer version may say the same with others.
  decision_changed: () =>
    refused(
      "The kept request is not what this version of Silas makes of its plan: another version made it, or it was changed.",
      "Decline it if it still waits, then propose the plan again with `silas plan propose FILE`.",
    ),
  decision_shown_differs: () => refused("This is not the plan that was shown: its hash is another.", SHOW_AGAIN),
  decision_not_approved: () => refused("The answer is not an approval."),
  decision_friction_missing: ({ missing }) =>
    refused(
      `A plan of this risk needs more than was done: ${missing.map((one) => FRICTION_WORDS[one]).join(", ")}.`,
      "Approve it in a terminal with `silas approve ID`.",
    ),
  answer_refused: ({ reason }) => refused(`${ANSWER_WORDS[reason]}.`, "`silas answer ID` shows what may be answered."),
  decision_strong_auth_unproven: () =>
    refused("The answer claims a passkey, but none was verified.", "Look at the request again, then decide."),
  standing_conditions_missing: () => refused("A standing approval must say how long and how often it holds."),
  standing_uses_exceeded: ({ usesMax }) => refused(`A standing approval may be used at most ${usesMax} times.`),
  standing_over: ({ expiresAt }) => refused(`A standing approval cannot end before it begins (${expiresAt}).`, PROPOSE),
  approval_key_unknown: () =>
    refused("The approval is signed by a key that is not enrolled.", "`silas keys list` shows those that are."),
  approval_key_revoked: () =>
    refused("The approval is signed by a revoked key.", "`silas keys enrol NAME` makes a new one."),
  approval_signature_invalid: () => refused("The signature of the approval does not hold."),
  approval_item_differs: () => refused("The approval is for another item.", PROPOSE),
  approval_hash_differs: () => refused("The approval is for another plan than the one that would run.", PROPOSE),
  approval_spawn_missing: () => refused("A standing approval needs the task it is used for."),
  approval_spawn_unexpected: () => refused("Only a standing approval is used for a task that a goal made."),
  approval_spawn_parent_differs: () => refused("The task names a goal other than the one that was approved."),
  approval_spawn_policy_differs: () =>
    refused("The goal now makes its tasks from other parts than those that were approved.", PROPOSE),
  approval_spawn_differs: () => refused("The task is not the one its goal makes.", PROPOSE),
  approval_not_approved: () => refused("The token does not say approved."),
  approval_not_yet_valid: () => refused("The approval is from the future; the clock was set back."),
  approval_expired: () => refused("The approval has expired.", PROPOSE),
  approval_spent: () => refused("The approval is used up.", PROPOSE),
  approval_void: () => refused("The approval is void: an older database was put back after you gave it.", PROPOSE),
  approval_use_taken: () => refused("This attempt was granted already."),
  approval_not_granted: () => refused("The approval was never granted."),
  approval_lineage_differs: () => refused("The approval was granted to another attempt."),
};

const ANSWER_WORDS: { readonly [F in AnswerFault]: string } = {
  answer_missing: "This asks for an answer, and none was given",
  answer_unexpected: "This is approved or declined, and takes no answer",
  answer_unreadable: "The answer cannot be read, or is too long",
  option_unknown: "This is none of the options",
  freetext_not_allowed: "Only one of the options can be the answer",
  answer_declines: "This answer declines it, and a decline is not signed",
  text_missing: "The words that go with this answer are missing",
  text_unexpected: "The answer says more than one thing",
};

const PROPOSAL_WORDS: { readonly [R in ProposalReason]: string } = {
  unreadable: "its parts cannot be read",
  too_large: "its files together are larger than one plan may be",
  task_missing: "the project names this task, and its file was not given",
  task_extra: "the project does not name this task",
  task_repeated: "its file was given twice",
  task_is_no_task: "only tasks can be children of a project",
  task_of_another: "it names another parent",
  tasks_without_project: "only a project takes the files of tasks",
  dependency_unknown: "a task waits for it, and the project has no such task",
  dependency_circle: "these tasks wait for each other",
  depends_alone: "only a task of a project can wait for another",
  reaches_silas: "it names a place that holds the data of Silas itself",
  standing_without_goal: "only a goal can be approved for later",
  standing_without_repair: "this goal begins no task when a check fails, so there is nothing to approve for later",
  standing_uses: "more uses are asked for than `autonomy.max_standing_executions` allows",
  standing_over: "the end that was asked for has already passed",
  repair_without_goal: "a repair belongs to a goal that begins one",
  continues_another: "it says itself that it follows other work than the one it is to continue",
};

const FRICTION_WORDS: { readonly [F in Friction]: string } = {
  tap: "an answer",
  confirm: "a typed confirmation",
  slide: "the first characters of the hash",
  strong_auth: "a passkey",
};

type Settled = {
  readonly state: KeptRequest["state"];
  readonly decidedAt: Instant;
  readonly decidedBy: AuditActor | null;
  readonly replacedBy: string | null;
};

/** Who decided, and when; an expiry was decided by nobody, and whoever chose some of a batch has not declined it. */
export function decidedWords({ state, decidedAt, decidedBy, replacedBy }: Settled): string {
  if (state === "expired") return `Not decided by you: its time ended at ${decidedAt}.`;
  if (state === "declined" && replacedBy !== null) {
    return `Replaced by a selection ${whereWords(decidedBy)} at ${decidedAt}: ${oneLine(replacedBy)} is asked in its place.`;
  }
  return `Decided already: ${state} ${whereWords(decidedBy)} at ${decidedAt}.`;
}

/** Said on a card, because nobody can tell it from the words of the plan; null where a person or Silas itself asks. */
export function authorWords(actor: AuditActor): string | null {
  if (actor.kind !== "model") return null;
  return actor.taint === "external" ? "Written by a model that had read text from outside" : "Written by a model";
}

function whereWords(actor: AuditActor | null): string {
  if (actor === null || actor.kind === "system" || actor.kind === "model") return "by Silas";
  if (actor.kind === "terminal") return "on the terminal";
  return actor.session_id === TELEGRAM_SESSION ? "on Telegram" : `on the device of session ${actor.session_id}`;
}
