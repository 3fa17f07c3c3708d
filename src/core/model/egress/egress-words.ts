import { hostWords, type HostRule } from "./host-rule.ts";
import type { EgressRefusalReason } from "./records.ts";

/** What a program is told in place of an answer. */
export function egressWords(target: HostRule | null, reason: EgressRefusalReason): string {
  return `Silas did not connect to ${target === null ? "that" : hostWords(target)}: ${REASONS[reason]}`;
}

const REASONS: { readonly [R in EgressRefusalReason]: string } = {
  target_unreadable: "it names no host and port",
  host_not_granted: "it is not among the hosts of the approved plan",
  address_refused: "it stands for this machine or a network that is not the open internet",
  name_unknown: "nobody knows the name",
  unreachable: "nobody answered there",
  too_many_requests: "this run has asked too often",
  too_many_bytes: "this run has sent and received too much",
  not_recorded: "it could not be recorded, and what is not recorded does not happen",
};
