import { assert, canonicalJson, err, type Instant, ok, type Result } from "#base";
import {
  type AuditActor,
  CHOOSE_MOVE,
  type Grant,
  grantsOf,
  isPayloadKind,
  type KeptRequest,
  MOVE_FILES,
  parsePayload,
  type Payload,
  payloadProjection,
  type PayloadRefused,
  projectBatch,
  type ProposalRefused,
  readChoice,
  readPayload,
  type WorkItem,
} from "#model";
import { cardForPayload, cardForPlan } from "#policy";
import type {
  ApprovalStore,
  AuditLog,
  CheckRefusal,
  Clock,
  KeyRegistry,
  PlanRefused,
  Proposed,
  ProposeRefusal,
  Randomness,
  Signer,
  WorkStore,
} from "#ports";
import { ALL_TOOLS } from "#tools";
import { approvedSkills, compileBatch, type ReadYaml } from "#work";
import type { LimitSettings } from "../autonomy/settings.ts";
import { wrongLimits } from "./limits.ts";
import {
  type DecidedPlans,
  type PlanRead,
  type PlanReading,
  projectProposal,
  projectWithSkills,
} from "./project-plan.ts";
import type { InstalledSkills } from "../skills/installed.ts";
import { realpathSync } from "node:fs";

export type ApprovalsDeps = {
  readonly store: ApprovalStore;
  readonly audit: AuditLog;
  readonly signer: Signer;
  readonly registry: KeyRegistry;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly readYaml: ReadYaml;
  /** What was run on approvals, for their receipts. */
  readonly runs: Pick<WorkStore, "executions">;
  readonly settings: ApprovalSettings;
  readonly skills: Pick<InstalledSkills, "factsFor">;
  /** Where an approved plan waits to begin, so that it is not parsed again. */
  readonly decided?: DecidedPlans;
};
/** What asking alone needs. */
export type ProposeDeps = Pick<ApprovalsDeps, "store" | "clock" | "randomness" | "readYaml" | "skills"> & {
  readonly settings: Pick<
    ApprovalSettings,
    "maxExecutions" | "standingUsesMax" | "webSearch" | "model" | "dataDir" | "skillsDir" | "systemGates"
  >;
};
export type ApprovalSettings = {
  /** How long an active request waits. */
  readonly timeoutMs: number;
  /** How long an approval may wait to be used. */
  readonly ttlMs: number;
  readonly maxExecutions: number;
  readonly standingUsesMax: number;
  /** How many of the last weighty decisions tell how they are made. */
  readonly fatigueDecisions: number;
  /** How long a batch can be taken back after it ran. */
  readonly undoWindowSeconds: number;
  /** Whether a search provider and its key are there; without it nobody is asked about a plan that searches. */
  readonly webSearch?: "ready" | "absent";
  /** Whether a model is set up; without it nobody is asked about a plan that a model would carry out. */
  readonly model?: "ready" | "absent";
  /** The folder of Silas itself, which no plan may name. */
  readonly dataDir?: string;
  /** What the configuration says of the limits of autonomy; without it no change of them is approved. */
  readonly limits?: LimitSettings;
  /** That of the skills, which no plan may name either: a program that changes them would change what others run. */
  readonly skillsDir?: string;
  /** Names of the gates of the configuration, which no plan may take. */
  readonly systemGates?: readonly string[];
};

type Proposal = { readonly markdown: string; readonly actor: AuditActor; readonly againOf: string | null };

/** Keeps a plan that passes the check as a request with its card. A plan that does not pass asks nothing. */
export async function propose(
  deps: ProposeDeps,
  { markdown, ...asker }: Proposal,
): Promise<Result<Proposed, ProposeRefusal>> {
  const checked = await check(deps, markdown);
  return checked.ok ? keep(deps, { ...checked.value, markdown, ...asker }) : checked;
}

type Weighed = Pick<KeptRequest, "workItemId" | "projection" | "card">;

/** Reads a plan, projects it with the skills that are installed, and weighs it. Nothing is kept and nobody is asked. */
export async function check(
  deps: Pick<ProposeDeps, "clock" | "readYaml" | "skills" | "settings">,
  markdown: string,
): Promise<Result<Weighed, CheckRefusal>> {
  const projected = await projectWithSkills(deps.skills, readingOf(deps, { text: markdown, at: deps.clock.now() }));
  if (!projected.ok) return projected;
  const { itemId, projection, item, tasks } = projected.value;
  const own = [deps.settings.dataDir, deps.settings.skillsDir].flatMap((place) => place ?? []);
  const reaching = whoReachesOwn([item, ...tasks.map((task) => task.item)], own);
  if (reaching !== null) return err({ code: "proposal_refused", reason: "reaches_silas", itemId: reaching });
  const card = cardForPlan({ projection, usesMax: deps.settings.maxExecutions, strongAuth: "unavailable" });
  if (!card.ok) return err({ code: "plan_refused", line: 1, column: 1, reason: card.error.code });
  return ok({ workItemId: itemId, projection, card: card.value });
}

type PayloadProposal = { readonly payload: Payload; readonly actor: AuditActor; readonly againOf: string | null };

/** Asks about something else than a plan: the same request, the same card contract, the same way on. [APPR-10] */
export async function proposePayload(
  deps: ApprovalsDeps,
  proposal: PayloadProposal,
): Promise<Result<Proposed, ProposeRefusal>> {
  const fault = wrongLimits(deps, proposal.payload);
  if (fault !== null) return err(fault);
  const request = payloadRequest(deps, proposal);
  return request.ok ? deps.store.propose(request.value) : request;
}

/** The request that would be kept. A batch of an action Silas knows is asked about only if it could be carried out. */
export function payloadRequest(
  deps: Asking,
  { payload, ...asker }: PayloadProposal,
): Result<KeptRequest, PayloadRefused> {
  if (payload.kind === "batch_review" && (payload.action === MOVE_FILES || payload.action === CHOOSE_MOVE)) {
    const projection = projectBatch(payload);
    const whole = payload.action === CHOOSE_MOVE ? readChoice(projection) : compileBatch(projection, deps.clock.now());
    if (!whole.ok) return whole;
  }
  const projection = payloadProjection(payload);
  const card = cardForPayload(payload, { strongAuth: "unavailable" });
  const read = readPayload(payload.kind, projection);
  if (!card.ok || !read.ok) return err({ code: "payload_refused", reason: "projection_unreadable" });
  const markdown = canonicalJson(payload);
  assert(markdown.ok, "APPR-10 what was read has canonical bytes");
  const { subjectId } = read.value;
  const asked = { workItemId: subjectId, projection, card: card.value, markdown: markdown.value, ...asker };
  return ok(newRequest(deps, asked));
}

type Asked = Pick<KeptRequest, "workItemId" | "projection" | "card" | "markdown" | "againOf"> & {
  readonly actor: AuditActor;
};

const keep = (deps: ProposeDeps, asked: Asked): Promise<Result<Proposed, ProposeRefusal>> =>
  deps.store.propose(newRequest(deps, asked));

type Asking = Pick<ApprovalsDeps, "clock" | "randomness">;

function newRequest({ clock, randomness }: Asking, { actor, card, ...asked }: Asked): KeptRequest {
  return {
    ...asked,
    requestId: Buffer.from(randomness.bytes(8)).toString("hex"),
    kind: card.cardType,
    planHash: card.planHash,
    card,
    riskLevel: card.riskLevel,
    createdAt: clock.now(),
    replacedBy: null,
    activeSince: null,
    expiresAt: null,
    state: "pending",
    decidedAt: null,
    decidedBy: null,
    tokenId: null,
    proposedBy: actor,
  };
}

/** A request that nobody decided, as a new one; asking twice finds the first. */
export async function proposeAgain(
  deps: ApprovalsDeps,
  { requestId, actor }: { readonly requestId: string; readonly actor: AuditActor },
): Promise<Result<Proposed, ProposeRefusal>> {
  const found = await deps.store.find(requestId);
  if (!found.ok) return found;
  const request: KeptRequest | null = found.value;
  if (request === null) return err({ code: "request_unknown", requestId });
  if (request.state !== "expired") return err({ code: "not_missed", requestId, state: request.state });
  if (!isPayloadKind(request.kind)) return propose(deps, { ...authored(request, actor), againOf: requestId });
  const payload = parsePayload(request.markdown);
  if (!payload.ok) return err({ code: "payload_refused", reason: payload.error.reason });
  if ("plan_request_id" in payload.value) return planAgain(deps, { step: payload.value, actor, againOf: requestId });
  return proposePayload(deps, { payload: payload.value, actor, againOf: requestId });
}

/** What a model wrote stays its, whoever asks about it once more: the card goes on to say so. */
const authored = ({ markdown, proposedBy }: KeptRequest, actor: AuditActor): Pick<Proposal, "markdown" | "actor"> => ({
  markdown,
  actor: proposedBy.kind === "model" ? proposedBy : actor,
});

type StepMissed = Pick<Proposal, "actor" | "againOf"> & {
  readonly step: Extract<Payload, { readonly plan_request_id: string }>;
};

/** The run that asked about a step has ended without it, so that what can be asked again is the plan it was a step of. */
async function planAgain(
  deps: ApprovalsDeps,
  { step, ...asker }: StepMissed,
): Promise<Result<Proposed, ProposeRefusal>> {
  const found = await deps.store.find(step.plan_request_id);
  if (!found.ok) return found;
  if (found.value === null) return err({ code: "request_unknown", requestId: step.plan_request_id });
  const { kind, markdown, planHash } = found.value;
  // What was approved as a part of more cannot be asked for alone.
  if (planHash !== step.plan_hash) return err({ code: "payload_refused", reason: "part_of_more" });
  if (!isPayloadKind(kind)) return propose(deps, { ...asker, ...authored(found.value, asker.actor) });
  const payload = parsePayload(markdown);
  if (!payload.ok) return err({ code: "payload_refused", reason: payload.error.reason });
  return proposePayload(deps, { payload: payload.value, ...asker });
}

type Fresh = { readonly request: KeptRequest; readonly at: Instant };

type Contents = {
  readonly grants: readonly Grant[];
  /** Null for a request about anything but a plan. */
  readonly read: PlanRead | null;
};

/** What would be done, read afresh from what was proposed rather than from what was shown: one grant for each token. */
export function contentsOf(
  deps: Pick<ApprovalsDeps, "readYaml" | "settings">,
  { request, at }: Fresh,
): Result<Contents, PlanRefused | ProposalRefused | PayloadRefused> {
  const { kind, markdown, projection } = request;
  if (isPayloadKind(kind)) {
    const text = payloadText(markdown);
    return text.ok ? granting({ kind, projection: text.value.projection, read: null }) : text;
  }
  // With the versions that were shown: whether they are still installed is asked when it runs.
  const reading: PlanReading = { ...readingOf(deps, { text: markdown, at }), skills: approvedSkills(projection) };
  const projected = projectProposal(reading);
  if (!projected.ok) return projected;
  const read = { markdown, projection, projected: projected.value };
  return granting({ kind, projection: projected.value.projection, read });
}

type Granting = Pick<KeptRequest, "kind" | "projection"> & Pick<Contents, "read">;

function granting({ read, ...content }: Granting): Result<Contents, PayloadRefused> {
  const grants = grantsOf(content);
  return grants === null ? err({ code: "payload_refused", reason: "projection_unreadable" }) : ok({ grants, read });
}

function payloadText(text: string): Result<{ readonly projection: string }, PayloadRefused> {
  const payload = parsePayload(text);
  if (!payload.ok) return err({ code: "payload_refused", reason: payload.error.reason });
  return ok({ projection: payloadProjection(payload.value) });
}

const SEARCHING = ALL_TOOLS.filter(({ needs }) => needs === "search").map(({ name }) => name);

const readingOf = (
  { readYaml, settings }: Pick<ProposeDeps, "readYaml" | "settings">,
  { text, at }: { readonly text: string; readonly at: Instant },
): PlanReading => ({
  readYaml,
  text,
  at,
  standingUsesMax: settings.standingUsesMax,
  absentTools: [...(settings.webSearch === "ready" ? [] : SEARCHING), ...(settings.model === "ready" ? [] : ["model"])],
  systemGates: settings.systemGates ?? [],
  mustAct: true,
});

type Places = Pick<WorkItem, "id" | "files" | "repository">;

/**
 * The first of these plans that names a place in a folder of Silas itself, or one around it; null when none does. It is
 * said before anybody is asked; whatever a path means later, the sandbox refuses it as well.
 */
function whoReachesOwn(plans: readonly Places[], folders: readonly string[]): string | null {
  const places = folders.map(resolved);
  const reaches = (path: string): boolean =>
    places.some((own) => isWithin(resolved(path), own) || isWithin(own, resolved(path)));
  const found = plans.find(({ files, repository }) =>
    [...files.read, ...files.write, ...(repository === null ? [] : [repository.path])].some(reaches),
  );
  return found?.id ?? null;
}

function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
