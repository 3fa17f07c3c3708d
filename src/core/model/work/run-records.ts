import * as z from "zod/mini";
import type { Sha256Hex } from "#base";
import { recordOf, snakeRecord } from "../approval/record-codec.ts";
import { instantSchema } from "../values.ts";

/**
 * What really happened while approved work ran: the run, its ledger of steps, and what the checks outside said. The
 * records follow from facts alone; nothing a program prints can set a field of them but the text it is quoted in.
 */

/**
 * `paused`: somebody holds it between two steps, and nothing of it runs until somebody lets it go on. `failed`: a task
 * of a project, or its own checks, did not succeed. `in_doubt`: a step was begun, its end was never seen, and it may have changed something outside of its workspace.
 */
export const RUN_STATUSES = [
  "pending",
  "running",
  "verifying",
  "paused",
  "done",
  "failed",
  "stuck",
  "blocked",
  "cancelled",
  "in_doubt",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** What a run or a step keeps of a text: enough to see what happened, little enough to list a thousand of them. */
export const RETURN_CHARS = 10_000;
export const CHECK_OUTPUT_CHARS = 1_000;
export const ERROR_CHARS = 1_000;

const id = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,159}$/));
const name = z.string().check(z.maxLength(160), z.regex(/\S/));
const count = z.int().check(z.gte(0));
const digest = z.pipe(
  z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  z.transform((text) => text as Sha256Hex),
);
const error = z.nullable(z.string().check(z.maxLength(ERROR_CHARS)));

const artifactSchema = z.strictObject({ sha256: digest, size: count });
/** What a step left under a name: the digest and the size of its bytes. */
export type Artifact = Readonly<z.infer<typeof artifactSchema>>;
const artifacts = z.record(z.string().check(z.maxLength(80)), artifactSchema);
export type Artifacts = Readonly<Record<string, Artifact>>;

/** How a program ended; null in a record for one that never started or was never seen to end. */
const endSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("exit"), code: z.int() }),
  z.strictObject({ kind: z.literal("signal"), signal: z.string() }),
  z.strictObject({ kind: z.literal("timeout") }),
  z.strictObject({ kind: z.literal("limit"), which: z.enum(["cpu", "memory", "output", "processes", "files"]) }),
]);

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
    return_value: z.string().check(z.maxLength(RETURN_CHARS)),
    artifacts,
    error,
    /** Whatever a program prints comes from outside. */
    taint: z.literal("external"),
    started_at: instantSchema,
    ended_at: z.nullable(instantSchema),
    duration_ms: z.nullable(z.number().check(z.gte(0))),
    exit: z.nullable(endSchema),
  }),
);
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;
export type LedgerEntryBody = z.input<typeof ledgerEntrySchema>;

/** What one check outside of the work said. [VER-03] */
export const checkResultSchema = recordOf(
  z.strictObject({
    name,
    passed: z.boolean(),
    reason: z.string().check(z.maxLength(ERROR_CHARS)),
    output: z.string().check(z.maxLength(CHECK_OUTPUT_CHARS)),
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

export const ledgerEntryToWire = (entry: LedgerEntry): LedgerEntryBody => snakeRecord(entry);
export const checkResultToWire = (result: CheckResult): CheckResultBody => snakeRecord(result);
export const runRecordToWire = (run: RunRecord): RunRecordBody => ({
  ...snakeRecord(run),
  budget_used: snakeRecord(run.budgetUsed),
  results: run.results.map(checkResultToWire),
});
