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

export type TidySettings = { readonly size: number; readonly mediumMin: number; readonly highMin: number };
export type LeftAlone = { readonly name: string; readonly reason: string };
/** Batches in their order; together they are all candidates, in theirs. [BATCH-02] */
type TidyPlan = {
  readonly goalId: string;
  readonly batches: readonly BatchProposal[];
  readonly leftAlone: readonly LeftAlone[];
};

/**
 * What could be moved where, by rules: the ending of a name says the kind, the kind names a folder, and whatever is
 * unusual is marked and sure of less. Equal facts give equal batches. Nothing here looks at a disk, or moves anything.
 */
export function tidyBatches(facts: FolderFacts, { size, ...sure }: TidySettings): TidyPlan {
  const goalId = `tidy-${sha256Hex(facts.folder).slice(0, 12)}`;
  const { candidates, ...names } = candidatesOf(facts, { ...sure, isAsked: () => false });
  return { goalId, batches: batchesOf(candidates, { goalId, size, facts }), leftAlone: leftAlone(names) };
}

/** Everything that could be moved, in the order of its name. */
export function candidatesOf(facts: FolderFacts, { mediumMin, highMin, isAsked }: Picking): Picked {
  const inOrder = facts.files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const around = aroundOf(facts);
  const movable = inOrder.filter(({ name }) => whyNever(name, around.names) === null);
  // Each keeps the number it has among all, so that no two questions of a goal are called alike.
  const considered = movable.flatMap((file, index) => (isAsked(file) ? [] : [{ file, index }]));
  const candidates = considered
    .slice(0, LIMITS.batchCandidates)
    .map(({ file, index }) => candidateOf(file, { around, index, mediumMin, highMin }));
  return { inOrder, movable, around, candidates };
}
/** What was asked about before is not taken up again, and keeps nothing else from being taken up. */
type Picking = Sureness & {
  readonly isAsked: (file: Pick<FileFact, "name" | "sha256">) => boolean;
};
type Picked = Names & { readonly candidates: readonly Candidate[] };

type Chunking = { readonly goalId: string; readonly size: number; readonly facts: FolderFacts };

/** In chunks of one size, only the last of which may be smaller. [BATCH-02] */
export function batchesOf(
  candidates: readonly Candidate[],
  { goalId, size, facts }: Chunking,
): readonly BatchProposal[] {
  const batches: BatchProposal[] = [];
  const most = Math.min(size, LIMITS.batchMoves);
  for (let from = 0; from < candidates.length; from += most) {
    const number = batches.length + 1;
    batches.push(batchOf(candidates.slice(from, from + most), { goalId, number, facts }));
  }
  return batches;
}

export type Candidate = {
  readonly item: BatchProposal["items"][number];
  readonly move: FileMove;
  readonly folder: string;
};
/** What is asked for every file, put together once. */
type Around = {
  readonly taken: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly countByDigest: ReadonlyMap<string, number>;
  readonly at: Instant;
};
type Sureness = Pick<TidySettings, "mediumMin" | "highMin">;
type Looking = Sureness & { readonly around: Around; readonly index: number };

export function aroundOf({ files, taken, at }: FolderFacts): Around {
  const countByDigest = new Map<string, number>();
  for (const { sha256 } of files) countByDigest.set(sha256, (countByDigest.get(sha256) ?? 0) + 1);
  return { taken: new Set(taken), names: new Set(files.map(({ name }) => name)), countByDigest, at };
}

function candidateOf(file: FileFact, { around, index, mediumMin, highMin }: Looking): Candidate {
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
  const isLow = kind.confidence < mediumMin;
  const doubts: readonly FileFlag[] = isLow
    ? ["low_confidence"]
    : kind.confidence < highMin
      ? ["medium_confidence"]
      : [];
  const flags = [...found, ...doubts];
  const confidence = found.length === 0 && !isLow ? kind.confidence : Math.min(kind.confidence, 0.4);
  const id = String(index + 1);
  const why = flags.length === 0 ? "" : `; ${flags.map((flag) => FLAG_WORDS[flag]).join(", ")}`;
  return {
    item: {
      item_id: id,
      title: name,
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
export function freePlace(
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
export function endingOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
}

/** Names that act on a screen, hide in it or are no text are neither shown nor signed, and so stay where they are. */
const isShown = (name: string): boolean =>
  oneLine(name) === name && name.trim() === name && name.length <= LIMITS.pathChars / 4 && /[\p{L}\p{N}]/u.test(name);

/**
 * Why a file is not proposed at all; null where it may be. A file with the name of a folder that is made beside it could
 * not come back to its place, and into a folder whose name a file has nothing can be moved.
 */
function whyNever(name: string, names: ReadonlySet<string>): string | null {
  if (!isShown(name)) return "its name holds characters that cannot be shown as they are";
  if (KIND_FOLDERS.has(name.toLowerCase())) return "its name is that of a folder for files of a kind";
  const { folder } = KIND_BY_ENDING.get(endingOf(name)) ?? OTHER;
  return names.has(folder) ? "a file has the name of the folder it would be moved to" : null;
}
const KIND_FOLDERS = new Set([OTHER, ...KIND_BY_ENDING.values()].map(({ folder }) => folder.toLowerCase()));

type Names = { readonly inOrder: readonly FileFact[]; readonly movable: readonly FileFact[]; readonly around: Around };

function leftAlone({ inOrder, movable, around }: Names): readonly LeftAlone[] {
  const odd = inOrder.flatMap(({ name }) => {
    const reason = whyNever(name, around.names);
    return reason === null ? [] : [{ name, reason }];
  });
  const later = movable
    .slice(LIMITS.batchCandidates)
    .map(({ name }) => ({ name, reason: "more files than one look takes up; it waits for the next" }));
  return [...odd, ...later];
}
