import { isModelTurn, type LedgerEntry, type Step, type WorkItem } from "#model";
import type { ExecutorOutput } from "#tools";
import type { ModelState, RunPlan } from "../run/facts.ts";
import { readMove } from "./read-move.ts";

/** What stands before the reason why a call was not run. Programs fail with other words. */
export const NOT_RUN = "Not run: ";
export const wasNotRun = ({ error }: Pick<LedgerEntry, "error">): boolean => error?.startsWith(NOT_RUN) === true;

const NOTHING_SAID: ModelState = { asked: null, problem: null, output: null, refused: [] };

type Chosen = { readonly steps: readonly Step[]; readonly output: ExecutorOutput | null };

/** What the model has answered in this attempt, from what was kept: it is not asked for it again. [WSTORE-06] */
export function chosenIn(
  ledger: readonly LedgerEntry[],
  { plan, attempt }: { plan: RunPlan; attempt: number },
): Chosen {
  const steps: Step[] = [];
  for (const entry of ledger) {
    if (entry.attempt !== attempt || !isModelTurn(entry) || entry.success !== true) continue;
    const move = readMove(entry.returnValue, plan);
    // What does not fit any more, by another version of Silas, is asked for again, and so is all that followed.
    if (!move.ok) break;
    if (move.value.kind === "end") return { steps, output: move.value.output };
    steps.push(move.value.step);
  }
  return { steps, output: null };
}

type Begun = { readonly plan: RunPlan; readonly model: ModelState | null };

/** A model begins each attempt anew. */
export function begunAnew(plan: RunPlan): Begun {
  return isModelRun(plan) ? { plan: { ...plan, steps: [] }, model: NOTHING_SAID } : { plan, model: null };
}

/** What an earlier process left of the attempt that it was in. */
export function takenUp(
  plan: RunPlan,
  { ledger, attempt }: { ledger: readonly LedgerEntry[]; attempt: number },
): Begun {
  if (!isModelRun(plan)) return begunAnew(plan);
  const { steps, output } = chosenIn(ledger, { plan, attempt });
  const refused = ledger.filter(
    (entry) => entry.attempt === attempt && entry.decision === undefined && isDeclined(entry),
  );
  return { plan: { ...plan, steps: [...steps] }, model: { ...NOTHING_SAID, output, refused } };
}

/** Why a call that the owner was asked about is not run. */
export const REFUSED = {
  declined: `${NOT_RUN}you declined it`,
  expired: `${NOT_RUN}you were asked, and it was not decided in time`,
  unasked: `${NOT_RUN}it needs your decision, and too many wait already`,
  unmet: `${NOT_RUN}you approved it, and the service did not give it`,
} as const;
const isDeclined = ({ error }: LedgerEntry): boolean => Object.values<string | null>(REFUSED).includes(error);

/** What of a plan is known to a run that a model carries out. */
export type ModelPlan = Pick<WorkItem, "executor" | "tools" | "files">;

/** Whether a model chooses what is done. Its steps are then those it has chosen so far in this attempt. */
export const isModelRun = ({ executor }: Pick<WorkItem, "executor">): boolean => executor === "model";
