import * as z from "zod/mini";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import { instantSchema } from "../values.ts";

/**
 * What became of one item. `done` and `there_already` are as approved; the others were left alone, and why. `failed` is a
 * program that did not say, `not_reached` one that was never asked.
 */
export const ITEM_OUTCOMES = [
  "done",
  "there_already",
  "changed",
  "gone",
  "taken",
  "not_a_file",
  "other_disk",
  "failed",
  "not_reached",
] as const;
export type ItemOutcome = (typeof ITEM_OUTCOMES)[number];

/** Whether an item is where the approval wanted it. */
export const isAsApproved = (outcome: ItemOutcome): boolean => outcome === "done" || outcome === "there_already";

/**
 * How a batch can be taken back. `open`: until a moment; `used`: it was, by another run; `over`: its time has passed;
 * `nothing`: it ended and moved nothing; `none`: it has not ended yet, or this run is itself the taking back.
 */
export const undoSchema = recordOf(
  z.strictObject({
    state: z.enum(["open", "used", "over", "nothing", "none"]),
    until: z.nullable(instantSchema),
    /** The run that takes it back. */
    run_id: z.nullable(z.string()),
    /** What became of each item; of those that are taken back, once there is a taking back. */
    items: z.array(
      recordOf(z.strictObject({ item_id: z.string(), title: z.string(), outcome: z.enum(ITEM_OUTCOMES) })),
    ),
  }),
);
export type UndoView = z.infer<typeof undoSchema>;
export type UndoBody = z.input<typeof undoSchema>;

export const undoToWire = writerOf(undoSchema);

/** `POST /api/work/:id/undo` takes nothing but its address. */
export const undoRunSchema = z.strictObject({});

/** `POST /api/approvals/:id/selection` */
export const selectItemsSchema = z.strictObject({ selected_item_ids: z.array(z.string()) });

/** Why a batch was not taken back. Nothing was changed. */
export type UndoRefusal =
  | { readonly code: "undo_unknown"; readonly runId: string }
  | { readonly code: "undo_not_yet"; readonly runId: string }
  | { readonly code: "undo_nothing"; readonly runId: string }
  | { readonly code: "undo_over"; readonly runId: string; readonly until: string };

type Said = { readonly what: string; readonly kept: string; readonly next: string };
type Table = { readonly [C in UndoRefusal["code"]]: (error: Extract<UndoRefusal, { readonly code: C }>) => Said };
const KEPT = "Nothing was changed.";

export const UNDO_WORDS: Table = {
  undo_unknown: () => ({
    what: "This run cannot be taken back: only batches can.",
    kept: KEPT,
    next: "`silas work show ID` says what it did.",
  }),
  undo_not_yet: () => ({
    what: "This batch has not ended yet.",
    kept: KEPT,
    next: "`silas work cancel ID` ends it; what was done until then can be taken back afterwards.",
  }),
  undo_nothing: () => ({
    what: "This batch moved nothing, so there is nothing to take back.",
    kept: KEPT,
    next: "`silas work show ID` says what became of each item.",
  }),
  undo_over: ({ until }) => ({
    what: `The time to take this back ended at ${until}.`,
    kept: KEPT,
    next: "`silas undo ID --propose` proposes the way back as a batch of its own.",
  }),
};

/** What became of an item, in a few words. */
export const OUTCOME_WORDS: { readonly [O in ItemOutcome]: string } = {
  done: "moved",
  there_already: "was there already",
  changed: "left alone: its bytes are not those that were approved",
  gone: "left alone: it is not there any more",
  taken: "left alone: something else has that name there",
  not_a_file: "left alone: it is a link or no plain file",
  other_disk: "left alone: the place lies on another disk",
  failed: "left alone: it could not be moved",
  not_reached: "not reached",
};
