import { CHOOSE_MOVE, type BatchProposal, type FileMove } from "#model";
import { GUESS, KIND_BY_ENDING, OTHER, SECOND_KIND_BY_ENDING, type FileKind } from "./kinds-table.ts";
import {
  aroundOf,
  batchesOf,
  candidatesOf,
  endingOf,
  freePlace,
  type Candidate,
  type FileFact,
  type FolderFacts,
} from "./tidy.ts";

/** What a goal knows besides the folder when it looks at it. */
export type ReviewFacts = {
  /** What its batches are asked about under. */
  readonly goalId: string;
  readonly size: number;
  readonly mediumMin: number;
  /** From here on an item joins a batch; below it is asked about by itself. [AUTO-02] [AUTO-03] */
  readonly highMin: number;
  /** Whether the goal asked about this file with these bytes before, however that was decided. */
  readonly isAsked: (file: Pick<FileFact, "name" | "sha256">) => boolean;
  /** Whether a batch of it is still to be decided. */
  readonly batches: "none_open" | "open";
  /** Questions that may be added to those that are still to be decided. */
  readonly questionsMax: number;
};
type ReviewPlan = {
  readonly batches: readonly BatchProposal[];
  /** One for each item that no rule is sure about. */
  readonly questions: readonly BatchProposal[];
  /** What was not asked about before, asked about now or not. */
  readonly candidates: number;
};

/**
 * What a goal asks about its folder: in batches what its rules are sure of, each of the others by a question of its own.
 * A file is asked about once as it is, and one that was changed within the hour may not be whole yet and waits. Equal
 * facts give equal questions. [BATCH-01] [BATCH-03]
 */
export function reviewItems(facts: FolderFacts, known: ReviewFacts): ReviewPlan {
  const { candidates } = candidatesOf(facts, known);
  const fresh = candidates.filter(({ item }) => !(item.flags ?? []).includes("changed_recently"));
  const isSure = (candidate: Candidate): boolean => isSureOf(candidate, known.highMin);
  const sure = known.batches === "open" ? [] : fresh.filter(isSure);
  const unsure = fresh.filter((candidate) => !isSure(candidate)).slice(0, known.questionsMax);
  const { goalId, size } = known;
  return {
    batches: batchesOf(sure, { goalId, size, facts }),
    questions: unsure.map((candidate) => questionOf(candidate, { goalId, facts })),
    candidates: fresh.length,
  };
}

/** By its ending alone, and nothing unusual about it. */
const isSureOf = ({ item, move }: Candidate, highMin: number): boolean =>
  item.confidence >= highMin && !SECOND_KIND_BY_ENDING.has(endingOf(move.from));

type Asking = { readonly goalId: string; readonly facts: FolderFacts };

function questionOf({ item, move: { from: name, sha256 } }: Candidate, { goalId, facts }: Asking): BatchProposal {
  const around = aroundOf(facts);
  const kinds = kindsOf(endingOf(name));
  const moves: readonly FileMove[] = kinds.map((kind, index) => ({
    item_id: String(index + 1),
    from: name,
    to: freePlace(kind, { name, around }),
    sha256,
  }));
  return {
    kind: "batch_review",
    batch_id: `${goalId}.q${item.item_id}`,
    goal_id: goalId,
    action: CHOOSE_MOVE,
    params: {
      folder: facts.folder,
      moves: moves.map((move) => ({ ...move })),
      folders_made: kinds.map(({ folder }) => folder).filter((folder) => !facts.folders.includes(folder)),
      folders_removed: [],
    },
    items: moves.map(({ item_id }) => ({ ...item, item_id })),
    reason_summary: "No rule is sure where it belongs",
    confidence_min: item.confidence,
    created_at: facts.at,
  };
}

/** The kind its ending says, and the one it might be as well. */
function kindsOf(ending: string): readonly FileKind[] {
  const first = KIND_BY_ENDING.get(ending) ?? OTHER;
  const second = SECOND_KIND_BY_ENDING.get(ending) ?? (first === OTHER ? GUESS : OTHER);
  return [first, second];
}
