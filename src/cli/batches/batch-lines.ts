import { oneLine } from "#base";
import {
  CHOOSE_MOVE,
  isAsApproved,
  OUTCOME_WORDS,
  payloadProjection,
  projectBatch,
  readChoice,
  readMoveFiles,
  type KeptRequest,
  type UndoView,
} from "#model";
import { showMoment } from "../terminal/local-time.ts";
import { batchIn } from "./choose-items.ts";

/** What a batch would move where, by the numbers of its items and from what is signed; what is unusual says why. */
export function describeBatch(request: KeptRequest): readonly string[] {
  const batch = batchIn(request);
  if (batch === null || payloadProjection(batch) !== request.projection) return [];
  const read = batch.action === CHOOSE_MOVE ? readChoice : readMoveFiles;
  const ways = read(projectBatch(batch));
  if (!ways.ok) return [];
  const about = new Map(batch.items.map((item) => [item.item_id, item]));
  return ways.value.moves.map(({ item_id: id, from, to }) => {
    const { flags = [], reason = "" } = about.get(id) ?? {};
    const isUnusual = flags.length > 0;
    return oneLine(`${isUnusual ? "!" : " "} ${id.padStart(3)}  ${from} -> ${to}${isUnusual ? `  (${reason})` : ""}`);
  });
}

/** What became of the items, and how long it can be taken back. */
export function describeUndo({ state, until, items }: UndoView): readonly string[] {
  const left = items.filter(({ outcome }) => !isAsApproved(outcome));
  const done = items.length - left.length;
  return [
    `${done} of ${items.length} items${state === "used" ? " are back" : ""}`,
    ...left.map(({ title, outcome }) => oneLine(`  ${title}: ${OUTCOME_WORDS[outcome]}`)),
    ...(state === "open" && until !== null ? [`Can be taken back until ${showMoment(until)}`] : []),
    ...(state === "nothing" ? ["Nothing was moved, so there is nothing to take back"] : []),
    ...(state === "over" ? ["The time to take it back is over"] : []),
  ];
}
