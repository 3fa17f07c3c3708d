import {
  CHOOSE_MOVE,
  MOVE_FILES,
  parsePayload,
  payloadProjection,
  projectBatch,
  readChoice,
  readMoveFiles,
  type BatchProposal,
  type ShownRequestBody,
} from "#model";

type Asked = Pick<ShownRequestBody, "kind" | "markdown" | "projection">;
export type BatchItem = BatchProposal["items"][number];

/** A batch as its card shows it: what is unusual apart from what is not, each in the order that is signed. */
export type ShownBatch = {
  readonly proposal: BatchProposal;
  /** Whether one of its rows is to be chosen, rather than as many as one likes; none is chosen beforehand. [BATCH-03] */
  readonly isQuestion: boolean;
  readonly flagged: readonly BatchItem[];
  readonly usual: readonly BatchItem[];
  /** Where each file would go; the folder alone where it keeps its name. Empty for what moves nothing. */
  readonly destinations: ReadonlyMap<string, string>;
};

/**
 * The batch a request asks about, with the words around its items. Null for any other request, and for one whose words
 * are not about what would be signed: that one is shown as plain values only.
 */
export function shownBatch({ kind, markdown, projection }: Asked): ShownBatch | null {
  if (kind !== "batch_review") return null;
  const read = parsePayload(markdown);
  if (!read.ok || read.value.kind !== "batch_review" || payloadProjection(read.value) !== projection) return null;
  const { items, action } = read.value;
  const isQuestion = action === CHOOSE_MOVE;
  return {
    proposal: read.value,
    isQuestion,
    flagged: items.filter((item) => isQuestion || isFlagged(item)),
    usual: items.filter((item) => !isQuestion && !isFlagged(item)),
    destinations: destinationsOf(read.value),
  };
}

/** From the settings that are signed, not from what is said about them. */
function destinationsOf(proposal: BatchProposal): ReadonlyMap<string, string> {
  const reads = { [MOVE_FILES]: readMoveFiles, [CHOOSE_MOVE]: readChoice };
  const { action } = proposal;
  const read = action === MOVE_FILES || action === CHOOSE_MOVE ? reads[action](projectBatch(proposal)) : null;
  if (read === null || !read.ok) return new Map();
  return new Map(read.value.moves.map(({ item_id: id, from, to }) => [id, destinationOf(from, to)]));
}

function destinationOf(from: string, to: string): string {
  const at = to.lastIndexOf("/") + 1;
  return at > 0 && from.slice(from.lastIndexOf("/") + 1) === to.slice(at) ? to.slice(0, at) : to;
}

export const isFlagged = ({ flags = [] }: BatchItem): boolean => flags.length > 0;

/** More than these would push the rest of the card out of a phone's first screen; the others are in the list. [CARD-04] */
const FLAGGED_SHOWN = 3;

/** The unusual ones that stand on the card itself, and everything else. */
export function placesOf({ flagged, usual, isQuestion }: ShownBatch): {
  readonly onCard: readonly BatchItem[];
  readonly inList: readonly BatchItem[];
} {
  const count = isQuestion || flagged.length <= FLAGGED_SHOWN ? flagged.length : FLAGGED_SHOWN - 1;
  return { onCard: flagged.slice(0, count), inList: [...flagged.slice(count), ...usual] };
}

export const idsOf = (items: readonly BatchItem[]): readonly string[] => items.map(({ item_id: id }) => id);

/** What is ticked when the card comes: everything usual. Who wants more, says so. */
export const firstChoice = ({ usual }: ShownBatch): ReadonlySet<string> => new Set(idsOf(usual));

export function toggled(chosen: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> {
  const isWhole = ids.every((id) => chosen.has(id));
  const next = new Set(chosen);
  for (const id of ids) {
    if (isWhole) next.delete(id);
    else next.add(id);
  }
  return next;
}

/** How much of a group is ticked. */
export function shareOf(chosen: ReadonlySet<string>, items: readonly BatchItem[]): "none" | "some" | "all" {
  const count = items.filter(({ item_id: id }) => chosen.has(id)).length;
  if (count === 0) return "none";
  return count === items.length ? "all" : "some";
}

/** The ticked ones, in the order of the batch. */
export const chosenIds = ({ proposal }: ShownBatch, chosen: ReadonlySet<string>): readonly string[] =>
  idsOf(proposal.items).filter((id) => chosen.has(id));
