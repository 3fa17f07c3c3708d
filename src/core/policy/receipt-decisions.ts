import { answerFault, ASKING_KINDS, readExecution, readPayload, replyOf, type Execution, type Receipt } from "#model";
import { isStepTool, TOOLS } from "#tools";

type Step = Execution["ledger"][number];
type Reason = string | null;

/**
 * Every step that needed an approval of its own has its receipt here, whole and proven, and for exactly that step of that
 * run: none is missing, exchanged or more. [WORK-24]
 */
export function judgeDecisions(receipt: Receipt, proven: (file: string) => Receipt | null): Reason {
  const { executions = [], decisions = [] } = receipt;
  const steps = executions.flatMap(({ record }) => {
    const execution = readExecution(record);
    return execution === null ? [] : execution.ledger.map((step) => ({ ...step, planHash: execution.run.plan_hash }));
  });
  const asked = steps.filter(({ decision }) => decision !== undefined);
  if (asked.length > decisions.length) return "decision_missing";
  if (asked.length < decisions.length) return "decision_added";
  for (const [index, step] of asked.entries()) {
    const own = proven(decisions[index] ?? "");
    if (own === null) return "decision_unproven";
    if (!isAbout(own, step)) return "decision_of_another_step";
  }
  return null;
}

/** The token was used once, for this operation, and what was signed names this step of this run with this tool. */
function isAbout({ token, uses, projection }: Receipt, step: Step & { readonly planHash: string }): boolean {
  const { decision } = step;
  const asked = readAsked({ token, projection });
  if (decision === undefined || asked === null) return false;
  const { operation_id: operation, run_id: run, plan_hash: plan, attempt, step: number } = asked;
  return (
    token.tokenId === decision.token_id &&
    operation === decision.operation_id &&
    uses.length === 1 &&
    uses[0]?.attemptLineage === operation &&
    run === step.run_id &&
    plan === step.planHash &&
    attempt === step.attempt &&
    number - 1 === step.step_index &&
    ("tool" in asked ? asked.tool === step.tool : asks(step.tool, asked.kind))
  );
}

/** Whether a tool of a plan asks this. */
const asks = (tool: string | undefined, kind: "decision" | "draft_review"): boolean =>
  tool !== undefined && isStepTool(tool) && TOOLS[tool].asks?.kind === kind;

/** What was asked about a step: a call that a gate held, or a question of the plan with an answer that was offered. */
function readAsked({ token, projection }: Pick<Receipt, "token" | "projection">) {
  for (const kind of ["step_approval", "permission_escalation", ...ASKING_KINDS] as const) {
    const read = readPayload(kind, projection);
    if (!read.ok) continue;
    const { payload } = read.value;
    if (payload.kind === "step_approval") return payload;
    if (payload.kind === "permission_escalation")
      return answerFault({ payload, answer: token.conditions["answer"] }) === null ? payload : null;
    const reply = replyOf({ payload, answer: token.conditions["answer"] });
    return reply !== null && (payload.kind === "decision" || payload.kind === "draft_review") ? payload : null;
  }
  return null;
}
