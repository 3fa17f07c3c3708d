import { oneLine } from "#base";
import { isAsApproved, OUTCOME_WORDS, readMoveFiles, projectBatch, type BatchProposal, type UndoView } from "#model";
import { showMoment } from "../terminal/local-time.ts";

/** The items of a batch for a person: what is unusual has a mark and says why. */
export function describeBatch(batch: BatchProposal): readonly string[] {
  const read = readMoveFiles(projectBatch(batch));
  const places = new Map(read.ok ? read.value.moves.map(({ item_id, to }) => [item_id, to]) : []);
  return batch.items.map(({ item_id: id, title, reason, flags = [] }) => {
    const mark = flags.length === 0 ? " " : "!";
    const to = places.get(id);
    return oneLine(`${mark} ${id.padStart(3)}  ${title}${to === undefined ? "" : ` -> ${to}`}  (${reason})`);
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
    ...(state === "over" ? ["The time to take it back is over"] : []),
  ];
}
