import { ok, type Instant, type Result } from "#base";
import {
  ACTION_FAMILIES,
  LIMIT_KEYS,
  rollbackOf,
  valueAfter,
  type ActionFamily,
  type AppliedLimit,
  type AutonomyView,
  type EvidenceView,
  type LimitKey,
  type LimitView,
  type StoreFault,
} from "#model";
import { evidenceWindow } from "#policy";
import type { AskedLimits } from "#ports";
import { ASKED_MOST, ENTRIES_PER_ACTION, lastEnd, type AutonomyDeps } from "./deps.ts";

/** How each limit stands and why, and what was counted since the last proposal. */
export async function viewOf(deps: AutonomyDeps): Promise<Result<AutonomyView, StoreFault>> {
  const { store, settings, clock } = deps;
  const [asked, applied] = [await store.asked(ASKED_MOST), await store.applied()];
  if (!asked.ok) return asked;
  if (!applied.ok) return applied;
  const at = clock.now();
  const evidence: EvidenceView[] = [];
  for (const family of ACTION_FAMILIES) {
    const one = await evidenceOf(deps, { family, at, asked: asked.value });
    if (!one.ok) return one;
    evidence.push(one.value);
  }
  return ok({
    enabled: settings.isEnabled,
    minSamples: settings.minSamples,
    windowActions: settings.windowActions,
    windowDays: settings.windowDays,
    widenBelow: settings.widenBelow,
    tightenAbove: settings.tightenAbove,
    isWidened: rollbackOf({ ...settings, applied: applied.value }).length > 0,
    limits: LIMIT_KEYS.map((key) => limitOf(deps, { key, applied: applied.value })),
    evidence,
  });
}

type Limited = { readonly key: LimitKey; readonly applied: readonly AppliedLimit[] };

function limitOf({ settings }: AutonomyDeps, { key, applied }: Limited): LimitView {
  const configured = settings.configured[key];
  const change = applied.find((one) => one.key === key);
  if (change === undefined) {
    return { key, value: configured, configured, changedBy: null, changedAt: null, state: "configured" };
  }
  const { requestId: changedBy, at: changedAt } = change;
  return {
    key,
    value: valueAfter(change, configured),
    configured,
    changedBy,
    changedAt,
    state: stateOf(change, configured),
  };
}

function stateOf({ proof, configured, to }: AppliedLimit, says: string): LimitView["state"] {
  if (proof === "broken") return "broken";
  if (configured !== says) return "set_aside";
  return to === says ? "configured" : "changed";
}

type Counted = { readonly family: ActionFamily; readonly at: Instant; readonly asked: readonly AskedLimits[] };

async function evidenceOf(
  { store, settings }: AutonomyDeps,
  { family, at, asked }: Counted,
): Promise<Result<EvidenceView, StoreFault>> {
  const about = asked.filter((one) => one.family === null || one.family === family);
  const decided = await store.decided({ family, most: settings.windowActions * ENTRIES_PER_ACTION });
  if (!decided.ok) return decided;
  const { sampleSize, counts, correctionRate, from, to } = evidenceWindow(decided.value, {
    at,
    since: lastEnd(about),
    settings,
  });
  return ok({
    family,
    sampleSize,
    approved: counts.approved,
    editSelection: counts.edit_selection,
    declined: counts.declined,
    undo: counts.undo,
    correctionRate: sampleSize === 0 ? null : correctionRate,
    from,
    to,
    openRequest: about.find(({ state }) => state === "pending")?.requestId ?? null,
  });
}
