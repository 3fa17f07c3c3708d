import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { DecisionRowBody } from "#model";
import { Button } from "../parts/button.tsx";
import { Line } from "../parts/text.tsx";
import { words } from "../words.ts";
import styles from "./queue.module.css";
import { RiskMark } from "./risk-mark.tsx";

/** More rows than this are made only when somebody asks for them, so that two hundred cost as little as twenty. */
const PAGE_ROWS = 20;

type QueueProps = {
  readonly pending: readonly DecisionRowBody[];
  readonly activeId: string | null;
  /** In the desktop's column a row changes the card beside it; on the surface it has an address. */
  readonly onChoose: ((id: string) => void) | null;
};

/** What comes after the active card: its number, what it is about, and its risk. */
export function Queue({ pending, activeId, onChoose }: QueueProps): ReactNode {
  const [shown, setShown] = useState(PAGE_ROWS);
  const rows = pending
    .map((row, index) => ({ row, number: index + 1 }))
    .filter(({ row }) => row.request_id !== activeId);
  if (rows.length === 0) return null;
  const hidden = Math.max(0, rows.length - shown);
  return (
    <section className={styles["section"]} aria-labelledby="up-next">
      <h2 id="up-next">
        {words.review.upNext} <span className="mono">{rows.length}</span>
      </h2>
      <ol className={styles["rows"]}>
        {rows.slice(0, shown).map(({ row, number }) => (
          <li key={row.request_id}>
            <QueueRow row={row} number={number} onChoose={onChoose} />
          </li>
        ))}
      </ol>
      {hidden > 0 && (
        <Button tone="quiet" onClick={() => setShown(shown + PAGE_ROWS)}>
          {words.review.more(Math.min(hidden, PAGE_ROWS))}
        </Button>
      )}
    </section>
  );
}

type RowProps = Pick<QueueProps, "onChoose"> & { readonly row: DecisionRowBody; readonly number: number };

function QueueRow({ row, number, onChoose }: RowProps): ReactNode {
  const inside = (
    <>
      <span className={styles["number"]}>{number}</span>
      <span className={styles["intent"]}>
        <Line text={row.intent} />
      </span>
      <RiskMark risk={row.risk_level} words="short" />
    </>
  );
  const shared = { className: styles["row"], "data-up-next": row.request_id };
  return onChoose === null ? (
    <Link href={`/review/${row.request_id}`} {...shared}>
      {inside}
    </Link>
  ) : (
    <button type="button" {...shared} onClick={() => onChoose(row.request_id)}>
      {inside}
    </button>
  );
}
