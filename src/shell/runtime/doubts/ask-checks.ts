import { err, ok, type Result } from "#base";
import type { CheckResult, RunRecord, StoreFault } from "#model";
import type { WorkStore } from "#ports";
import { checkEntry, type GateDeps } from "../work/entry-gate.ts";
import { loadPlan, mayPass } from "../work/load-plan.ts";
import { performChecks } from "../work/perform-checks.ts";
import type { RunSpaces } from "../work/spaces.ts";

export type AskDeps = GateDeps & {
  readonly store: Pick<WorkStore, "grantOf">;
  readonly spaces: RunSpaces;
  readonly isStopped: () => boolean;
};

/** Why they cannot be asked: a code, or the words of what kept the sandbox closed. */
type NotAsked = { readonly reason: string };

/**
 * The checks of a plan whose run is in doubt, asked as after an interruption: they see the places outside, and an empty
 * workspace, since none outlives its run. The approval is checked as before every run, for the moment at which the run
 * began: what began in time may be looked at later. [INV-01]
 */
export async function askChecks(
  deps: AskDeps,
  run: RunRecord,
): Promise<Result<readonly CheckResult[], NotAsked | StoreFault>> {
  const grant = await deps.store.grantOf(run.runId);
  if (!grant.ok) return grant;
  if (grant.value === null) return err({ reason: "approval_missing" });
  const loaded = await loadPlan(deps, grant.value);
  if (!loaded.ok) return mayPass(loaded.error) ? asFault(loaded.error) : err({ reason: loaded.error.code });
  const { item: plan } = loaded.value;
  if (plan.verify.length === 0) return ok([]);
  const cleared = await checkEntry(deps, { ...loaded.value, since: run.startedAt });
  if (!cleared.ok) return mayPass(cleared.error) ? asFault(cleared.error) : err({ reason: cleared.error.code });
  const empty = await deps.spaces.forSteps(cleared.value, plan);
  if (!empty.ok) return err({ reason: empty.error });
  try {
    const { workspace } = empty.value;
    const opened = await deps.spaces.forChecks(cleared.value, { plan, workspace });
    if (!opened.ok) return err({ reason: opened.error });
    const { isStopped } = deps;
    const asked = { plan, space: opened.value, workspace, isStopped, onCheck: () => {}, onLine: () => {} };
    const results = await performChecks(asked);
    await opened.value.close();
    return isStopped() || results.length < plan.verify.length ? err({ reason: "silas_stopping" }) : ok(results);
  } finally {
    await empty.value.close();
  }
}

const asFault = (error: object): Result<never, StoreFault> => err(error as StoreFault);
