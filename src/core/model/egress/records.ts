import type { HostRule } from "./host-rule.ts";

/** Why a request of a program did not leave the machine. */
export type EgressRefusalReason =
  /** No host and port can be read from it. */
  | "target_unreadable"
  | "host_not_granted"
  /** The name stands for this machine, its own network, or nothing a program may reach. */
  | "address_refused"
  | "name_unknown"
  | "unreachable"
  | "too_many_requests"
  | "too_many_bytes"
  /** The host did not prove who it is, or its answer held the secret, or could not be looked through. */
  | "credential_withheld"
  /** It could not be recorded, and what is not recorded does not happen. */
  | "not_recorded";

/** What came of the network of one run: told before the first byte leaves, for each refusal, and in sums at the end. */
export type EgressUse =
  | ({ readonly kind: "opened" } & HostRule)
  | { readonly kind: "refused"; readonly target: HostRule | null; readonly reason: EgressRefusalReason }
  | ({ readonly kind: "ended" } & HostRule & EgressSums);
export type EgressSums = {
  readonly requests: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
};
