import { err, instantFromMs, LIMITS, msOfInstant, ok, uuidV7, type Instant, type Result } from "#base";
import { createJobs, type Job, type TimerJobs } from "#engine";
import {
  ACTION_FAMILIES,
  effectiveLimits,
  rollbackOf,
  type ActionFamily,
  type AppliedLimit,
  type AutonomyRefused,
  type KeptRequest,
  type LimitChange,
  type RequestRefusal,
  type StoreFault,
} from "#model";
import { askedProposal, evidenceWindow, limitProposal, stepChanges } from "#policy";
import {
  createMutex,
  type AskedLimits,
  type AutonomyDoor,
  type CurrentLimits,
  type Proposed,
  type ProposeRefusal,
  type Tightening,
} from "#ports";
import { payloadRequest } from "../approvals/propose.ts";
import { ASKED_MOST, ENTRIES_PER_ACTION, lastEnd, type AutonomyDeps, type AutonomyParts } from "./deps.ts";
import { limitSettings } from "./settings.ts";
import { viewOf } from "./view.ts";

type Autonomy = AutonomyDoor & CurrentLimits & { readonly timed: TimerJobs };

/**
 * Counts what was decided, and asks where that argues for other limits. Only a signed approval changes one, by the commit
 * that uses it; nothing here does. [AUTO-13] [AUTO-18]
 */
export function createAutonomy(parts: AutonomyParts): Autonomy {
  const deps: AutonomyDeps = { ...parts, settings: settingsOf(parts.config) };
  // One after the other, so that no family is asked about twice.
  const inTurn = createMutex();
  const check = () => inTurn(() => checkAll(deps));
  return {
    show: () => viewOf(deps),
    check,
    tighten: (asked) => inTurn(() => tighten(deps, asked)),
    async read() {
      const applied = await deps.store.applied();
      return applied.ok ? ok(effectiveLimits({ ...deps.settings, applied: applied.value })) : applied;
    },
    timed: createJobs({ ...parts, owner: "autonomy", runs: "unless_stopped", jobs: jobsOf(deps, check) }),
  };
}

/** Counts the decisions from time to time. Switched off it registers nothing at all. [AUTO-19] */
function jobsOf({ settings, log }: AutonomyDeps, check: AutonomyDoor["check"]): { readonly [name: string]: Job } {
  if (!settings.isEnabled) return {};
  const run = async (): Promise<void> => {
    const checked = await check();
    if (!checked.ok) log.error("limits_not_checked", checked.error);
  };
  return { limits: { everyMinutes: LIMITS.autonomyBeatMinutes, run } };
}

const settingsOf = ({ autonomy, batchReview, limits }: AutonomyParts["config"]): AutonomyDeps["settings"] => ({
  ...limitSettings({ autonomy, batchReview }),
  isEnabled: autonomy.enabled,
  perWeek: limits.autonomyProposalsPerWeekPerScope,
  minSamples: autonomy.minSamples,
  windowActions: autonomy.windowActions,
  windowDays: autonomy.windowDays,
  widenBelow: autonomy.widenCorrectionRateMax,
  tightenAbove: autonomy.tightenCorrectionRateMin,
});

const WEEK_MS = 7 * 86_400_000;

type Refused = AutonomyRefused | ProposeRefusal;

async function checkAll(deps: AutonomyDeps): Promise<Result<readonly Proposed[], Refused>> {
  const { settings, store, clock } = deps;
  if (!settings.isEnabled) return err({ code: "autonomy_disabled" });
  if (await deps.isStopped()) return ok([]);
  const at = clock.now();
  const [asked, applied] = [await store.asked(ASKED_MOST), await store.applied()];
  if (!asked.ok) return asked;
  if (!applied.ok) return applied;
  const proposed: Proposed[] = [];
  for (const family of ACTION_FAMILIES) {
    if (recentlyAsked(asked.value, at) + proposed.length >= settings.perWeek) break;
    const one = await checkFamily(deps, { family, at, asked: asked.value, applied: applied.value });
    if (!one.ok) return one;
    if (one.value !== null) proposed.push(one.value);
  }
  return ok(proposed);
}

/** So many proposals of its own a week and no more, whatever was decided about them. */
function recentlyAsked(asked: readonly AskedLimits[], at: Instant): number {
  const since = instantFromMs(Math.max(0, msOfInstant(at) - WEEK_MS));
  return asked.filter(({ proposedBy, createdAt }) => proposedBy === "system" && since.ok && createdAt > since.value)
    .length;
}

type Checking = {
  readonly family: ActionFamily;
  readonly at: Instant;
  readonly asked: readonly AskedLimits[];
  readonly applied: readonly AppliedLimit[];
};

async function checkFamily(deps: AutonomyDeps, checking: Checking): Promise<Result<Proposed | null, Refused>> {
  const { family, at, asked, applied } = checking;
  const about = asked.filter((one) => one.family === null || one.family === family);
  if (about.some(({ state }) => state === "pending")) return ok(null);
  const { settings, store, randomness } = deps;
  const decided = await store.decided({ family, most: settings.windowActions * ENTRIES_PER_ACTION });
  if (!decided.ok) return decided;
  const window = evidenceWindow(decided.value, { at, since: lastEnd(about), settings });
  const payload = limitProposal({
    family,
    window,
    values: effectiveLimits({ ...settings, applied }),
    bounds: settings.bounds,
    settings,
    proposalId: uuidV7(at, randomness.bytes(10)),
    at,
  });
  if (payload === null) return ok(null);
  const request = payloadRequest(deps, { payload, actor: { kind: "system" }, againOf: null });
  return request.ok ? deps.approvals.propose(request.value) : request;
}

/**
 * Asks for what takes widened limits back: one request, which needs a signature as any. With a proposal it is asked
 * instead of that one; where nothing was widened, that is one step of the same limits the other way. [AUTO-16]
 */
async function tighten(
  deps: AutonomyDeps,
  { requestId, actor }: Tightening,
): Promise<Result<Proposed, Refused | RequestRefusal>> {
  const { store, approvals, clock, randomness, settings } = deps;
  const at = clock.now();
  const applied = await store.applied();
  if (!applied.ok) return applied;
  const instead = requestId === null ? ok(null) : await openRequest(deps, requestId);
  if (!instead.ok) return instead;
  const back = rollbackOf({ ...settings, applied: applied.value });
  const changes =
    back.length > 0 || instead.value === null
      ? back
      : stepsBack(deps, { instead: instead.value, applied: applied.value });
  if (changes.length === 0) return err({ code: "nothing_to_tighten" });
  const payload = askedProposal({ changes, proposalId: uuidV7(at, randomness.bytes(10)), at });
  const request = payloadRequest(deps, { payload, actor, againOf: null });
  if (!request.ok) return request;
  if (instead.value !== null) {
    const { planHash } = instead.value.request;
    const declined = await approvals.decline({ requestId: instead.value.request.requestId, planHash, at, actor });
    if (!declined.ok) return declined;
  }
  return approvals.propose(request.value);
}

type Instead = { readonly request: KeptRequest; readonly family: ActionFamily | null };

async function openRequest(
  { approvals, store }: AutonomyDeps,
  requestId: string,
): Promise<Result<Instead, AutonomyRefused | StoreFault>> {
  const [found, asked] = [await approvals.find(requestId), await store.asked(ASKED_MOST)];
  if (!found.ok) return found;
  if (!asked.ok) return asked;
  if (found.value?.kind !== "autonomy_threshold" || found.value.state !== "pending") {
    return err({ code: "not_a_limit_request", requestId });
  }
  return ok({ request: found.value, family: asked.value.find((one) => one.requestId === requestId)?.family ?? null });
}

type SteppingBack = { readonly instead: Instead; readonly applied: readonly AppliedLimit[] };

function stepsBack({ settings }: AutonomyDeps, { instead, applied }: SteppingBack): readonly LimitChange[] {
  const values = effectiveLimits({ ...settings, applied });
  const families = instead.family === null ? ACTION_FAMILIES : [instead.family];
  return families.flatMap((family) => stepChanges({ family, direction: "tighten", values, bounds: settings.bounds }));
}
