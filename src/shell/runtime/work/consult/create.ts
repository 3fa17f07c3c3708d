import { ok } from "#base";
import type { ModelLedger, Queue } from "#engine";
import type { ConsultStore, ModelGateway, ReviewFeed, StopStore, WorkStore } from "#ports";
import { stoppedFact } from "../../stop/stoppable.ts";
import { createHalting } from "../../talk/halting.ts";
import type { Work } from "../create.ts";
import type { ConsultConfig, ConsultDeps } from "./deps.ts";
import { loadTold } from "./load-told.ts";
import { createPlannerReader } from "./reader.ts";
import { withReplans } from "./with-replans.ts";

type ConsultStores = {
  readonly consults: ConsultStore;
  readonly calls: ModelLedger;
  readonly work: WorkStore;
  readonly queue: Queue;
  readonly approvals: ConsultDeps["approvals"];
  readonly stops: StopStore;
};
type Given = "readYaml" | "clock" | "timers" | "randomness" | "log" | "gates" | "proposals";
type PlannerParts<S extends ConsultStores> = Pick<ConsultDeps, Given> & {
  readonly config: ConsultConfig;
  readonly models: ModelGateway;
  readonly stores: S;
  readonly review: ReviewFeed;
};
type Planner<S> = {
  /** The same stores, where a run that is out of ways asks the planner as it ends. */
  readonly stores: S;
  /** The same work, which begins and ends with the planner, and whose runs tell of what it was asked. */
  around(work: Work): Work;
};

/** The planner as it is asked about runs: on the queue, once for each question, and never by a run itself. */
export function createPlanner<S extends ConsultStores>(parts: PlannerParts<S>): Planner<S> {
  const { config, models, stores, review } = parts;
  const { consults, calls, approvals, queue } = stores;
  const planner = models.setting.kind === "absent" ? "absent" : "set";
  const work = withReplans(stores.work, { approvals, planner, depthMax: config.execution.maxReplanDepth });
  const halting = createHalting();
  const deps: ConsultDeps = {
    ...parts,
    consults,
    calls,
    store: stores.work,
    queue,
    approvals,
    bus: config.bus,
    isStopped: stoppedFact(stores.stops),
    onChanged: review.changed,
    halting,
    settings: {
      constitution: config.personality.constitution,
      outputTokensMax: config.models.maxOutputTokens,
      tokensPerDay: config.models.tokensPerDay,
    },
  };
  return { stores: { ...stores, work }, around: (whole) => ({ ...whole, ...createLife(deps, { whole, review }) }) };
}

type Around = { readonly whole: Work; readonly review: ReviewFeed };

function createLife(
  deps: ConsultDeps,
  { whole, review }: Around,
): Pick<Work, "show" | "runGranted" | "start" | "close"> {
  const reader = createPlannerReader(deps);
  const { consults, halting, isStopped } = deps;
  let unsubscribe: (() => void) | null = null;
  const lookAgain = async (): Promise<void> => ((await isStopped()) ? halting.halt() : reader.retry());
  return {
    async show(runId) {
      const shown = await whole.show(runId);
      const asked = await consults.ofRun(runId);
      if (!shown.ok) return shown;
      if (!asked.ok) return asked;
      if (asked.value.length === 0) return shown;
      const told = await loadTold({ approvals: deps.approvals, list: whole.list }, asked.value);
      return told.ok ? ok({ ...shown.value, consults: told.value }) : told;
    },
    async runGranted(runId) {
      // What the run asks while it goes on is answered in this same process.
      const unheard = review.onChanged(reader.wake);
      await whole.runGranted(runId);
      unheard();
      await reader.idle();
    },
    async start() {
      await whole.start();
      unsubscribe ??= review.onStopChanged(() => void lookAgain());
      reader.start();
    },
    async close() {
      unsubscribe?.();
      await Promise.all([whole.close(), reader.close()]);
    },
  };
}
