import type { KeptRequest } from "#model";
import type { ApprovalStore, Log } from "#ports";
import { settleByKind } from "./settle-by-kind.ts";
import type { DecisionParts, Settling } from "./settler.ts";

export type Decisions = {
  /** Carries out one committed decision. It never fails: the decision stands, and what could not be done stays open. */
  settle(decision: KeptRequest): Promise<void>;
  /** Carries out what a dead process left open, and begins from now on what outlives a call. */
  start(): Promise<void>;
  /** Ends what was begun; answers when nothing of it goes on. */
  close(): Promise<void>;
};

type DecisionsDeps = DecisionParts & {
  /** Decisions that are made and not carried out. */
  readonly store: Pick<ApprovalStore, "uncarried">;
  readonly log: Pick<Log, "error">;
};

/** The one way a decision takes effect: the table, called after the commit and again at start for what is open. */
export function createDecisions({ store, log, ...parts }: DecisionsDeps): Decisions {
  let isRunning = false;
  let retrying: Promise<void> = Promise.resolve();
  const settle = async (decision: KeptRequest, how: Pick<Settling, "isAwaited">): Promise<void> => {
    const { requestId: request_id, kind } = decision;
    try {
      const settled = await settleByKind[kind](decision, { ...parts, ...how, isRunning });
      if (!settled.ok) log.error("decision_not_settled", { request_id, kind, ...settled.error });
    } catch (cause) {
      log.error("decision_not_settled", { request_id, kind, cause });
    }
  };
  const settleOpen = async (except?: string): Promise<void> => {
    const open = await store.uncarried();
    if (!open.ok) return log.error("decisions_not_read", open.error);
    for (const decision of open.value) if (decision.requestId !== except) await settle(decision, { isAwaited: true });
  };
  return {
    async settle(decision) {
      await settle(decision, { isAwaited: decision.decidedBy?.kind !== "owner" });
      // Decisions that a fault left open are tried again; the caller does not wait for them.
      if (isRunning) retrying = retrying.then(() => (isRunning ? settleOpen(decision.requestId) : undefined));
    },
    async start() {
      await parts.connections.start();
      isRunning = true;
      await settleOpen();
    },
    async close() {
      isRunning = false;
      await retrying;
      await parts.connections.close();
      await parts.skills.close();
    },
  };
}
