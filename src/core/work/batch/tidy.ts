import { LIMITS, oneLine, sha256Hex, type Instant } from "#base";
import { MOVE_FILES, type BatchProposal, type FileMove } from "#model";
import { flagsOf, FLAG_WORDS, type FileFlag } from "./flags.ts";
import { KIND_BY_ENDING, OTHER, type FileKind } from "./kinds-table.ts";

/** What was seen of one file at the top of a folder. */
export type FileFact = {
  readonly name: string;
  readonly size: number;
  readonly changedAt: Instant;
  readonly isExecutable: boolean;
  readonly sha256: string;
};

export type FolderFacts = {
  readonly folder: string;
  readonly files: readonly FileFact[];
  /** Folders at its top, and every path in those that something might be moved to. */
  readonly folders: readonly string[];
  readonly taken: readonly string[];
  readonly at: Instant;
};

export type TidySettings = { readonly size: number; readonly mediumMin: number };
export type LeftAlone = { readonly name: string; readonly reason: string };
/** Batches in their order; together they are all candidates, in theirs. [BATCH-02] */
export type TidyPlan = {
  readonly goalId: string;
  readonly batches: readonly BatchProposal[];
  readonly leftAlone: readonly LeftAlone[];
};

/**
 * What could be moved where, by rules: the ending of a name says the kind, the kind names a folder, and whatever is
 * unusual is marked and sure of less. Equal facts give equal batches. Nothing here looks at a disk, or moves anything.
 */
export function tidyBatches(facts: FolderFacts, { size, mediumMin }: TidySettings): TidyPlan {
  const goalId = `tidy-${sha256Hex(facts.folder).slice(0, 12)}`;
  const inOrder = facts.files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const movable = inOrder.filter(({ name }) => isShown(name));
  const considered = movable.slice(0, LIMITS.batchCandidates);
  const around = aroundOf(facts);
  const candidates = considered.map((file, index) => candidateOf(file, { around, index, mediumMin }));
  const batches: BatchProposal[] = [];
  const most = Math.min(size, LIMITS.batchMoves);
  for (let from = 0; from < candidates.length; from += most) {
    const number = batches.length + 1;
    batches.push(batchOf(candidates.slice(from, from + most), { goalId, number, facts }));
  }
  return { goalId, batches, leftAlone: leftAlone({ inOrder, movable }) };
}

type Candidate = { readonly item: BatchProposal["items"][number]; readonly move: FileMove; readonly folder: string };
/** What is asked for every file, put together once. */
type Around = {
  readonly taken: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly countByDigest: ReadonlyMap<string, number>;
  readonly at: Instant;
};
type Looking = { readonly around: Around; readonly index: number; readonly mediumMin: number };

function aroundOf({ files, taken, at }: FolderFacts): Around {
  const countByDigest = new Map<string, number>();
  for (const { sha256 } of files) countByDigest.set(sha256, (countByDigest.get(sha256) ?? 0) + 1);
  return { taken: new Set(taken), names: new Set(files.map(({ name }) => name)), countByDigest, at };
}

function candidateOf(file: FileFact, { around, index, mediumMin }: Looking): Candidate {
  const { name, sha256, changedAt } = file;
  const ending = endingOf(name);
  const kind = KIND_BY_ENDING.get(ending) ?? OTHER;
  const to = freePlace(kind, { name, around });
  const found = flagsOf(file, {
    ending,
    isKnown: kind !== OTHER,
    isTwin: (around.countByDigest.get(sha256) ?? 0) > 1,
    isTaken: to !== `${kind.folder}/${name}`,
    at: around.at,
  });
  const flags: readonly FileFlag[] = kind.confidence < mediumMin ? [...found, "low_confidence"] : found;
  const confidence = flags.length === 0 ? kind.confidence : Math.min(kind.confidence, 0.4);
  const id = String(index + 1);
  const why = flags.length === 0 ? "" : `; ${flags.map((flag) => FLAG_WORDS[flag]).join(", ")}`;
  return {
    item: {
      item_id: id,
      title: cut(name),
      actor: "rules",
      occurred_at: changedAt,
      reason: `To ${to.split("/")[0]}: ${kind.word}${why}`,
      confidence,
      ...(flags.length === 0 ? {} : { flags: [...flags] }),
    },
    move: { item_id: id, from: name, to, sha256 },
    folder: kind.folder,
  };
}

type Batching = { readonly goalId: string; readonly number: number; readonly facts: FolderFacts };

function batchOf(candidates: readonly Candidate[], { goalId, number, facts }: Batching): BatchProposal {
  const used = new Set(candidates.map(({ folder }) => folder));
  return {
    kind: "batch_review",
    batch_id: `${goalId}.${number}`,
    goal_id: goalId,
    action: MOVE_FILES,
    params: {
      folder: facts.folder,
      moves: candidates.map(({ move }) => ({ ...move })),
      folders_made: [...used].filter((folder) => !facts.folders.includes(folder)).toSorted(),
      folders_removed: [],
    },
    items: candidates.map(({ item }) => item),
    reason_summary: "Sorted by kind, from names alone",
    confidence_min: Math.min(...candidates.map(({ item }) => item.confidence)),
    created_at: facts.at,
  };
}

/** The same name in the folder of its kind, or the first free one like it. */
function freePlace(
  { folder }: FileKind,
  { name, around: { taken, names } }: { readonly name: string; readonly around: Around },
): string {
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${stem} (${number})${ending}`;
    const place = `${folder}/${free}`;
    if (!taken.has(place) && (number === 1 || !names.has(free))) return place;
  }
}

/** The ending of a name, in lower case; none for a name that only begins with a dot. */
function endingOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
}

/** Names that act on a screen, hide in it or are no text are neither shown nor signed, and so stay where they are. */
const isShown = (name: string): boolean =>
  oneLine(name) === name && name.trim() === name && name.length <= LIMITS.pathChars / 4 && /[\p{L}\p{N}]/u.test(name);

type Names = { readonly inOrder: readonly FileFact[]; readonly movable: readonly FileFact[] };

function leftAlone({ inOrder, movable }: Names): readonly LeftAlone[] {
  const shown = new Set(movable);
  const odd = inOrder
    .filter((file) => !shown.has(file))
    .map(({ name }) => ({ name, reason: "its name holds characters that cannot be shown as they are" }));
  const later = movable
    .slice(LIMITS.batchCandidates)
    .map(({ name }) => ({ name, reason: "more files than one look takes up; it waits for the next" }));
  return [...odd, ...later];
}

function cut(title: string): string {
  if (title.length <= LIMITS.titleChars) return title;
  return `${title.slice(0, LIMITS.titleChars - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
