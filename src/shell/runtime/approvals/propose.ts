import { err, ok, type Instant, type Result, type Sha256Hex } from "#base";
import type { AuditActor, KeptRequest, WorkItem } from "#model";
import { cardForPlan } from "#policy";
import type {
  ApprovalStore,
  AuditLog,
  Clock,
  KeyRegistry,
  PlanRefused,
  Proposed,
  ProposeRefusal,
  Randomness,
  Signer,
} from "#ports";
import { parsePlan, planBytes, planHash, projectPlan, withEffectiveSkills, type ReadYaml } from "#work";

export type ApprovalsDeps = {
  readonly store: ApprovalStore;
  readonly audit: AuditLog;
  readonly signer: Signer;
  readonly registry: KeyRegistry;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly readYaml: ReadYaml;
  readonly settings: ApprovalSettings;
};
export type ApprovalSettings = {
  /** How long an active request waits. */
  readonly timeoutMs: number;
  /** How long an approval may wait to be used. */
  readonly ttlMs: number;
  readonly maxExecutions: number;
  readonly standingUsesMax: number;
};

type Proposal = { readonly markdown: string; readonly actor: AuditActor; readonly againOf: string | null };

/** Reads a plan, projects it, weighs it, and keeps it as a request with its card. What does not parse asks nothing. */
export async function propose(
  deps: ApprovalsDeps,
  { markdown, actor, againOf }: Proposal,
): Promise<Result<Proposed, ProposeRefusal>> {
  const { store, clock, randomness } = deps;
  const at = clock.now();
  const expired = await store.expire(at);
  if (!expired.ok) return expired;
  const projected = projectionOf(deps, { markdown, at });
  if (!projected.ok) return projected;
  const { item, projection, planHash: hash } = projected.value;
  const card = cardForPlan({ projection, usesMax: deps.settings.maxExecutions, strongAuth: "unavailable" });
  if (!card.ok) return err({ code: "plan_refused", line: 1, column: 1, reason: card.error.code });
  return store.propose({
    requestId: Buffer.from(randomness.bytes(8)).toString("hex"),
    kind: "plan_approval",
    workItemId: item.id,
    planHash: hash,
    projection,
    card: card.value,
    riskLevel: card.value.riskLevel,
    createdAt: at,
    activeSince: null,
    expiresAt: null,
    state: "pending",
    decidedAt: null,
    decidedBy: null,
    tokenId: null,
    markdown,
    againOf,
    proposedBy: actor,
  });
}

/** A request that nobody decided, as a new one; asking twice finds the first. */
export async function proposeAgain(
  deps: ApprovalsDeps,
  { requestId, actor }: { readonly requestId: string; readonly actor: AuditActor },
): Promise<Result<Proposed, ProposeRefusal>> {
  const expired = await deps.store.expire(deps.clock.now());
  if (!expired.ok) return expired;
  const found = await deps.store.find(requestId);
  if (!found.ok) return found;
  const request: KeptRequest | null = found.value;
  if (request === null) return err({ code: "request_unknown", requestId });
  if (request.state !== "expired") return err({ code: "not_missed", requestId, state: request.state });
  return propose(deps, { markdown: request.markdown, actor, againOf: requestId });
}

export type Projected = { readonly item: WorkItem; readonly projection: string; readonly planHash: Sha256Hex };

/** No parent is known to a file on its own, no skill is installed, and no executor is chosen yet. */
export function projectionOf(
  { readYaml }: Pick<ApprovalsDeps, "readYaml">,
  { markdown, at }: { readonly markdown: string; readonly at: Instant },
): Result<Projected, PlanRefused> {
  const parsed = parsePlan({ markdown, readYaml, at });
  if (!parsed.ok) {
    const [{ line, column, code }] = parsed.error;
    return err({ code: "plan_refused", line, column, reason: code });
  }
  const item = withEffectiveSkills(parsed.value, null);
  const projection = projectPlan(item, { executorKind: null, skills: [] });
  return ok({ item, projection: planBytes(projection), planHash: planHash(projection) });
}
