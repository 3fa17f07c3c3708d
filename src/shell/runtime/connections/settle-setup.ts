import { ok, type Result } from "#base";
import { type ConnectionFailure, type HealthCheck, type StoreFault } from "#model";
import type { KeptConnection } from "#ports";
import { lookedAt } from "#work";
import { failureOf, faultFailure, oneAnswer, unknownFailure } from "./answers.ts";
import { draftFor, type ConnectionDeps } from "./deps.ts";
import { runScript } from "./run-script.ts";
import { keepSecrets, removeSecrets } from "./secrets-of.ts";
import type { SetupEnd, SetupOrder } from "./setup.ts";
import { lookAt } from "./look.ts";

type Settling = { readonly order: SetupOrder; readonly end: SetupEnd };

/** Keeps what became of a setup: a connection that works, or nothing of it but what went wrong. [SETUP-14 to SETUP-16] */
export async function settleSetup(deps: ConnectionDeps, { order, end }: Settling): Promise<Result<void, StoreFault>> {
  if (end.kind === "cancelled") return endSetup(deps, { of: order.of, reason: "cancelled", failure: null });
  if (end.kind === "failed")
    return endSetup(deps, { of: order.of, reason: end.failure.failure_type, failure: end.failure });
  const kept = await keepSecrets(deps, { of: order.of, manifest: order.manifest, handed: end.handed });
  const failure = kept.ok ? null : unknownFailure(order.of.service, "Its secrets could not be put into the vault.");
  if (failure !== null) return endSetup(deps, { of: order.of, reason: failure.failure_type, failure });
  const proved = await prove(deps, order);
  if (!proved.ok) return endSetup(deps, { of: order.of, reason: proved.error.failure_type, failure: proved.error });
  const connection = registered(deps, { order, end, proof: proved.value });
  const data = { permissions: connection.record.permissionsGranted.length };
  return deps.store.keep(connection, draftFor(deps, { of: connection, event: "connection_registered", data }));
}

type Ending = { readonly of: KeptConnection; readonly reason: string; readonly failure: ConnectionFailure | null };

/** Nothing of it is left but the proposal, and the card that says why. A connection that worked before stays failed. */
export async function endSetup(
  deps: ConnectionDeps,
  { of, reason, failure }: Ending,
): Promise<Result<void, StoreFault>> {
  const removed = await removeSecrets(deps, of);
  if (!removed.ok)
    deps.log.error("connection_secrets_left", { connection_id: of.record.connectionId, code: removed.error.code });
  const record = {
    ...of.record,
    status: failure === null ? ("proposed" as const) : ("failed" as const),
    permissionsGranted: [],
    tokenExpiresAt: null,
    refreshTokenExpiresAt: null,
  };
  const connection = { ...of, record, failure, summary: null };
  return deps.store.keep(connection, draftFor(deps, { of, event: "connection_setup_ended", data: { reason } }));
}

/** Nobody cancelled it: what is left is the card that says what happened, with a way on. [CARD-17] */
export const endInterrupted = (deps: ConnectionDeps, of: KeptConnection): Promise<Result<void, StoreFault>> =>
  endSetup(deps, {
    of,
    reason: "interrupted",
    failure: unknownFailure(of.service, "Silas ended while it was being set up. Nothing of it was kept."),
  });

type Proof = {
  readonly probe: KeptConnection["probe"];
  readonly summary: string | null;
  readonly health: HealthCheck | null;
};

/** One real call before anything counts as connected: the probe, or without one the look. [SETUP-14] */
async function prove(deps: ConnectionDeps, order: SetupOrder): Promise<Result<Proof, ConnectionFailure>> {
  const { of, skill, manifest } = order;
  const input = { connection_id: of.record.connectionId, capability: "connect" };
  const run = { of, skill, manifest, reach: "approved", timeoutMs: PROBE_MS } as const;
  const probed = await runScript(deps, { ...run, script: "probe", input });
  if (!probed.ok && probed.error.code === "absent") {
    const looked = await lookAt(deps, { of, skill, manifest });
    if (!looked.ok) return looked;
    if (!looked.value.healthy)
      return { ok: false, error: unknownFailure(of.service, looked.value.error ?? "It does not work.") };
    return ok({ probe: "unprobed", summary: null, health: looked.value });
  }
  if (!probed.ok) return { ok: false, error: faultFailure(of.service, probed.error) };
  const said = oneAnswer(probed.value.stdout);
  const isAnswer = typeof said === "object" && said !== null && !("failure_type" in said);
  if (!isAnswer) return { ok: false, error: failureOf(of.service, said) };
  const summary = "summary" in said && typeof said.summary === "string" ? said.summary.slice(0, 200) : null;
  return ok({ probe: "probed", summary, health: null });
}

const PROBE_MS = 60_000;

type Registering = {
  readonly order: SetupOrder;
  readonly end: Extract<SetupEnd, { readonly kind: "completed" }>;
  readonly proof: Proof;
};

/** Active, with what was granted of what was approved, and never more. [SETUP-15] [PERM-01] */
function registered({ clock, config }: ConnectionDeps, { order, end, proof }: Registering): KeptConnection {
  const { of, manifest, permissions } = order;
  const { completion } = end;
  const at = clock.now();
  const record = {
    ...of.record,
    name: completion.name,
    status: "active" as const,
    permissionsGranted: completion.permissions_granted.filter((one) => permissions.includes(one)),
    permissionsAvailable: [...manifest.availablePermissions],
    initialPermissions: [...permissions],
    healthCheck: manifest.healthCheck ?? config.connections.healthCheckDefault,
    tokenExpiresAt: completion.token_expires_at,
    refreshTokenExpiresAt: completion.refresh_token_expires_at,
    lastRefresh: null,
    lastHealthCheck: at,
  };
  const looked = proof.health === null ? record : lookedAt(record, { health: proof.health, at });
  return {
    ...of,
    record: looked,
    failure: null,
    attempts: 0,
    registeredAt: of.registeredAt ?? at,
    probe: proof.probe,
    summary: proof.summary,
  };
}
