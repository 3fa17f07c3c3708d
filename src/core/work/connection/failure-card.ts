import type { ConnectionCardOf, ConnectionFailure, FailureType, RecoveryOption } from "#model";

const option = (action: string, label: string, description: string): RecoveryOption => ({
  action,
  label,
  description,
  risk_level: "low",
});
const SKIP = option("skip", "Skip", "Leave it unconnected and clear this card.");
const RETRY = option("retry", "Retry", "Ask once more to connect; you approve it again.");
const RECONNECT = option("reconnect", "Reconnect", "Sign in again from the beginning; you approve it first.");
const FEWER = option(
  "retry_fewer_permissions",
  "Retry with fewer permissions",
  "Ask once more with only those permissions that let it read.",
);

/** The ways on from each type of failure, before `Skip`. [RECOV-01] */
const CHIPS: { readonly [T in Exclude<FailureType, "unknown">]: readonly RecoveryOption[] } = {
  enterprise_policy_block: [
    option("draft_it_request", "Draft IT request", "Propose a plan that writes a letter to whoever decides there."),
    option("use_personal_account", "Use personal account", "Ask once more, without the organisation."),
  ],
  consent_denied: [RETRY, FEWER],
  mfa_required: [RETRY],
  token_revoked: [RECONNECT],
  rate_limited: [],
  service_unavailable: [option("retry_later", "Retry later", "Look again at the next look that is due.")],
};

const MESSAGES: { readonly [T in Exclude<FailureType, "unknown">]: (service: string) => string } = {
  enterprise_policy_block: (service) => `A policy of your organisation keeps Silas from ${service}.`,
  consent_denied: (service) => `The sign-in at ${service} was declined. It is not connected.`,
  mfa_required: (service) => `${service} asks for a second factor before it lets anybody in.`,
  token_revoked: (service) => `${service} has taken the access back: a changed password, an administrator, or time.`,
  rate_limited: (service) => `${service} takes no more requests for now.`,
  service_unavailable: (service) => `${service} does not answer.`,
};

type FailureFacts = {
  readonly failure: ConnectionFailure;
  /** Attempts of this episode, the tapped ones among them. */
  readonly attempts: number;
  readonly attemptsMax: number;
};

/** How long to wait, as the script says it; a service that says nothing is asked again in a quarter of an hour. */
const MINUTES = /\b(\d{1,4})\s*min/;

/** The chips of a failure; `Skip` is always the last of them. [RECOV-01] [RECOV-08] [CARD-10] */
export function recoveryOptions({ failure, attempts, attemptsMax }: FailureFacts): readonly RecoveryOption[] {
  // Trying has not helped: what is left is to begin anew.
  if (attempts >= attemptsMax) return [RECONNECT, SKIP];
  const { failure_type: type, recovery_options: said } = failure;
  if (type === "unknown") {
    const own = said.filter(({ action }) => action !== "skip");
    return [...(own.length === 0 ? [RETRY] : own), SKIP];
  }
  if (type === "rate_limited") {
    const minutes = MINUTES.exec(failure.message)?.[1] ?? "15";
    return [option("retry_in", `Retry in ${minutes} minutes`, "Look again by itself when that time is over."), SKIP];
  }
  return [...CHIPS[type], SKIP];
}

/** How long `retry_in` waits. */
export const retryMinutes = ({ message }: ConnectionFailure): number => Number(MINUTES.exec(message)?.[1] ?? "15");

export function failureCard(facts: FailureFacts): ConnectionCardOf<"connection_failure"> {
  const { failure } = facts;
  const options = recoveryOptions(facts);
  const { failure_type: type, service } = failure;
  const wait = type === "rate_limited" ? ` Try again in ${retryMinutes(failure)} minutes.` : "";
  const message = type === "unknown" ? failure.message : `${MESSAGES[type](service)}${wait}`;
  return {
    card_type: "connection_failure",
    intent: `${service.slice(0, 50)} is not connected`,
    risk_level: "low",
    rationale: message,
    failure_type: type,
    service,
    message,
    recovery_options: [...options],
    ctas: options.map(({ action, label, description }, index) => ({
      action,
      role: index === 0 && action !== "skip" ? "recommended" : action === "skip" ? "decline" : "safe",
      label,
      consequence_label: description,
    })),
  };
}
