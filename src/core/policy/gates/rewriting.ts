import type { Gate } from "#model";
import { gatesFor } from "./lanes.ts";
import { SHIPPED_VALIDATORS } from "./validators/shipped.ts";

/**
 * Whether a gate could take words out of a message. Validators that ship with Silas say so themselves; any other gate
 * might, so a message that it has not judged yet is not shown.
 */
export function mayRewriteMessages(gates: readonly Gate[]): boolean {
  const { policy } = gatesFor({ system: gates, item: [] }, { trigger: "every_user_message", stepIndex: null });
  return policy.some(({ provider, check }) => {
    const validator = provider === "guardrails_ai" && check !== null ? SHIPPED_VALIDATORS[check] : undefined;
    return validator === undefined || validator.rewrites === true;
  });
}
