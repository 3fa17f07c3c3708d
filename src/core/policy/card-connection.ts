import { readsOnly, type Card, type RiskLevel, type ShownPayload } from "#model";
import { quantity } from "./card-words.ts";
import { riskOf } from "./risk.ts";

type Setup = Extract<ShownPayload, { readonly kind: "connection_setup" }>;
type ConnectionWords = Pick<Card, "intent" | "rationale" | "affectedItems"> & {
  readonly approve: string;
  readonly decline: string;
};

/** By what is asked of the service, never by what the skill says of itself. [SETUP-10] */
export const connectionRisk = ({ permissions }: Pick<Setup, "permissions">): RiskLevel =>
  riskOf({
    scope: "connection_manage",
    actions: [permissions.every(readsOnly) ? "connect_to_read" : "connect_to_write"],
    reversibility: "reversible",
  });

const WAYS: { readonly [S in Setup["auth_strategy"]]: string } = {
  device_code: "You type a code on its own site",
  browser_redirect: "You sign in on its own page",
  secure_input: "You type a secret here, which goes to the vault",
};

/** What connecting means. What the skill says of itself stands beside it, and argues for nothing here. */
export function connectionWords({ service, auth_strategy, permissions, hosts }: Setup): ConnectionWords {
  const count = quantity(permissions.length, "permission");
  const kind = permissions.every(readsOnly) ? "to read" : "to read and change things";
  return {
    intent: `Connect to ${service.length > 60 ? "a service" : service}?`,
    rationale: `It asks for ${count}, ${kind}. ${WAYS[auth_strategy]}. Its scripts run in the sandbox and reach ${quantity(hosts.length, "host")}.`,
    affectedItems: { count: 1, summary: "1 connection" },
    approve: `Approve: connect with ${count}`,
    decline: "Decline: it is not connected",
  };
}
