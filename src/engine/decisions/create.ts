import { LIMITS } from "#base";
import { beginsRun, decidedIdOf, type KeptRequest } from "#model";
import type { ApprovalStore } from "#ports";
import { createReader, UNUSED, type Outcome, type Reader, type ReaderDeps } from "../queue/reader.ts";
import type { LeasedMessage } from "../queue/table.ts";
import { settleByKind } from "./settle-by-kind.ts";
import type { DecisionParts } from "./settler.ts";

export type Decisions = Pick<Reader, "wake" | "retry" | "handleOnly" | "holds"> & {
  /** Waits for what follows from a decision, if its caller is told of that: a run and a trial go on beside the page. */
  follow(decision: KeptRequest): Promise<void>;
  /** Carries out whatever is decided, now and later, and begins what outlives a call. */
  start(): Promise<void>;
  /** Ends what was begun; answers when nothing of it goes on. */
  close(): Promise<void>;
};

type DecisionsDeps = Omit<ReaderDeps, "isStopped"> & {
  readonly store: Pick<ApprovalStore, "find">;
  /** Asked for when a message is handled: parts and the door that decides know each other. */
  readonly parts: () => DecisionParts;
};

/**
 * The one way a decision takes effect: its commit sends `decided`, and this reader settles it by the table. A decision that
 * a killed process left is delivered again, and settling it twice has one effect.
 */
export function createDecisions({ store, parts, ...deps }: DecisionsDeps): Decisions {
  let isRunning = false;
  const handle = async ({ message }: LeasedMessage, lost: AbortSignal): Promise<Outcome> => {
    if (message.kind !== "decided") return { how: "hopeless", reason: "not_understood" };
    const { requestId: request_id, kind, runId } = message.payload;
    const onFault = (fault: object) => deps.log.error("decision_not_settled", { request_id, kind, ...fault });
    const settled = settleByKind[kind](message.payload, { ...parts(), find: store.find, isRunning, onFault, lost });
    // A run that fails again and again is ended in words; any other decision has no such end and is never set aside.
    if (runId !== undefined) return settled;
    return settled.catch((cause: unknown) => {
      onFault({ cause });
      return UNUSED;
    });
  };
  const reader = createReader(
    // A stop keeps runs from beginning, and nothing else that the owner decides.
    { ...deps, isStopped: async () => false },
    {
      name: "main/decisions",
      kinds: ["decided"],
      // Runs hold their messages; how many of them go on at once is decided by the places and claims of their plans.
      atOnce: LIMITS.leasesHeld,
      handle,
      endDead: () => parts().runs.endDead(),
      halt: () => parts().runs.leave(),
    },
  );
  const { wake, retry, handleOnly, holds } = reader;
  return {
    wake,
    retry,
    handleOnly,
    holds,
    async follow(decision) {
      if (isAwaited(decision)) await handleOnly(decidedIdOf(decision.requestId));
    },
    async start() {
      await parts().connections.start(() => void retry());
      isRunning = true;
      reader.start();
    },
    async close() {
      isRunning = false;
      await reader.close();
      await parts().connections.close();
      await parts().skills.close();
    },
  };
}

/** The terminal waits for the trial of a skill and reports it; a page is told when it is over. */
function isAwaited(decision: KeptRequest): boolean {
  if (decision.state !== "approved") return true;
  return decision.kind === "skill_install" ? decision.decidedBy?.kind !== "owner" : !beginsRun(decision);
}
