import * as z from "zod/mini";
import { plainMoment } from "#base";
import { reasonWords } from "../audit/reason-words.ts";
import { SETTLE_CHOICES } from "./doubt-records.ts";
import { RUN_STATUSES } from "./run-records.ts";
import type { NameOf } from "./work-names.ts";
import { digest, id } from "../values.ts";

const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));
const count = z.int().check(z.gte(0));
const run = { run_id: id, work_item_id: id };

/** What the audit chain says about runs: names, codes and counts, never what a program printed. */
export const runAuditSchemas = {
  run_started: z.strictObject({ ...run, token_id: id, plan_hash: digest }),
  /** One stop for everything: nothing of work begins until the next entry of the other kind. */
  everything_stopped: z.strictObject({}),
  started_again: z.strictObject({ stopped_at: z.string() }),
  /** At somebody's word, between two steps. */
  run_paused: z.strictObject(run),
  run_resumed: z.strictObject(run),
  run_ended: z.strictObject({
    ...run,
    status: z.enum(RUN_STATUSES),
    is_verified: z.boolean(),
    attempts: count,
    checks: count,
    checks_passed: count,
    /** Of the text that a receipt shows of it: run, checks and ledger. Entries of before it was kept have none. */
    execution_hash: z.optional(digest),
  }),
  /** What the owner decided about a run in doubt. */
  run_settled: z.strictObject({
    ...run,
    choice: z.enum(SETTLE_CHOICES),
    is_verified: z.boolean(),
    checks: count,
    checks_passed: count,
    settlement_hash: digest,
  }),
  /** The approval did not let it run, and the first reason why. Nothing was started. [INV-01] */
  execution_blocked_no_approval: z.strictObject({ ...run, reason: code }),
  /** What a model says it left is not what the ledger says; counts only, and nothing follows from it. [EXEC-14] */
  artifact_ref_mismatch: z.strictObject({ ...run, attempt: count, claimed: count, left: count }),
  /** A step was begun and never seen to end, and may have changed something. It is not repeated. */
  step_in_doubt: z.strictObject({ ...run, attempt: count, step_index: count }),
} as const;

type RunEvent = keyof typeof runAuditSchemas;
type Sentences = { readonly [E in RunEvent]: (data: z.infer<(typeof runAuditSchemas)[E]>, nameOf: NameOf) => string };

export const runSentences: Sentences = {
  run_started: ({ work_item_id: name }, nameOf) => `Began to run ${nameOf(name)}`,
  everything_stopped: () => "Stopped everything: nothing runs until you start it again",
  started_again: ({ stopped_at }) => `Started again what was stopped at ${plainMoment(stopped_at)}`,
  run_paused: ({ work_item_id: name }, nameOf) => `Paused ${nameOf(name)}`,
  run_resumed: ({ work_item_id: name }, nameOf) => `Let ${nameOf(name)} go on`,
  run_ended: (data, nameOf) => `${nameOf(data.work_item_id)} ${endWords(data)}`,
  execution_blocked_no_approval: ({ work_item_id: name, reason }, nameOf) =>
    `Did not run ${nameOf(name)}: its approval does not hold (${reasonWords(reason)})`,
  artifact_ref_mismatch: ({ work_item_id: name, claimed, left }, nameOf) =>
    `The model named ${claimed} results of ${nameOf(name)}, and not those ${left} that it left; what it left counts`,
  step_in_doubt: ({ work_item_id: name, step_index }, nameOf) =>
    `Step ${step_index + 1} of ${nameOf(name)} is in doubt: its end was never seen, and it is not repeated`,
  run_settled: (data, nameOf) => `You settled the doubt about ${nameOf(data.work_item_id)}: ${settledWords(data)}`,
};

function settledWords({ choice, checks, checks_passed, is_verified }: Settled): string {
  if (choice === "again") return "the same plan is proposed again";
  if (choice === "leave") return "it is left as it is";
  if (checks === 0) return "it happened";
  const isEmpty = checks_passed === checks && !is_verified;
  return `it happened, ${isEmpty ? "not checked by anything that could fail" : `${checks_passed} of ${checks} checks passed`}`;
}
type Settled = z.infer<(typeof runAuditSchemas)["run_settled"]>;

function endWords({ status, is_verified, checks, checks_passed, attempts }: RunEnd): string {
  const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const passed = `${checks_passed} of ${checks} checks passed`;
  if (status === "done" && is_verified) return `is done, ${passed}`;
  if (status === "done") return `is done, not checked by anything${checks === 0 ? "" : " that could fail"}`;
  if (status === "failed") return checks === 0 ? "failed" : `failed, ${passed}`;
  if (status === "stuck") return `is stuck after ${tries}${checks === 0 ? "" : `, ${passed}`}`;
  if (status === "cancelled") return "was stopped by you";
  return status === "in_doubt" ? "ended in doubt" : "could not be run";
}
type RunEnd = z.infer<(typeof runAuditSchemas)["run_ended"]>;
