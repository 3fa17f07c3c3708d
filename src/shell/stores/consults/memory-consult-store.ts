import { err, ok } from "#base";
import { consultMessage, isConsultOver, type ApprovalLapse, type ConsultChange, type Consultation } from "#model";
import type { ConsultStore, QueueStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { begunDrafts, inOrder, isAsked, mayMove, movedDrafts } from "./drafts.ts";

type Parts = {
  readonly recordAct: RecordAct;
  readonly queue: Pick<QueueStore, "enqueue">;
  /** Why the approval of a run lets nobody be asked about it; null while it does. */
  readonly lapseFor: (change: ConsultChange) => ApprovalLapse | null;
};
export type MemoryConsults = ConsultStore & {
  /** What the commit that changes the run does besides. */
  readonly begin: (consultation: Consultation) => void;
};

/** The in-memory twin of the store of consultations: the same behaviour in the plainest code. */
export function createMemoryConsultStore({ recordAct, queue, lapseFor }: Parts): MemoryConsults {
  const kept = new Map<string, Consultation>();
  return {
    begin(consultation) {
      kept.set(consultation.consultationId, consultation);
      for (const draft of begunDrafts(consultation)) recordAct(draft);
      if (isConsultOver(consultation)) return;
      const message = consultMessage(consultation);
      void queue.enqueue({ queue: "planner_queue", message, at: consultation.beganAt });
    },
    find: async (consultationId) => ok(kept.get(consultationId) ?? null),
    ofRun: async (runId) => ok(inOrder([...kept.values()].filter((one) => one.runId === runId))),
    move: async (change) => {
      const { consultation } = change;
      const { consultationId } = consultation;
      const before = kept.get(consultationId);
      if (before === undefined) return err({ code: "consult_unknown", consultationId });
      if (!mayMove(before, change)) return err({ code: "consult_moved_on", consultationId, state: before.state });
      const reason = isAsked(change) ? lapseFor(change) : null;
      if (reason !== null) return err({ code: "approval_lapsed", runId: consultation.runId, reason });
      kept.set(consultationId, consultation);
      for (const draft of movedDrafts(change)) recordAct(draft);
      return ok(consultation);
    },
    tokensSince: async (at) =>
      ok(
        [...kept.values()]
          .filter(({ askedAt }) => askedAt !== null && askedAt >= at)
          .reduce((sum, { tokensUsed }) => sum + tokensUsed, 0),
      ),
  };
}
