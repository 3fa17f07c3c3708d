import { err, ok, uuidV7, type Result } from "#base";
import type { AuditActor, FoundItems, StoreFault, TidyRefused, WorkItem } from "#model";
import type { BatchesDoor, BatchViews, Proposed, ProposeRefusal, Tidied } from "#ports";
import { isGrantable, tidyBatches } from "#work";
import { payloadRequest } from "../approvals/propose.ts";
import type { BatchDeps } from "./deps.ts";
import { createDigests } from "./digests.ts";
import { findItems, type FindRefused } from "./goal-items.ts";
import { sizingOf } from "./sizing.ts";
import { scanFolder } from "./scan-folder.ts";
import { proposeUndo, undoBatch } from "./undo.ts";
import { viewOf } from "./view.ts";

type Batches = BatchesDoor &
  BatchViews & {
    /**
     * Asks about the next batch of each series whose last one is decided. `busy`: too many requests wait. One that is
     * refused for good stays unasked. [BATCH-02] [BATCH-06]
     */
    settle(): Promise<Result<"asked" | "busy", StoreFault>>;
    /** Looks for what a goal would ask about, and asks. */
    findFor(goal: WorkItem): Promise<Result<FoundItems, FindRefused>>;
  };

const SYSTEM: AuditActor = { kind: "system" };

/** Proposals of batches and their way back. What was approved is run like any plan. */
export function createBatches(parts: Omit<BatchDeps, "digests">): Batches {
  const deps: BatchDeps = { ...parts, digests: createDigests() };
  const settle = async (): Promise<Result<"asked" | "busy", StoreFault>> => {
    const asked = await askNext(deps, SYSTEM);
    if (asked.ok) return ok("asked");
    deps.log.error("batches_unasked", asked.error);
    if ("retryable" in asked.error) return err(asked.error);
    return ok(asked.error.code === "too_many_pending" ? "busy" : "asked");
  };
  return {
    tidy: (folder, actor) => tidy(deps, { folder, actor }),
    next: async () => {
      const asked = await askNext(deps, SYSTEM);
      return asked.ok ? ok() : asked;
    },
    undo: (runId, actor) => undoBatch(deps, { runId, actor }),
    proposeUndo: (runId, actor) => proposeUndo(deps, { runId, actor }),
    viewOf: (runId) => viewOf(deps, runId),
    settle,
    findFor: async (goal) => {
      const found = await findItems(deps, goal);
      // What could not be asked now waits, and is asked when there is room.
      if (found.ok) await settle();
      return found;
    },
  };
}

type Looking = { readonly folder: string; readonly actor: AuditActor };

async function tidy(
  deps: BatchDeps,
  { folder, actor }: Looking,
): Promise<Result<Tidied, TidyRefused | ProposeRefusal>> {
  const { config, store, clock, randomness } = deps;
  const at = clock.now();
  if (folder.startsWith("/") && folder !== "/" && !isGrantable(folder)) {
    return err({ code: "folder_refused", folder, reason: "not_grantable" });
  }
  const place = { folder, own: [config.dataDir], at };
  // Whoever asks for it waits for all of it.
  const all = { bytesMax: Number.POSITIVE_INFINITY, isSettled: () => false };
  const scanned = await scanFolder({ ...place, ...all, digests: deps.digests });
  if (!scanned.ok) return scanned;
  const sizing = await sizingOf(deps);
  if (!sizing.ok) return sizing;
  const { goalId, batches, leftAlone } = tidyBatches(scanned.value.facts, sizing.value);
  const left = [...scanned.value.leftAlone, ...leftAlone];
  const [first] = batches;
  if (first === undefined) return ok({ asked: null, candidates: 0, following: 0, leftAlone: left });
  // Whatever is wrong with it is said before anything is kept.
  const wrong = payloadRequest(deps, { payload: first, actor, againOf: null });
  if (!wrong.ok) return wrong;
  const seriesId = uuidV7(at, randomness.bytes(10));
  const kept = await store.addSeries({ seriesId, goalId, batches });
  if (!kept.ok) return kept;
  const asked = await askNext(deps, actor);
  if (!asked.ok) return asked;
  const candidates = batches.reduce((count, { items }) => count + items.length, 0);
  return ok({
    asked: asked.value.get(seriesId) ?? null,
    candidates,
    following: batches.length - 1,
    leftAlone: left,
  });
}

/** What was asked, by its series. One that is refused is left where it is, and the others go on. */
async function askNext(
  deps: BatchDeps,
  actor: AuditActor,
): Promise<Result<ReadonlyMap<string, Proposed>, ProposeRefusal | StoreFault>> {
  const asked = new Map<string, Proposed>();
  const waiting = await deps.store.nextOfSeries();
  if (!waiting.ok) return waiting;
  for (const next of waiting.value) {
    const request = payloadRequest(deps, { payload: next.batch, actor, againOf: null });
    const proposed = request.ok ? await deps.approvals.propose(request.value) : request;
    if (!proposed.ok) return proposed;
    const marked = await deps.store.markAsked(next, proposed.value.request.requestId);
    if (!marked.ok) return marked;
    asked.set(next.seriesId, proposed.value);
  }
  return ok(asked);
}
