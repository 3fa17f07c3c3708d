import { sha256Hex } from "#base";
import { auditDataSchemas, readExecution, type AuditDataOf, type AuditRow, type Execution, type Receipt } from "#model";
import { parseRow } from "./chain.ts";
import { grantedIn } from "./receipt-checks.ts";

type Reason = string | null;
type Shown = NonNullable<Receipt["executions"]>[number];
type Ended = AuditDataOf<"run_ended">;
type Settled = AuditDataOf<"run_settled">;

/** What the chain says of the ends of runs. */
type Told = { readonly ended: readonly Ended[]; readonly settled: readonly Settled[] };

/** Whether there is anything to judge: a run that the receipt shows, or one that its lines of the chain tell of. */
export const hasExecutions = ({ executions, decisions, audit }: Receipt): boolean =>
  executions !== undefined || decisions !== undefined || toldIn(audit ?? []).ended.length > 0;

/**
 * What was run is what the tokens were used for, and each record is the one whose hash the chain holds: none is changed,
 * added, repeated or missing.
 */
export function judgeExecutions(receipt: Receipt): Reason {
  const { executions = [], audit } = receipt;
  const told = toldIn(audit ?? []);
  const runIds = new Set<string>();
  for (const shown of executions) {
    const execution = readExecution(shown.record);
    if (execution === null) return "execution_unreadable";
    if (runIds.has(execution.run.run_id)) return "run_repeated";
    runIds.add(execution.run.run_id);
    const reason = judgeRun(receipt, execution) ?? judgeEnd({ shown, execution, told });
    if (reason !== null) return reason;
  }
  return told.ended.every(({ run_id }) => runIds.has(run_id)) ? null : "run_missing";
}

/** A run is one use of one of the tokens, for what that use was for. */
function judgeRun(receipt: Receipt, { run, ledger }: Execution): Reason {
  const granted = grantedIn(receipt).find(({ token }) => token.tokenId === run.token_id);
  if (granted === undefined) return "run_of_another_token";
  const use = granted.uses.find(({ attemptLineage }) => attemptLineage === run.run_id);
  if (use === undefined) return "run_without_use";
  if (use.contentHash !== run.plan_hash) return "run_of_another_plan";
  if (granted.token.scope !== "standing" && granted.token.workItemId !== run.work_item_id) return "run_of_another_item";
  const isOwn = ledger.every(({ run_id }) => run_id === run.run_id);
  const isOnce = new Set(ledger.map(({ execution_id }) => execution_id)).size === ledger.length;
  return isOwn && isOnce ? null : "ledger_differs";
}

type Ending = { readonly shown: Shown; readonly execution: Execution; readonly told: Told };

function judgeEnd({ shown, execution: { run }, told }: Ending): Reason {
  const [end, ...others] = told.ended.filter(({ run_id }) => run_id === run.run_id);
  if (end === undefined || others.length > 0) return "run_end_not_recorded";
  if (end.execution_hash !== sha256Hex(shown.record)) return "execution_changed";
  const passed = run.results.filter((result) => result.passed).length;
  const isSame =
    end.work_item_id === run.work_item_id &&
    end.status === run.status &&
    end.is_verified === run.is_verified &&
    end.attempts === run.attempts &&
    end.checks === run.results.length &&
    end.checks_passed === passed;
  if (!isSame) return "run_end_differs";
  const settled = told.settled.filter(({ run_id }) => run_id === run.run_id);
  if (shown.settlement === null) return settled.length === 0 ? null : "settlement_missing";
  return settled.length === 1 && settled[0]?.settlement_hash === sha256Hex(shown.settlement)
    ? null
    : "settlement_changed";
}

/** Lines that cannot be read are named by the check of the lines themselves. Ends without a hash are of an older Silas. */
function toldIn(lines: readonly AuditRow[]): Told {
  const entries = lines.flatMap((line) => {
    const entry = parseRow(line);
    return entry.ok ? [entry.value] : [];
  });
  const told = { ended: [] as Ended[], settled: [] as Settled[] };
  for (const { event, data } of entries) {
    const ended = event === "run_ended" ? auditDataSchemas.run_ended.safeParse(data).data : undefined;
    const settled = event === "run_settled" ? auditDataSchemas.run_settled.safeParse(data).data : undefined;
    if (ended?.execution_hash !== undefined) told.ended.push(ended);
    if (settled !== undefined) told.settled.push(settled);
  }
  return told;
}
