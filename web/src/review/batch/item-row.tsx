import { ArrowRight, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Line } from "../../parts/text.tsx";
import { batchWords } from "../../words/batch-words.ts";
import styles from "./batch.module.css";
import { isFlagged, type BatchItem } from "./shown-batch.ts";
import type { Choosing } from "./use-batch.ts";

type ItemRowProps = { readonly item: BatchItem; readonly choosing: Choosing };

/** One item: the whole row ticks it. What is unusual has a mark and says why, not by colour alone. */
export function ItemRow({ item, choosing }: ItemRowProps): ReactNode {
  const { item_id: id, title, reason, confidence, flags = [] } = item;
  const isUnusual = isFlagged(item);
  const { isQuestion } = choosing.batch;
  const destination = choosing.batch.destinations.get(id);
  return (
    <label className={styles["row"]} data-batch-row={id} data-flagged={isUnusual ? "yes" : "no"}>
      <input
        type={isQuestion ? "radio" : "checkbox"}
        name={choosing.listId}
        checked={choosing.chosen.has(id)}
        onChange={() => (isQuestion ? choosing.choose([id]) : choosing.toggle([id]))}
      />
      <span className={styles["what"]}>
        <span className={styles["title"]}>
          <Line text={title} />
          {destination !== undefined && (
            <span className={styles["destination"]}>
              <ArrowRight size={14} aria-label={batchWords.goesTo} />
              <Line text={destination} />
            </span>
          )}
        </span>
        <span className={styles["reason"]}>
          {isUnusual && <TriangleAlert size={14} aria-hidden />}
          <Line text={isUnusual ? batchWords.flags(flags) : reason} />
        </span>
      </span>
      <span className={styles["sure"]}>{batchWords.sure(confidence)}</span>
    </label>
  );
}
