import type { ReactNode } from "react";
import { batchWords } from "../../words/batch-words.ts";
import styles from "./batch.module.css";
import { firstChoice } from "./shown-batch.ts";
import type { Choosing } from "./use-batch.ts";

/** What the first choice does now: it names the action and how many. */
export const chosenLabel = ({ batch, ids, all }: Choosing): string =>
  batchWords.act(batch.proposal.action, { chosen: ids.length, all });

/** Why there is no such choice, or what it means that not all are ticked. */
export function SelectionNote({ choosing }: { readonly choosing: Choosing }): ReactNode {
  return (
    <p className={styles["note"]} role="status" data-testid="selection-note">
      {noteOn(choosing)}
    </p>
  );
}

function noteOn({ batch, chosen, ids, all }: Choosing): string {
  if (batch.isQuestion) return ids.length === 0 ? batchWords.noPlace : batchWords.place;
  if (ids.length === 0) return batchWords.nothingChosen;
  if (ids.length === all) return "";
  const first = firstChoice(batch);
  const isFirst = first.size === chosen.size && ids.every((id) => first.has(id));
  return isFirst ? batchWords.part : batchWords.changed;
}
