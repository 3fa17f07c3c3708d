import { oneLine } from "#base";
import { CARD_INTENT_CHARS, staysInside, type Card, type RiskLevel, type ShownPayload } from "#model";
import { cutLine } from "../card-words.ts";
import { riskOf } from "../risk.ts";

type Escalation = Extract<ShownPayload, { readonly kind: "permission_escalation" }>;
type EscalationWords = Pick<Card, "intent" | "rationale" | "affectedItems"> & {
  readonly approve: string;
  readonly decline: string;
  readonly further: readonly Card["ctas"][number][];
};

/** More of what it was granted already, or something else altogether: counted, and proposed by nobody. [PERM-03] [FLOW-20] */
export const escalationRisk = ({
  current_permissions: current,
  requested_permissions: requested,
}: Escalation): RiskLevel =>
  riskOf({
    scope: "connection_manage",
    actions: [staysInside({ current, requested }) ? "widen_connection" : "modify_connection_permissions"],
    reversibility: "reversible",
  });

/** What a step asks for, in words of Silas. Just this once is there only where the service can do that. [CARD-09] */
export function escalationWords(payload: Escalation): EscalationWords {
  const { connection_name: name, requested_permissions: requested, step, may_be_once: mayBeOnce } = payload;
  return {
    intent: cutLine(oneLine(`Let ${name} do more: ${requested.join(", ")}`), CARD_INTENT_CHARS),
    rationale: `The run waits at step ${step} until you decide.`,
    affectedItems: { count: 1, summary: "1 connection" },
    approve: "Approve for good: sign in again",
    decline: `Deny: the run ends before step ${step}`,
    further: mayBeOnce
      ? [{ action: "approve_once", role: "safe", consequenceLabel: "Just this once: nothing of it stays" }]
      : [],
  };
}
