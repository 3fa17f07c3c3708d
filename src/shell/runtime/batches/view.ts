import { assert, instantFromMs, msOfInstant, ok, type Instant, type Result } from "#base";
import { parsePayload, type KeptRequest, type RunRecord, type StoreFault, type UndoView } from "#model";
import type { KeptUndo } from "#ports";
import { movedOf, outcomesOf } from "#work";
import type { BatchDeps } from "./deps.ts";

/** How the batch of a run can be taken back, and what became of its items; null for a run that is no batch. */
export async function viewOf(
  { store, work, approvals, clock }: Pick<BatchDeps, "store" | "work" | "approvals" | "clock">,
  runId: string,
): Promise<Result<UndoView | null, StoreFault>> {
  const kept = await store.findUndo(runId);
  if (!kept.ok || kept.value === null) return kept.ok ? ok(null) : kept;
  const run = await work.find(kept.value.runId);
  if (!run.ok) return run;
  const there = await work.ledger(kept.value.runId);
  if (!there.ok) return there;
  const back = kept.value.undoRunId === null ? null : await work.ledger(kept.value.undoRunId);
  if (back !== null && !back.ok) return back;
  const request = await approvals.find(kept.value.requestId);
  if (!request.ok) return request;
  const all = itemsOf(request.value);
  const moved = movedOf({ itemIds: all.map(({ id }) => id), ledger: there.value });
  const items = back === null ? all : all.filter(({ id }) => moved.includes(id));
  const outcomes = outcomesOf({ itemIds: items.map(({ id }) => id), ledger: (back ?? there).value });
  return ok({
    ...stateOf({ kept: kept.value, run: run.value, runId, at: clock.now(), moved: moved.length }),
    items: items.map(({ id, title }, index) => ({ itemId: id, title, outcome: outcomes[index] ?? "not_reached" })),
  });
}

type Looked = {
  readonly kept: KeptUndo;
  readonly run: RunRecord | null;
  readonly runId: string;
  readonly at: Instant;
  readonly moved: number;
};

function stateOf({ kept, run, runId, at, moved }: Looked): Omit<UndoView, "items"> {
  const none = { state: "none", until: null, runId: null } as const;
  if (runId === kept.undoRunId) return none;
  const until = run === null ? null : undoneUntil(run, kept);
  if (kept.undoRunId !== null) return { state: "used", until, runId: kept.undoRunId };
  if (until === null) return none;
  if (moved === 0) return { state: "nothing", until: null, runId: null };
  return { state: at < until ? "open" : "over", until, runId: null };
}

/**
 * When the time to take a run back ends: so long after its end, by the settings of when it was approved. It follows from
 * what is kept, so that neither a restart nor another configuration moves it. Null when there is nothing yet. [UNDO-02]
 */
export function undoneUntil({ endedAt, attempts }: RunRecord, { windowSeconds }: KeptUndo): Instant | null {
  if (endedAt === null || attempts === 0) return null;
  const until = instantFromMs(msOfInstant(endedAt) + windowSeconds * 1000);
  assert(until.ok, "UNDO-02 a window ends within the calendar");
  return until.value;
}

function itemsOf(request: KeptRequest | null): readonly { readonly id: string; readonly title: string }[] {
  const payload = request === null ? null : parsePayload(request.markdown);
  if (payload === null || !payload.ok || payload.value.kind !== "batch_review") return [];
  return payload.value.items.map(({ item_id: id, title }) => ({ id, title }));
}
