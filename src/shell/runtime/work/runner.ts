import { LIMITS, ok, type Result } from "#base";
import type { AuditActor, RunProgress, RunRecord, StoreFault, WorkRefusal } from "#model";
import type { GrantedRun } from "#ports";
import { createRun, reloadRun } from "#work";
import { blockedRun, cancelledRun } from "./unrun.ts";
import { driveRun, type DriveDeps, type Driving, type DrivenRun } from "./drive.ts";
import { loadPlan, mayPass } from "./load-plan.ts";
import { createTurns } from "./turns.ts";

export type Runner = {
  /** Takes up what an earlier process left, then whatever is granted, now and later. */
  start(): Promise<void>;
  /** Looks for what was granted since. */
  look(): void;
  /** Runs one grant alone, and answers when it is over. */
  runOne(grant: GrantedRun): Promise<void>;
  progressOf(runId: string): RunProgress | null;
  /** Whether it ran here, and is now being ended; settles when it has ended. */
  cancel(runId: string, actor: AuditActor): Promise<boolean>;
  close(): Promise<void>;
};

/**
 * Everything that is granted runs, a few at a time and the oldest first. INVARIANT: a run is driven by one place: whoever
 * holds the data directory, and there once. [WSTORE-06]
 */
export function createRunner(deps: DriveDeps): Runner {
  const driven = new Map<string, DrivenRun>();
  const taken = new Set<string>();
  const turns = createTurns(LIMITS.runsAtOnce);
  let phase: "idle" | "on" | "closed" = "idle";

  const drive = async (preparing: Preparing): Promise<void> => {
    const run = await prepare(deps, preparing);
    if (run === null || phase === "closed") return;
    const { runId } = preparing.grant;
    const going = driveRun(deps, run);
    driven.set(runId, going);
    await going.ended;
    driven.delete(runId);
  };
  const enqueue = async (preparing: Preparing): Promise<void> => {
    const { runId } = preparing.grant;
    if (taken.has(runId)) return;
    taken.add(runId);
    await turns
      .add(() => drive(preparing))
      .catch((cause: unknown) => deps.log.error("run_broken", { run_id: runId, cause }));
  };
  const lookNow = async (): Promise<void> => {
    if (phase !== "on") return;
    const granted = await deps.store.waiting();
    if (!granted.ok) return deps.log.error("runs_unreadable", granted.error);
    for (const grant of granted.value) void enqueue({ grant, kept: null });
  };
  return {
    async start() {
      phase = "on";
      for (const left of await leftBehind(deps)) void enqueue(left);
      await lookNow();
    },
    look: () => void lookNow(),
    runOne: (grant) => enqueue({ grant, kept: null }),
    progressOf: (runId) => driven.get(runId)?.progress() ?? null,
    async cancel(runId, actor) {
      const going = driven.get(runId);
      going?.cancel(actor);
      await going?.ended;
      return going !== undefined;
    },
    async close() {
      phase = "closed";
      turns.close();
      await Promise.all([...driven.values()].map((going) => going.leave()));
    },
  };
}

/** What an earlier process began and did not end. */
async function leftBehind(deps: DriveDeps): Promise<readonly Preparing[]> {
  const left = await deps.store.unfinished();
  if (!left.ok) deps.log.error("runs_unreadable", left.error);
  const found: Preparing[] = [];
  for (const run of left.ok ? left.value : []) {
    const grant = await deps.store.grantOf(run.runId);
    if (grant.ok && grant.value !== null) found.push({ grant: grant.value, kept: run });
    else if (grant.ok) await endWithoutGrant(deps, run);
  }
  return found;
}

type Preparing = { readonly grant: GrantedRun; readonly kept: RunRecord | null };

/** Null when it cannot run at all, which is then kept and recorded. */
async function prepare(deps: DriveDeps, { grant, kept }: Preparing): Promise<Driving | null> {
  const now = await deps.store.find(grant.runId);
  // Somebody ended it while it waited.
  if (!now.ok || (now.value !== null && now.value.endedAt !== null)) return null;
  const at = deps.clock.now();
  const loaded = await loadPlan(deps, grant);
  if (!loaded.ok) {
    if (mayPass(loaded.error)) deps.log.error("run_stopped", { run_id: grant.runId, ...loaded.error });
    else await keepBlocked(deps, { grant, kept, reason: loaded.error.code });
    return null;
  }
  const { item: plan, contentHash: planHash } = loaded.value;
  const { runId, tokenId } = grant;
  if (kept === null) {
    return { loaded: loaded.value, known: "new", state: createRun({ plan, runId, tokenId, planHash, at }) };
  }
  const ledger = await deps.store.ledger(runId);
  if (!ledger.ok) {
    deps.log.error("run_stopped", { run_id: runId, ...ledger.error });
    return null;
  }
  const state = reloadRun({ plan, run: kept, ledger: ledger.value, at });
  return { loaded: loaded.value, known: "kept", state };
}

type Blocked = Preparing & { readonly reason: string };

async function keepBlocked(deps: DriveDeps, { grant, kept, reason }: Blocked): Promise<void> {
  const at = deps.clock.now();
  const events = [{ kind: "execution_blocked_no_approval", reason }, { kind: "run_ended" }] as const;
  const change = { run: blockedRun({ grant, kept, reason, at }), entries: [], events, at, actor: SYSTEM };
  const written = await (kept === null ? deps.store.begin(change) : deps.store.save(change));
  if (!written.ok) deps.log.error("run_stopped", { run_id: grant.runId, ...written.error });
  deps.onChanged();
}

/** Its grant is gone, so that nothing can tell any more whether it was approved. */
async function endWithoutGrant(deps: DriveDeps, run: RunRecord): Promise<void> {
  const { runId, workItemId, tokenId, planHash, startedAt } = run;
  const grant = { runId, requestId: "", workItemId, tokenId, planHash, grantedAt: startedAt };
  await keepBlocked(deps, { grant, kept: run, reason: "approval_missing" });
}

const SYSTEM: AuditActor = { kind: "system" };

/** Ends a run that nothing drives here: one that waits, or one that another process left. */
export async function cancelUndriven(
  { store, clock, onChanged }: Pick<DriveDeps, "store" | "clock" | "onChanged">,
  { grant, kept, actor }: Preparing & { readonly actor: AuditActor },
): Promise<Result<RunRecord, StoreFault | WorkRefusal>> {
  const at = clock.now();
  const run = cancelledRun({ grant, kept, at });
  const change = { run, entries: [], events: [{ kind: "run_ended" }] as const, at, actor };
  const written = await (kept === null ? store.begin(change) : store.save(change));
  onChanged();
  return written.ok ? ok(run) : written;
}
