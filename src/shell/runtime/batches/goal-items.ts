import { err, ok, uuidV7, type Result } from "#base";
import {
  itemsOfGoal,
  type BatchProposal,
  type FoundItems,
  type StoreFault,
  type TidyRefused,
  type WorkItem,
} from "#model";
import type { GoalItem } from "#ports";
import { isGrantable, reviewItems } from "#work";
import type { BatchDeps } from "./deps.ts";
import { sizingOf } from "./sizing.ts";
import { scanFolder } from "./scan-folder.ts";

export type FindRefused = TidyRefused | StoreFault;

/**
 * Looks at the folder of a goal, which its approval lets it read, and keeps what is to be asked about it: nothing is moved
 * before each batch is approved. What it asked before is not asked again, so that doing this twice asks once. [BATCH-01]
 */
export async function findItems(deps: BatchDeps, item: WorkItem): Promise<Result<FoundItems, FindRefused>> {
  const { config, store, clock, randomness } = deps;
  const folder = item.reviewedBatches?.folder ?? "";
  if (!isGrantable(folder)) return err({ code: "folder_refused", folder, reason: "not_grantable" });
  const goalId = itemsOfGoal(item.id);
  const known = await store.itemsOf(goalId);
  if (!known.ok) return known;
  const at = clock.now();
  const asked = new Set(known.value.items.map(keyOf));
  const isSettled = (file: GoalItem): boolean => asked.has(keyOf(file));
  const place = { folder, own: [config.dataDir], at };
  const scanned = await scanFolder({ ...place, digests: deps.digests, bytesMax: LOOK_BYTES_MAX, isSettled });
  if (!scanned.ok) return scanned;
  const sizing = await sizingOf(deps);
  if (!sizing.ok) return sizing;
  const { batches, questions, candidates } = reviewItems(scanned.value.facts, {
    goalId,
    ...sizing.value,
    isAsked: isSettled,
    batches: known.value.openBatches > 0 ? "open" : "none_open",
    questionsMax: Math.max(0, sizing.value.size - known.value.openQuestions),
  });
  const inBatches = batches.flatMap(itemsIn);
  const series = [...(batches.length === 0 ? [] : [batches]), ...questions.map((question) => [question])];
  if (series.length > 0) {
    const kept = await store.addItems({
      goalId,
      items: [...inBatches, ...questions.flatMap((question) => itemsIn(question).slice(0, 1))],
      series: series.map((one) => ({ seriesId: uuidV7(at, randomness.bytes(10)), goalId, batches: one })),
      at,
    });
    if (!kept.ok) return kept;
  }
  return ok({ candidates, inBatches: inBatches.length, inQuestions: questions.length });
}

/** A goal looks by itself, and others are due: a large folder is read in several looks. */
const LOOK_BYTES_MAX = 8 * 1024 ** 3;

const keyOf = ({ name, sha256 }: GoalItem): string => `${sha256} ${name}`;

function itemsIn({ params }: BatchProposal): readonly GoalItem[] {
  const { moves } = params as { readonly moves: readonly { readonly from: string; readonly sha256: string }[] };
  return moves.map(({ from: name, sha256 }) => ({ name, sha256 }));
}
