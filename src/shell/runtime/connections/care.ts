import { ok, type Instant, type Result } from "#base";
import { instantSchema, type ConnectionFailure, type HealthCheck, type StoreFault } from "#model";
import type { KeptConnection } from "#ports";
import { lookedAt, planCare } from "#work";
import { failureOf, faultFailure, oneAnswer, unknownFailure } from "./answers.ts";
import { draftFor, type ConnectionDeps } from "./deps.ts";
import { wipe } from "./lent.ts";
import { lookAt, type Looking } from "./look.ts";
import { runScript } from "./run-script.ts";
import { keepSecrets } from "./secrets-of.ts";
import { loadApproved } from "./setup.ts";

const MINUTE_MS = 60_000;
const SCRIPT_MS = 60_000;

/** When a connection is to be renewed; null for never by itself. */
type Cared = { readonly refreshAt: Instant | null };

/** Looks at a connection, and renews or repairs it where that is due. [REFRESH-01] [RECOV-03 to RECOV-06] */
export async function careFor(deps: ConnectionDeps, of: KeptConnection): Promise<Result<Cared, StoreFault>> {
  const approved = await loadApproved(deps, of);
  if (!approved.ok)
    return fail(deps, { of, failure: unknownFailure(of.service, `It cannot be used: ${approved.error}.`) });
  const looking = { of, ...approved.value };
  const looked = await lookAt(deps, looking);
  if (!looked.ok) return repair(deps, { looking, error: looked.error.message });
  const aheadMs = deps.config.connections.refreshAheadWindowMinutes * MINUTE_MS;
  const at = deps.clock.now();
  const plan = planCare({ health: looked.value, at, aheadMs });
  if (plan.kind === "recover") return repair(deps, { looking, error: errorOf(looked.value) });
  if (plan.kind === "refresh_then_recover") {
    const renewed = await refresh(deps, looking);
    return renewed.ok ? renewed : repair(deps, { looking, error: errorOf(looked.value) });
  }
  const healthy = {
    ...of,
    record: { ...lookedAt(of.record, { health: looked.value, at }), status: "active" as const },
    failure: null,
    attempts: 0,
  };
  const kept = await deps.store.replace({ before: of, after: healthy, draft: null });
  if (!kept.ok) return kept;
  // Somebody signs in or removed it meanwhile: what was seen is of another connection than this.
  if (!kept.value) return ok({ refreshAt: null });
  if (plan.kind === "refresh_at") return ok({ refreshAt: plan.at });
  if (plan.kind === "nothing") return ok({ refreshAt: null });
  const renewed = await refresh(deps, { ...looking, of: healthy });
  return renewed.ok ? renewed : repair(deps, { looking: { ...looking, of: healthy }, error: renewed.error.message });
}

const errorOf = ({ error }: HealthCheck): string => error ?? "It does not work.";

/** Renews what opens a connection; nobody sees anything of it. [REFRESH-01] */
async function refresh(deps: ConnectionDeps, looking: Looking): Promise<Result<Cared, ConnectionFailure>> {
  const { of, manifest } = looking;
  const input = { connection_id: of.record.connectionId };
  const ran = await runScript(deps, {
    ...looking,
    script: "refresh_token",
    reach: "approved",
    input,
    timeoutMs: SCRIPT_MS,
  });
  if (!ran.ok) return { ok: false, error: faultFailure(of.service, ran.error) };
  const said = oneAnswer(ran.value.stdout);
  const { success, new_expires_at: given = null } = (said ?? {}) as {
    readonly success?: unknown;
    readonly new_expires_at?: unknown;
  };
  const expires = given === null ? null : instantSchema.safeParse(given);
  if (success !== true || expires?.success === false) return { ok: false, error: failureOf(of.service, said) };
  if (!(await isStillOpenedBy(deps, of))) {
    wipe(ran.value.handed);
    return ok({ refreshAt: null });
  }
  const stored = await keepSecrets(deps, { of, manifest, handed: ran.value.handed });
  if (!stored.ok)
    return { ok: false, error: unknownFailure(of.service, "What was renewed could not be put into the vault.") };
  const at = deps.clock.now();
  const tokenExpiresAt = expires?.data ?? null;
  const record = { ...of.record, status: "active" as const, tokenExpiresAt, lastRefresh: at };
  const after = { ...of, record, failure: null, attempts: 0 };
  const draft = draftFor(deps, { of, event: "connection_refreshed", data: {} });
  const kept = await deps.store.replace({ before: of, after, draft });
  if (!kept.ok) return { ok: false, error: unknownFailure(of.service, "What was renewed could not be kept.") };
  const aheadMs = deps.config.connections.refreshAheadWindowMinutes * MINUTE_MS;
  const plan = planCare({ health: healthOf(tokenExpiresAt), at, aheadMs });
  // A token that lives no longer than the window would be renewed without end: the next look decides.
  return ok({ refreshAt: plan.kind === "refresh_at" ? plan.at : null });
}

/**
 * Whether what a script handed over is for the connection that is there now: one that was removed, or was given more
 * meanwhile, is opened by something else, and that stays.
 */
async function isStillOpenedBy({ store }: ConnectionDeps, of: KeptConnection): Promise<boolean> {
  const found = await store.find(of.record.connectionId);
  const now = found.ok ? found.value : null;
  if (now === null || now.treeDigest !== of.treeDigest || now.requestId !== of.requestId) return false;
  return now.record.permissionsGranted.join(" ") === of.record.permissionsGranted.join(" ");
}

const healthOf = (token_expires_at: Instant | null): HealthCheck => ({
  healthy: true,
  token_expires_at,
  refresh_token_expires_at: null,
  latency_ms: 0,
  error: null,
  warnings: [],
});

type Repairing = { readonly looking: Looking; readonly error: string };

/** At most once by itself until it works again: what fails a second time is the owner's to decide. [RECOV-06] */
async function repair(deps: ConnectionDeps, { looking, error }: Repairing): Promise<Result<Cared, StoreFault>> {
  if (deps.isClosing()) return ok({ refreshAt: null });
  const { of } = looking;
  if (!deps.config.connections.autoRecoveryEnabled || of.attempts > 0) {
    return fail(deps, { of, failure: unknownFailure(of.service, error) });
  }
  const input = { connection_id: of.record.connectionId, error };
  const ran = await runScript(deps, { ...looking, script: "recover", reach: "approved", input, timeoutMs: SCRIPT_MS });
  const attempts = of.attempts + 1;
  if (!ran.ok) return fail(deps, { of, attempts, failure: faultFailure(of.service, ran.error) });
  const said = oneAnswer(ran.value.stdout);
  if ((said as { readonly success?: unknown } | null)?.success !== true) {
    return fail(deps, { of, attempts, failure: failureOf(of.service, said) });
  }
  if (!(await isStillOpenedBy(deps, of))) {
    wipe(ran.value.handed);
    return ok({ refreshAt: null });
  }
  const stored = await keepSecrets(deps, { of, manifest: looking.manifest, handed: ran.value.handed });
  if (!stored.ok)
    return fail(deps, { of, attempts, failure: unknownFailure(of.service, "What was repaired could not be kept.") });
  const record = { ...of.record, status: "active" as const };
  const draft = draftFor(deps, { of, event: "connection_recovered", data: {} });
  const after = { ...of, attempts, record, failure: null };
  const kept = await deps.store.replace({ before: of, after, draft });
  return kept.ok ? ok({ refreshAt: null }) : kept;
}

type Failing = { readonly of: KeptConnection; readonly failure: ConnectionFailure; readonly attempts?: number };

/** The card appears, it counts as failed, and the chain says so. [RECOV-05] */
async function fail(deps: ConnectionDeps, failing: Failing): Promise<Result<Cared, StoreFault>> {
  if (deps.isClosing()) return ok({ refreshAt: null });
  const { of, failure, attempts = of.attempts } = failing;
  const after = { ...of, attempts, record: { ...of.record, status: "failed" as const }, failure };
  const data = { failure_type: failure.failure_type };
  const draft = draftFor(deps, { of, event: "connection_failed", data });
  const kept = await deps.store.replace({ before: of, after, draft });
  deps.review.changed();
  return kept.ok ? ok({ refreshAt: null }) : kept;
}
