import { err, ok, type Result } from "#base";
import type { Doubt, RunRecord, RunSettlement, StoreFault, WorkRefusal } from "#model";
import type { DoubtsDoor, Settling, WorkStore } from "#ports";
import type { GateDeps } from "../work/entry-gate.ts";
import type { RunSpaces } from "../work/spaces.ts";
import { askChecks } from "./ask-checks.ts";
import { doubtOf } from "./doubt.ts";
import { proposeSame, type SameDeps } from "./propose-same.ts";

export type DoubtsDeps = GateDeps & {
  readonly store: Pick<WorkStore, "find" | "grantOf" | "inDoubt" | "ledger" | "settle" | "settlementOf">;
  readonly spaces: RunSpaces;
  readonly proposals: SameDeps["proposals"];
  readonly onChanged: () => void;
};
type Doubts = DoubtsDoor & {
  /** Keeps nothing more: what was asked and not answered is still to be decided after the next start. */
  close(): void;
};

type Settled = Result<RunSettlement, WorkRefusal | StoreFault>;

/** What is to be decided about runs in doubt. The run stays as it ended; what was decided is kept beside it, once. */
export function createDoubts(deps: DoubtsDeps): Doubts {
  const { store } = deps;
  let isClosed = false;
  const settled = async (run: RunRecord, settling: Settling): Promise<Settled> => {
    const decided = await carryOut({ ...deps, isStopped: () => isClosed }, { run, ...settling });
    if (!decided.ok) return decided;
    const kept = await store.settle({ settlement: decided.value, actor: settling.actor });
    deps.onChanged();
    return kept.ok ? decided : kept;
  };
  return {
    close: () => void (isClosed = true),
    async list() {
      const runs = await store.inDoubt();
      if (!runs.ok) return runs;
      const doubts: Doubt[] = [];
      for (const run of runs.value) {
        const doubt = await doubtOf(deps, run);
        if (!doubt.ok) return doubt;
        doubts.push(doubt.value);
      }
      return ok(doubts);
    },
    async settle(runId, settling) {
      const run = await store.find(runId);
      if (!run.ok) return run;
      if (run.value === null) return err({ code: "run_unknown", runId });
      const { status } = run.value;
      if (status !== "in_doubt") return err({ code: "run_not_in_doubt", runId, status });
      const before = await store.settlementOf(runId);
      if (!before.ok) return before;
      if (before.value !== null) return err({ code: "run_settled", runId, choice: before.value.choice });
      return settled(run.value, settling);
    },
  };
}

type CarryDeps = DoubtsDeps & { readonly isStopped: () => boolean };
type Carried = Settling & { readonly run: RunRecord };

/** What the choice asks for is done first, so that what is kept says what came of it. */
async function carryOut(deps: CarryDeps, { run, choice, actor }: Carried): Promise<Settled> {
  const { runId } = run;
  const decided = { runId, choice, isVerified: false, results: [], requestId: null };
  const refused = (reason: string): Settled => err({ code: "run_not_settled", runId, reason });
  if (choice === "leave") return ok({ ...decided, at: deps.clock.now() });
  if (choice === "again") {
    const asked = await proposeSame(deps, { run, actor });
    if (!asked.ok) return "reason" in asked.error ? refused(asked.error.reason) : err(asked.error);
    return ok({ ...decided, requestId: asked.value, at: deps.clock.now() });
  }
  const asked = await askChecks(deps, run);
  if (!asked.ok) return "reason" in asked.error ? refused(asked.error.reason) : err(asked.error);
  return ok({ ...decided, ...asked.value, at: deps.clock.now() });
}
