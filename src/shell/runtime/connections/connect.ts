import { err, ok, type Result } from "#base";
import {
  discoverySchema,
  type AuditActor,
  type AuthStrategy,
  type ConnectionManifest,
  type ConnectionRefusal,
  type IdentityHint,
  type SkillUnusable,
  type StoreFault,
} from "#model";
import type { ConnectingRequest, ConnectRefusal, KeptConnection, WantedConnection } from "#ports";
import { chooseStrategy, firstPermissions } from "#work";
import type { LoadedSkill } from "../skills/installed.ts";
import { oneAnswer } from "./answers.ts";
import { draftFor, type ConnectionDeps } from "./deps.ts";
import { runScript } from "./run-script.ts";

const DISCOVER_MS = 60_000;

/** Finds out how a service is entered, and asks whether. Setup begins by the decision, and by nothing else. [SETUP-09] */
export async function askToConnect(
  deps: ConnectionDeps,
  { skill: name, hint, actor }: WantedConnection,
): Promise<Result<ConnectingRequest, ConnectRefusal>> {
  const loaded = await loadSkill(deps, name);
  if (!loaded.ok) return loaded;
  const connectionId = `conn-${Buffer.from(deps.randomness.bytes(8)).toString("hex")}`;
  return ask(deps, {
    ...loaded.value,
    of: null,
    connectionId,
    hint,
    actor,
    permissions: firstPermissions(loaded.value.manifest),
  });
}

type AskingAgain = {
  readonly of: KeptConnection;
  readonly hint: IdentityHint;
  readonly permissions: readonly string[] | null;
  readonly actor: AuditActor;
};

/** The same connection once more, from the beginning. */
export async function askAgain(
  deps: ConnectionDeps,
  { of, hint, permissions, actor }: AskingAgain,
): Promise<Result<ConnectingRequest, ConnectRefusal>> {
  const loaded = await loadSkill(deps, of.record.skillName);
  if (!loaded.ok) return loaded;
  const wanted = permissions ?? firstPermissions(loaded.value.manifest);
  return ask(deps, { ...loaded.value, of, connectionId: of.record.connectionId, hint, actor, permissions: wanted });
}

type Loaded = { readonly skill: LoadedSkill; readonly manifest: ConnectionManifest };

async function loadSkill(
  { installed }: ConnectionDeps,
  name: string,
): Promise<Result<Loaded, ConnectionRefusal | SkillUnusable | StoreFault>> {
  const loaded = await installed.load(name);
  if (!loaded.ok) return loaded;
  const { connection } = loaded.value.manifest;
  return connection === null
    ? err({ code: "not_a_connection_skill", skill: name })
    : ok({ skill: loaded.value, manifest: connection });
}

type Asking = Loaded & {
  /** What it was before; null for one that is new. */
  readonly of: KeptConnection | null;
  readonly connectionId: string;
  readonly hint: IdentityHint;
  readonly permissions: readonly string[];
  readonly actor: AuditActor;
};

async function ask(deps: ConnectionDeps, asking: Asking): Promise<Result<ConnectingRequest, ConnectRefusal>> {
  const { skill, manifest, connectionId, hint, permissions, actor } = asking;
  const proposal = proposed(deps, { asking, authStrategy: manifest.authStrategy });
  const found = await discover(deps, { of: proposal, asking });
  if (!found.ok) return found;
  const connection = proposed(deps, { asking, authStrategy: found.value });
  const request = await deps.proposals.proposePayload(
    {
      kind: "connection_setup",
      connection_id: connectionId,
      service: manifest.service,
      skill: skill.name,
      tree_digest: skill.tree.digest,
      auth_strategy: found.value,
      identity_hint: hint,
      permissions: [...permissions],
      hosts: [...manifest.hosts],
      secrets: Object.entries(manifest.credentials).map(([name, { host }]) => ({ name, host })),
    },
    actor,
  );
  if (!request.ok) return request;
  const { requestId } = request.value.request;
  const draft = draftFor(deps, { of: connection, event: "connection_proposed", data: {}, actor });
  const kept = await deps.store.keep({ ...connection, requestId }, draft);
  return kept.ok ? ok({ ...request.value, connectionId }) : kept;
}

type Discovering = { readonly of: KeptConnection; readonly asking: Asking };

/** Without network and without secrets: nobody has approved anything yet. [SETUP-04] */
async function discover(
  deps: ConnectionDeps,
  { of, asking }: Discovering,
): Promise<Result<AuthStrategy, ConnectionRefusal>> {
  const { skill, manifest, hint } = asking;
  const ran = await runScript(deps, {
    of,
    skill,
    manifest,
    script: "discover",
    reach: "none",
    input: { identity_hint: hint },
    timeoutMs: DISCOVER_MS,
  });
  const failed = (detail: string) => err({ code: "discovery_failed", skill: skill.name, detail } as const);
  if (!ran.ok) return failed(ran.error.detail);
  const found = discoverySchema.safeParse(oneAnswer(ran.value.stdout));
  return found.success
    ? ok(chooseStrategy(found.data))
    : failed("it answered something else than one line of what is asked");
}

type Proposal = { readonly asking: Asking; readonly authStrategy: AuthStrategy };

function proposed({ config }: ConnectionDeps, { asking, authStrategy }: Proposal): KeptConnection {
  const { of, skill, manifest, connectionId, hint, permissions } = asking;
  return {
    record: {
      connectionId,
      name: of?.record.name ?? manifest.service,
      domain: manifest.domain,
      skillName: skill.name,
      authStrategy,
      permissions: ["observe"],
      permissionsGranted: of?.record.permissionsGranted ?? [],
      permissionsAvailable: [...manifest.availablePermissions],
      initialPermissions: of?.record.initialPermissions ?? [...permissions],
      status: "proposed",
      healthCheck: manifest.healthCheck ?? config.connections.healthCheckDefault,
      tokenExpiresAt: null,
      refreshTokenExpiresAt: null,
      lastHealthCheck: of?.record.lastHealthCheck ?? null,
      lastRefresh: of?.record.lastRefresh ?? null,
    },
    service: manifest.service,
    treeDigest: skill.tree.digest,
    hint,
    requestId: of?.requestId ?? null,
    probe: of?.probe ?? "unprobed",
    summary: null,
    failure: null,
    attempts: of?.attempts ?? 0,
    registeredAt: of?.registeredAt ?? null,
    widens: null,
  };
}
