import { reasonWords } from "../audit/reason-words.ts";
import { hostWords, type HostRule } from "./host-rule.ts";
import type { EgressRefusalReason } from "./records.ts";

/** What a program is told in place of an answer. */
export function egressWords(target: HostRule | null, reason: EgressRefusalReason): string {
  return `Silas did not connect to ${target === null ? "that" : hostWords(target)}: ${REASONS[reason]}`;
}

/** The same reason as the chain has it. */
export const egressReason = (code: string): string =>
  Object.hasOwn(REASONS, code) ? REASONS[code as EgressRefusalReason] : reasonWords(code);

const REASONS: { readonly [R in EgressRefusalReason]: string } = {
  target_unreadable: "it names no host and port",
  host_not_granted: "it is not among the hosts of the approved plan",
  address_refused: "it stands for this machine or a network that is not the open internet",
  name_unknown: "nobody knows the name",
  unreachable: "nobody answered there",
  too_many_requests: "this run has asked too often",
  too_many_bytes: "this run has sent and received too much",
  credential_withheld: "the host did not prove who it is, or its answer held a secret or could not be looked through",
  not_recorded: "it could not be recorded, and what is not recorded does not happen",
};
