import type { Sha256Hex } from "#base";
import type { WorkItem } from "../work/work-records.ts";
import type { ApprovedGoal } from "./goal-records.ts";

/**
 * The conversation as an approved goal configures it. A goal of the lane `stream` is never run: its gates join those of
 * the configuration for messages and replies, and its levels say what connections that are not the owner's may do.
 */

/** Why an approved goal is not in force for messages, by a decision somebody made. */
export const STREAM_ENDS = ["paused", "stopped", "key_revoked", "approval_expired", "replaced"] as const;
export type StreamEnd = (typeof STREAM_ENDS)[number];

export type StreamGoal = { readonly goalId: string; readonly requestId: string; readonly planHash: Sha256Hex };

/** What holds for messages now, besides the configuration. Only `none` and `out` leave that alone in force. */
export type Stream =
  | { readonly kind: "none" }
  | { readonly kind: "in_force"; readonly goal: ApprovedGoal; readonly item: WorkItem }
  | { readonly kind: "out"; readonly goal: StreamGoal; readonly reason: StreamEnd }
  /** Something was approved and cannot be verified: no message passes while it is so. */
  | { readonly kind: "unverified"; readonly goal: StreamGoal; readonly reason: string };

/** What the chain last told about it, and where. */
export type ToldStream = {
  readonly seq: number;
  readonly state: "in_force" | "out" | "unverified";
  readonly goal: StreamGoal;
  readonly reason: string | null;
};

export type StreamEvent = "stream_loaded" | "stream_replaced" | "stream_taken_out" | "stream_unverified";

/** How a goal stands in the conversation, for people. */
export const STREAM_STATES = ["in_force", "out", "unverified"] as const;

/** One short sentence about it. */
export function streamWords(state: (typeof STREAM_STATES)[number], reason: string | null): string {
  if (state === "in_force") return "In force for messages";
  if (state === "unverified") {
    return `Cannot be verified (${reason ?? "unknown"}), so every message is blocked. Pausing it leaves messages to the gates of the configuration`;
  }
  return `Not in force for messages: ${STREAM_END_WORDS[reason as StreamEnd] ?? reason ?? ""}`;
}

export const STREAM_END_WORDS: Readonly<Record<StreamEnd, string>> = {
  paused: "it is paused",
  stopped: "everything is stopped",
  key_revoked: "the key that approved it was revoked",
  approval_expired: "its approval is over",
  replaced: "what was approved after it took its place",
};
