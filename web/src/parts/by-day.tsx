import type { CSSProperties, ReactNode } from "react";
import type { Instant, LocalDate } from "#base";
import { localDateOf, useToday } from "../time/clock.ts";
import { clockChars, longDate, relativeDate } from "../time/format.ts";
import styles from "./by-day.module.css";

type ByDayProps<Row> = {
  readonly rows: readonly Row[];
  readonly momentOf: (row: Row) => Instant;
  /** One row as an item of the day's list. */
  readonly renderRow: (row: Row) => ReactNode;
};

/** Rows in their order, each day under its date. */
export function ByDay<Row>({ rows, momentOf, renderRow }: ByDayProps<Row>): ReactNode {
  const days = new Map<LocalDate, Row[]>();
  for (const row of rows) {
    const date = localDateOf(new Date(momentOf(row)));
    const day = days.get(date);
    if (day === undefined) days.set(date, [row]);
    else day.push(row);
  }
  return [...days].map(([date, of]) => (
    <Day key={date} date={date}>
      {of.map(renderRow)}
    </Day>
  ));
}

function Day({ date, children }: { readonly date: LocalDate; readonly children: ReactNode }): ReactNode {
  const near = relativeDate(date, useToday());
  return (
    <section className={styles["day"]} aria-label={longDate(date)}>
      <h2>
        {longDate(date)} {/^\p{L}+$/u.test(near) && <span>{near}</span>}
      </h2>
      <ol style={{ "--clock-chars": clockChars() } as CSSProperties}>{children}</ol>
    </section>
  );
}
