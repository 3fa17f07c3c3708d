import { ok, type Sha256Hex } from "#base";
import type { ApprovedGoal, StreamEvent, ToldStream } from "#model";
import type { StreamStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { TOLD_STATES } from "./stream-store.ts";

export type MemoryStreamParts = {
  readonly recordAct: RecordAct;
  /** The newest approval of each goal of the conversation, the last one first. */
  readonly approved: () => readonly ApprovedGoal[];
};

/** The in-memory twin of the stream store: the same behaviour in the plainest code. */
export function createMemoryStreamStore({ recordAct, approved }: MemoryStreamParts): StreamStore {
  let last: ToldStream | null = null;
  return {
    approved: async () => ok(approved()),
    told: async () => ok(last),
    tell: async ({ after, draft }) => {
      if ((last?.seq ?? 0) !== after) return ok();
      recordAct(draft);
      const { goal_id: goalId, request_id: requestId, plan_hash: planHash, reason } = draft.data as Told;
      const goal = { goalId, requestId, planHash };
      last = { seq: after + 1, state: TOLD_STATES[draft.event as StreamEvent], goal, reason: reason ?? null };
      return ok();
    },
  };
}

type Told = {
  readonly goal_id: string;
  readonly request_id: string;
  readonly plan_hash: Sha256Hex;
  readonly reason?: string;
};
