/** What may become of a question to the owner; `expired` was decided by nobody. */
export const DECISION_STATES = ["pending", "approved", "declined", "expired"] as const;
