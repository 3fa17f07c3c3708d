import { err, ok, type Result } from "#base";
import type { CheckResult, RunRecord, StoreFault } from "#model";
import type { WorkStore } from "#ports";
import { proves } from "#work";
import { checkEntry, type GateDeps } from "../work/entry-gate.ts";
import { loadPlan, mayPass } from "../work/load-plan.ts";
import { performChecks } from "../work/perform-checks.ts";
import type { RunSpaces } from "../work/spaces.ts";

type AskDeps = GateDeps & {
  readonly store: Pick<WorkStore, "grantOf">;
  readonly spaces: RunSpaces;
  readonly isStopped: () => boolean;
};

/** What they said, and whether that shows anything: the same rule as for a run that was not interrupted. [INV-03] */
type Asked = { readonly results: CheckResult[]; readonly isVerified: boolean };

/** Why they cannot be asked: a code, or the words of what kept the sandbox closed. */
type NotAsked = { readonly reason: string };

/**
 * The checks of a plan whose run is in doubt, asked as after an interruption: they see the places outside, and an empty
 * workspace, since none outlives its run. The approval is checked as before every run, for the moment at which the run
 * began: what began in time may be looked at later. [INV-01]
 */
export async function askChecks(deps: AskDeps, run: RunRecord): Promise<Result<Asked, NotAsked | StoreFault>> {
  const grant = await deps.store.grantOf(run.runId);
  if (!grant.ok) return grant;
  if (grant.value === null) return err({ reason: "approval_missing" });
  const loaded = await loadPlan(deps, grant.value);
  if (!loaded.ok) return mayPass(loaded.error) ? asFault(loaded.error) : err({ reason: loaded.error.code });
  const { item: plan } = loaded.value;
  if (plan.verify.length === 0) return ok({ results: [], isVerified: false });
  const cleared = await checkEntry(deps, { ...loaded.value, since: run.startedAt });
  if (!cleared.ok) return mayPass(cleared.error) ? asFault(cleared.error) : err({ reason: cleared.error.code });
  const empty = await deps.spaces.forSteps(cleared.value, { ...plan, skills: [] });
  if (!empty.ok) return err({ reason: empty.error });
  try {
    const { workspace } = empty.value;
    const opened = await deps.spaces.forChecks(cleared.value, { plan, workspace });
    if (!opened.ok) return err({ reason: opened.error });
    const { isStopped } = deps;
    const asked = { plan, space: opened.value, workspace, isStopped, onCheck: () => {}, onLine: () => {} };
    const results = [...(await performChecks(asked))];
    await opened.value.close();
    if (isStopped() || results.length < plan.verify.length) return err({ reason: "silas_stopping" });
    return ok({ results, isVerified: proves(plan.verify) && results.every(({ passed }) => passed) });
  } finally {
    await empty.value.close();
  }
}

const asFault = (error: object): Result<never, StoreFault> => err(error as StoreFault);
