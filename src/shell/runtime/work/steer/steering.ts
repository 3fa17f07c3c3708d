import { err, ok, type Result } from "#base";
import type { AuditActor, RunRecord, StoreFault, WorkRefusal } from "#model";
import type { Clock, WorkDoor, WorkStore } from "#ports";
import type { Runner } from "../runner.ts";
import { waitingRun } from "../unrun.ts";

type SteerDeps = {
  readonly store: WorkStore;
  readonly clock: Clock;
  readonly onChanged: () => void;
  readonly runner: Pick<Runner, "pause" | "resume" | "takeUp">;
  readonly isStopped: () => Promise<boolean>;
};
type Steered = Result<RunRecord, WorkRefusal | StoreFault>;

/** Holding runs and letting them go on: through what drives them, or in what is kept of those that nothing drives. */
export function createSteering(deps: SteerDeps): Pick<WorkDoor, "pause" | "resume"> {
  return {
    pause: (runId, actor) => steer(deps, { runId, actor, wish: "pause" }),
    resume: (runId, actor) => steer(deps, { runId, actor, wish: "resume" }),
  };
}

type Wish = { readonly runId: string; readonly actor: AuditActor; readonly wish: "pause" | "resume" };
const TRIES = 3;

async function steer(deps: SteerDeps, wish: Wish): Promise<Steered> {
  for (let tries = 1; ; tries += 1) {
    const steered = await steerOnce(deps, wish);
    // Somebody began it in the same moment; then there is something to talk to.
    if (steered.ok || steered.error.code !== "run_exists" || tries === TRIES) return steered;
  }
}

async function steerOnce(deps: SteerDeps, { runId, actor, wish }: Wish): Promise<Steered> {
  const before = await found(deps, runId);
  if (!before.ok) return before;
  const { run } = before.value;
  if (run.endedAt !== null) return err({ code: "run_over", runId, status: run.status });
  const isHeld = run.status === "paused" || run.isPausing;
  if (wish === "pause" && isHeld) return ok(run);
  // Going on would only find every door closed, and end there.
  if (wish === "resume" && (await deps.isStopped())) return err({ code: "work_stopped" });
  const isDone = await deps.runner[wish](runId, actor);
  // A project is held by its task, so that only what drives it knows.
  if (wish === "resume" && !isHeld && isDone !== true) return err({ code: "run_not_paused", runId });
  if (isDone === null) return keep(deps, { ...before.value, actor, wish });
  const after = await found(deps, runId);
  if (!after.ok) return after;
  return isDone ? ok(after.value.run) : err({ code: "run_not_pausable", runId });
}

type Found = { readonly run: RunRecord; readonly isKept: boolean };

async function found({ store }: SteerDeps, runId: string): Promise<Result<Found, WorkRefusal | StoreFault>> {
  const kept = await store.find(runId);
  if (!kept.ok) return kept;
  if (kept.value !== null) return ok({ run: kept.value, isKept: true });
  const grant = await store.grantOf(runId);
  if (!grant.ok) return grant;
  return grant.value === null
    ? err({ code: "run_unknown", runId })
    : ok({ run: waitingRun(grant.value), isKept: false });
}

type Keeping = Found & Pick<Wish, "actor" | "wish">;

/** Nothing drives it: what is kept says how it is taken up. */
async function keep(
  { store, clock, onChanged, runner }: SteerDeps,
  { run, isKept, actor, wish }: Keeping,
): Promise<Steered> {
  const at = clock.now();
  const resumed = run.attempts === 0 ? "pending" : "running";
  const held: RunRecord = { ...run, isPausing: false, status: wish === "pause" ? "paused" : resumed };
  // What it asks is asked on; it is held once that was decided.
  const changed: RunRecord = run.status === "waiting" ? { ...run, isPausing: wish === "pause" } : held;
  const kind = wish === "pause" ? "run_paused" : "run_resumed";
  const change = { run: changed, entries: [], events: [{ kind }] as const, at, actor };
  const written = await (isKept ? store.save(change) : store.begin(change));
  if (!written.ok) return written;
  onChanged();
  if (wish === "resume") await runner.takeUp();
  return ok(changed);
}
