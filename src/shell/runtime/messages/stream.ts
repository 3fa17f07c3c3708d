import { err, ok, type Result } from "#base";
import type { ApprovedGoal, AuditDraft, Gate, StoreFault, Stream, ToldStream } from "#model";
import { configuresConversation, decideStream, tellStream, type StreamCandidate } from "#policy";
import { createMutex, type GoalStore, type StopStore, type StreamDoor, type StreamStore } from "#ports";
import { checkGoalApproval, type GoalApprovalDeps } from "../goals/goal-approval.ts";
import { loadGoal } from "../goals/load-goal.ts";
import { mayPass } from "../work/load-plan.ts";

type StreamDeps = GoalApprovalDeps & {
  readonly streams: StreamStore;
  readonly goals: Pick<GoalStore, "approved" | "find">;
  readonly stops: Pick<StopStore, "current">;
  /** The gates of the configuration. */
  readonly systemGates: readonly Pick<Gate, "name">[];
};

/**
 * Which approved goal configures the conversation. Found out anew at every look from what is kept, with its approval
 * verified each time; nothing of it is held in memory, so that a restart changes nothing. [WORK-06]
 */
export function createStream(deps: StreamDeps): StreamDoor {
  // One look after the other, so that what changed is told once and in order.
  const inTurn = createMutex();
  return { look: () => inTurn(() => lookOnce(deps)) };
}

type Looked<T> = Promise<Result<T, StoreFault>>;

async function lookOnce(deps: StreamDeps): Looked<Stream> {
  const told = await deps.streams.told();
  if (!told.ok) return told;
  const found = await findCandidate(deps, told.value);
  if (!found.ok) return found;
  const stopped = await deps.stops.current();
  if (!stopped.ok) return stopped;
  const isStopped = stopped.value !== null;
  const { candidate } = found.value;
  const systemGates = deps.systemGates.map(({ name }) => name);
  const stream = found.value.stream ?? decideStream({ candidate, isStopped, systemGates });
  const news = tellStream(told.value, stream);
  if (news === null) return ok(stream);
  const draft = { ...news, at: deps.clock.now(), actor: { kind: "system" } } as AuditDraft;
  const kept = await deps.streams.tell({ after: told.value?.seq ?? 0, draft });
  // What cannot be put on record is not in force, and does not open the way either.
  return kept.ok ? ok(stream) : kept;
}

type Found = { readonly candidate: StreamCandidate | null; readonly stream?: Stream };

/** The newest goal that says something about messages, or what became of the one that was in force. */
async function findCandidate(deps: StreamDeps, told: ToldStream | null): Looked<Found> {
  const approved = await deps.streams.approved();
  if (!approved.ok) return approved;
  for (const goal of approved.value) {
    const loaded = await load(deps, goal);
    if (!loaded.ok) return loaded;
    const { item } = loaded.value;
    if (item !== null && !configuresConversation(item)) continue;
    const candidate = await verify(deps, loaded.value);
    return candidate.ok ? ok({ candidate: candidate.value }) : candidate;
  }
  if (told === null || told.state === "out") return ok({ candidate: null });
  return whatBecameOf(deps, told);
}

type Loading = Omit<StreamCandidate, "refusal"> & { readonly unreadable: string | null };

async function load(deps: StreamDeps, goal: ApprovedGoal): Looked<Loading> {
  const kept = await deps.goals.find(goal.goalId);
  if (!kept.ok) return kept;
  const isPaused = kept.value?.isPaused ?? false;
  const loaded = await loadGoal(deps, goal.requestId);
  if (loaded.ok) {
    // Whatever it says now, it is not what was approved.
    const isAnother = loaded.value.contentHash !== goal.planHash;
    if (isAnother) return ok({ goal, isPaused, item: null, unreadable: "approval_hash_differs" });
    return ok({ goal, isPaused, item: loaded.value.item, unreadable: null });
  }
  if (mayPass(loaded.error)) return err(loaded.error as StoreFault);
  return ok({ goal, isPaused, item: null, unreadable: loaded.error.code });
}

async function verify(deps: StreamDeps, { goal, isPaused, item, unreadable }: Loading): Looked<StreamCandidate> {
  if (unreadable !== null) return ok({ goal, isPaused, item, refusal: unreadable });
  const holds = await checkGoalApproval(deps, { approved: goal, goal: { contentHash: goal.planHash } });
  if (!holds.ok && mayPass(holds.error)) return err(holds.error as StoreFault);
  return ok({ goal, isPaused, item, refusal: holds.ok ? null : holds.error.code });
}

/**
 * What was in force is not among what is approved for the conversation any more. A newer approval of the same goal that
 * holds took it out; anything else is damage, and damage lets no message pass.
 */
async function whatBecameOf(deps: StreamDeps, { goal: before }: ToldStream): Looked<Found> {
  const approved = await deps.goals.approved();
  if (!approved.ok) return approved;
  const goal = approved.value.find(({ goalId }) => goalId === before.goalId);
  const lost = { kind: "unverified", goal: before, reason: "approval_missing" } as const;
  if (goal === undefined) {
    const kept = await deps.goals.find(before.goalId);
    if (!kept.ok) return kept;
    const isPaused = kept.value?.isPaused === true;
    return ok({ candidate: null, stream: isPaused ? { kind: "out", goal: before, reason: "paused" } : lost });
  }
  const loaded = await load(deps, goal);
  if (!loaded.ok) return loaded;
  const candidate = await verify(deps, loaded.value);
  if (!candidate.ok) return candidate;
  const { isPaused, refusal } = candidate.value;
  if (isPaused) return ok({ candidate: null, stream: { kind: "out", goal: before, reason: "paused" } });
  const isNewer = goal.requestId !== before.requestId && refusal === null;
  return ok({ candidate: null, stream: isNewer ? { kind: "out", goal: before, reason: "replaced" } : lost });
}
