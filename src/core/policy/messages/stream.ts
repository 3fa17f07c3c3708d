import type {
  ApprovedGoal,
  AuditDraft,
  Gate,
  GoalStream,
  Stream,
  StreamEnd,
  StreamGoal,
  ToldStream,
  WorkItem,
} from "#model";
import { streamWords } from "#model";

/** The newest goal that was approved for the conversation, as it was found. */
export type StreamCandidate = {
  readonly goal: ApprovedGoal;
  readonly isPaused: boolean;
  /** Read afresh from what was proposed; null when it cannot be read. */
  readonly item: WorkItem | null;
  /** The first reason why its approval does not hold; null when it does. */
  readonly refusal: string | null;
};

/** Gates that are asked when something is heard or said; the others belong to steps. */
export const conversationGates = ({ gates }: Pick<WorkItem, "gates">): readonly Gate[] =>
  gates.filter(({ on }) => on === "every_user_message" || on === "every_agent_response");

/**
 * Whether a goal says anything about messages. One that only has checks is no configuration: approving it must not take
 * the gates of another out of force.
 */
export const configuresConversation = (item: Pick<WorkItem, "agent" | "gates" | "accessLevels">): boolean =>
  item.agent === "stream" && (conversationGates(item).length > 0 || Object.keys(item.accessLevels).length > 0);

type StreamFacts = {
  readonly candidate: StreamCandidate | null;
  readonly isStopped: boolean;
  /** Names of the gates of the configuration: a goal adds to them and stands in the place of none. [GATE-02] */
  readonly systemGates: readonly string[];
};

/** What is in force for messages. INVARIANT: only somebody's decision takes a goal out; damage holds messages back. */
export function decideStream({ candidate, isStopped, systemGates }: StreamFacts): Stream {
  if (candidate === null) return { kind: "none" };
  const { goal, item, isPaused, refusal } = candidate;
  if (isPaused) return { kind: "out", goal, reason: "paused" };
  if (isStopped) return { kind: "out", goal, reason: "stopped" };
  const ended = refusal === null ? undefined : ENDED_BY[refusal];
  if (ended !== undefined) return { kind: "out", goal, reason: ended };
  if (refusal !== null || item === null) return { kind: "unverified", goal, reason: refusal ?? "plan_unreadable" };
  const isTaken = conversationGates(item).some(({ name }) => systemGates.includes(name));
  return isTaken ? { kind: "unverified", goal, reason: "gate_name_taken" } : { kind: "in_force", goal, item };
}

const ENDED_BY: { readonly [code: string]: StreamEnd | undefined } = {
  approval_key_revoked: "key_revoked",
  approval_expired: "approval_expired",
};

/** What the chain has to say after what it told last; null when it said all of it. */
export function tellStream(told: ToldStream | null, now: Stream): Pick<AuditDraft, "event" | "data"> | null {
  const before = told === null || told.state === "out" ? null : told;
  switch (now.kind) {
    case "none":
      return null;
    case "in_force": {
      if (before?.state !== "in_force") return { event: "stream_loaded", data: named(now.goal) };
      if (before.goal.requestId === now.goal.requestId) return null;
      const { goalId, requestId } = before.goal;
      const replaced = { replaced_goal_id: goalId, replaced_request_id: requestId };
      return { event: "stream_replaced", data: { ...named(now.goal), ...replaced } };
    }
    case "out": {
      if (before === null) return null;
      // What was in force is named: what came after it may never have been.
      const reason = before.goal.requestId === now.goal.requestId ? now.reason : "replaced";
      return { event: "stream_taken_out", data: { ...named(before.goal), reason } };
    }
    case "unverified": {
      const isTold = before?.state === "unverified" && before.goal.requestId === now.goal.requestId;
      if (isTold && before.reason === now.reason) return null;
      return { event: "stream_unverified", data: { ...named(now.goal), reason: now.reason } };
    }
  }
}

const named = ({ goalId, requestId, planHash }: StreamGoal) => ({
  goal_id: goalId,
  request_id: requestId,
  plan_hash: planHash,
});

type Asked = { readonly requestId: string; readonly item: WorkItem | null };

/** What one goal is to the conversation; null for one that says nothing about messages. */
export function streamOfGoal(stream: Stream, { requestId, item }: Asked): GoalStream | null {
  const isThis = stream.kind !== "none" && stream.goal.requestId === requestId;
  const configures = item !== null && configuresConversation(item);
  if (!configures && !(isThis && stream.kind === "unverified")) return null;
  const { state, reason } = isThis ? standing(stream) : { state: "out" as const, reason: "replaced" };
  return {
    state,
    words: streamWords(state, reason),
    gates: item === null ? [] : conversationGates(item).map(({ name, on }) => ({ name, on: on as Heard })),
    levels: Object.keys(item?.accessLevels ?? {}),
    mode: item?.interactionMode ?? "",
  };
}
type Heard = GoalStream["gates"][number]["on"];

function standing(stream: Exclude<Stream, { readonly kind: "none" }>): Pick<GoalStream, "state"> & {
  readonly reason: string | null;
} {
  return { state: stream.kind, reason: stream.kind === "in_force" ? null : stream.reason };
}
