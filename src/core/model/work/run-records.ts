import * as z from "zod/mini";
import { LIMITS } from "#base";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import { taintSchema } from "../message/taint.ts";
import { digestSchema as digest, instantSchema, longId as id, maxLength } from "../values.ts";

/**
 * What really happened while approved work ran: the run, its ledger of steps, and what the checks outside said. The
 * records follow from facts alone; nothing a program prints can set a field of them but the text it is quoted in.
 */

/**
 * `paused`: somebody holds it between two steps, and nothing of it runs until somebody lets it go on. `waiting`: a gate
 * asks the owner about its next step, and nothing of it runs until that is decided. `failed`: a task
 * of a project, or its own checks, did not succeed. `in_doubt`: a step was begun, its end was never seen, and it may have changed something outside of its workspace.
 */
export const RUN_STATUSES = [
  "pending",
  "running",
  "verifying",
  "paused",
  "waiting",
  "done",
  "failed",
  "stuck",
  "blocked",
  "cancelled",
  "in_doubt",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export const isRunStatus = (value: unknown): value is RunStatus => RUN_STATUSES.some((status) => status === value);

/** What a run or a step keeps of a text: enough to see what happened, little enough to list a thousand of them. */
export const RETURN_CHARS = 10_000;
export const CHECK_OUTPUT_CHARS = 1_000;
export const ERROR_CHARS = 1_000;

const name = z.string().check(maxLength(160), z.regex(/\S/));
const count = z.int().check(z.gte(0));
export const error = z.nullable(z.string().check(maxLength(ERROR_CHARS)));

const artifactSchema = z.strictObject({ sha256: digest, size: count });
/** What a step left under a name: the digest and the size of its bytes. */
export type Artifact = Readonly<z.infer<typeof artifactSchema>>;
export const artifactName = z.string().check(maxLength(80));
const artifacts = z.record(artifactName, artifactSchema);
export type Artifacts = Readonly<Record<string, Artifact>>;

/** How a program ended; null in a record for one that never started or was never seen to end. */
export const endSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("exit"), code: z.int() }),
  z.strictObject({ kind: z.literal("signal"), signal: z.string() }),
  z.strictObject({ kind: z.literal("timeout") }),
  z.strictObject({ kind: z.literal("limit"), which: z.enum(["cpu", "memory", "output", "processes", "files"]) }),
]);

/** What is asked about the next step of a run; once it was approved it stays until that step begins. [WORK-24] */
const questionSchema = recordOf(
  z.strictObject({
    request_id: id,
    operation_id: id,
    step_index: count,
    /** The gate that asks; the first of them where several do. */
    gate: name,
    /** Of everything that is asked about: the call that would run, and why it is asked. */
    content_hash: digest,
  }),
);
export type RunQuestion = z.infer<typeof questionSchema>;

/** What the planner is asked while the run waits for it, and until when it does. [CONSULT-01] [CONSULT-02] */
const awaitedSchema = recordOf(z.strictObject({ consultation_id: id, due_at: instantSchema }));
export type AwaitedAdvice = z.infer<typeof awaitedSchema>;

/** What a model that carried work out says of it: its own words, and never what decides. [EXEC-05] [WORK-19] */
const saidSchema = recordOf(
  z.strictObject({
    summary: z.string().check(maxLength(RETURN_CHARS)),
    next_steps: z.array(z.string().check(maxLength(ERROR_CHARS))),
  }),
);

/** The tool by which a question to the model stands in the ledger, among the calls that it chose. */
export const MODEL_TURN = "model";
export const isModelTurn = ({ tool }: { readonly tool: string }): boolean => tool === MODEL_TURN;

/** The approval of its own that a step began on. */
const decisionSchema = recordOf(z.strictObject({ request_id: id, operation_id: id, token_id: id }));
export type StepDecision = z.infer<typeof decisionSchema>;

/** One step of one attempt. It is kept as `started` before anything runs, and again when it has ended. [EXEC-12] */
export const ledgerEntrySchema = recordOf(
  z.strictObject({
    execution_id: id,
    run_id: id,
    attempt: z.int().check(z.gte(1)),
    step_index: count,
    step_name: name,
    tool: name,
    state: z.enum(["started", "ended", "in_doubt"]),
    /** Null while it is not known. */
    success: z.nullable(z.boolean()),
    /** The beginning of what it printed. */
    return_value: z.string().check(maxLength(RETURN_CHARS)),
    artifacts,
    error,
    /** Of its result; whatever a program prints comes from outside. */
    taint: taintSchema,
    started_at: instantSchema,
    ended_at: z.nullable(instantSchema),
    duration_ms: z.nullable(z.number().check(z.gte(0))),
    exit: z.nullable(endSchema),
    /** Entries of before it was kept used none. */
    tokens_used: z.prefault(count, 0),
    cost_usd: z.prefault(z.number().check(z.gte(0)), 0),
    /** Left out for a step that nobody was asked about. */
    decision: z.optional(decisionSchema),
  }),
);
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;
export type LedgerEntryBody = z.input<typeof ledgerEntrySchema>;

/** What one check outside of the work said. [VER-03] */
export const checkResultSchema = recordOf(
  z.strictObject({
    name,
    passed: z.boolean(),
    reason: z.string().check(maxLength(ERROR_CHARS)),
    output: z.string().check(maxLength(CHECK_OUTPUT_CHARS)),
    exit_code: z.nullable(z.int()),
    /** Files this run changed that the check may rely on: its verdict is worth less. Left out when there are none. */
    changed_files: z.optional(z.array(z.string())),
  }),
);
export type CheckResult = z.infer<typeof checkResultSchema>;
export type CheckResultBody = z.input<typeof checkResultSchema>;

export const budgetUsedSchema = recordOf(
  z.strictObject({
    tokens: count,
    cost_usd: z.number().check(z.gte(0)),
    wall_time_seconds: z.number().check(z.gte(0)),
    attempts: count,
    planner_calls: count,
    executor_runs: count,
  }),
);
export type BudgetUsed = z.infer<typeof budgetUsedSchema>;

/** One use of an approval: everything that was tried on it, and how it ended. */
export const runRecordSchema = recordOf(
  z.strictObject({
    /** The lineage of attempts that the approval granted. */
    run_id: id,
    work_item_id: id,
    token_id: id,
    plan_hash: digest,
    status: z.enum(RUN_STATUSES),
    /** True only when there were checks and every one of them passed. [INV-03] */
    is_verified: z.boolean(),
    /** Somebody asked for a pause, and it comes before the next step. */
    is_pausing: z.prefault(z.boolean(), false),
    /** Left out when nothing is asked. */
    question: z.optional(questionSchema),
    /** Of the attempt that ended it; left out where no model worked. */
    said: z.optional(saidSchema),
    /** There from the question to the planner until the attempt that follows begins; left out otherwise. */
    consult: z.optional(awaitedSchema),
    /** What the planner advised for the attempt it is in; left out where it was not asked or gave nothing. [CONSULT-03] */
    guidance: z.optional(z.string().check(maxLength(LIMITS.adviceChars))),
    attempts: count,
    budget_used: budgetUsedSchema,
    last_error: error,
    /** Of the last time the checks ran. */
    results: z.array(checkResultSchema),
    /** Of the attempt that ended it. [EXEC-13] */
    artifacts,
    started_at: instantSchema,
    ended_at: z.nullable(instantSchema),
  }),
);
export type RunRecord = z.infer<typeof runRecordSchema>;
export type RunRecordBody = z.input<typeof runRecordSchema>;

export const ledgerEntryToWire = writerOf(ledgerEntrySchema);
export const runRecordToWire = writerOf(runRecordSchema);
