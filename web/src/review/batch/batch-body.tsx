import { ChevronDown } from "lucide-react";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { batchWords } from "../../words/batch-words.ts";
import styles from "./batch.module.css";
import { ItemRow } from "./item-row.tsx";
import { idsOf, placesOf, shareOf } from "./shown-batch.ts";
import type { Choosing } from "./use-batch.ts";

/** What is unusual one by one and unticked, what is usual as one row. */
export function BatchBody({ choosing }: { readonly choosing: Choosing }): ReactNode {
  const { onCard: shown } = placesOf(choosing.batch);
  const hidden = choosing.batch.flagged.length - shown.length;
  return (
    <section
      className={styles["batch"]}
      aria-label={choosing.batch.isQuestion ? batchWords.places : batchWords.items}
      data-testid="batch"
    >
      {shown.length > 0 && (
        <ul>
          {shown.map((item) => (
            <li key={item.item_id}>
              <ItemRow item={item} choosing={choosing} />
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <button type="button" className={styles["hidden"]} onClick={() => choosing.setIsListed(true)}>
          {batchWords.flaggedRest(hidden)}
        </button>
      )}
      {!choosing.batch.isQuestion && <UsualRow choosing={choosing} />}
    </section>
  );
}

/** Ticked, unticked, or some of both; the arrow shows each. */
function UsualRow({ choosing }: { readonly choosing: Choosing }): ReactNode {
  const { batch, chosen, ids, all, listId, isListed, toggle, setIsListed } = choosing;
  const box = useRef<HTMLInputElement>(null);
  const countId = useId();
  const share = shareOf(chosen, batch.usual);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = share === "some";
  }, [share]);
  return (
    <div className={styles["usual"]} data-batch-row="usual" data-share={share} data-testid="usual">
      {batch.usual.length > 0 && (
        <label className={styles["row"]}>
          <input
            ref={box}
            type="checkbox"
            checked={share === "all"}
            aria-describedby={countId}
            onChange={() => toggle(idsOf(batch.usual))}
          />
          <span className={styles["title"]}>{batchWords.usual(batch.usual.length)}</span>
        </label>
      )}
      <span id={countId} className={styles["count"]} role="status">
        {batchWords.chosen({ chosen: ids.length, all })}
      </span>
      <button
        type="button"
        className={styles["expand"]}
        aria-expanded={isListed}
        aria-controls={listId}
        onClick={() => setIsListed(!isListed)}
      >
        <span>{isListed ? batchWords.hide : batchWords.show}</span>
        <ChevronDown size={18} aria-hidden />
      </button>
    </div>
  );
}
