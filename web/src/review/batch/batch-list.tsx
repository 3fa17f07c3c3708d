import type { ReactNode } from "react";
import { VList } from "virtua";
import { Button } from "../../parts/button.tsx";
import { batchWords } from "../../words/batch-words.ts";
import styles from "./batch.module.css";
import { ItemRow } from "./item-row.tsx";
import { idsOf, placesOf } from "./shown-batch.ts";
import type { Choosing } from "./use-batch.ts";

/** Beyond these only the rows in sight are made. */
const WHOLE_ROWS = 16;
const LIST_PX = 400;

/** Every item that does not stand on the card itself, and the ways to tick many at once. */
export function BatchList({ choosing }: { readonly choosing: Choosing }): ReactNode {
  const { batch, choose, listId, isListed } = choosing;
  return (
    <div id={listId} className={styles["list"]} hidden={!isListed} data-testid="batch-list">
      {isListed && (
        <>
          <div className={styles["many"]} role="group" aria-label={batchWords.choose}>
            <Button size="small" onClick={() => choose(idsOf(batch.proposal.items))}>
              {batchWords.all}
            </Button>
            <Button size="small" onClick={() => choose(idsOf(batch.usual))}>
              {batchWords.usualOnly}
            </Button>
            <Button size="small" onClick={() => choose([])}>
              {batchWords.none}
            </Button>
          </div>
          <Rows>
            {placesOf(batch).inList.map((item) => (
              <ItemRow key={item.item_id} item={item} choosing={choosing} />
            ))}
          </Rows>
        </>
      )}
    </div>
  );
}

function Rows({ children }: { readonly children: readonly ReactNode[] }): ReactNode {
  if (children.length <= WHOLE_ROWS) {
    return <div className={styles["rows"]}>{children}</div>;
  }
  return (
    <VList className={styles["rows"]} style={{ height: LIST_PX }} bufferSize={88}>
      {children}
    </VList>
  );
}
