import type { ReactNode } from "react";
import { addDays, type LocalDate } from "#base";
import { useJournal } from "../data/reads.ts";
import { shortDate } from "../time/format.ts";
import { words } from "../words.ts";
import styles from "./trend.module.css";

const DAYS = 14;
const WIDTH = 280;
const HEIGHT = 72;
const PAD = 8;

/** The ratings of two weeks: a picture, and the same in a sentence. */
export function Trend({ until }: { readonly until: LocalDate }): ReactNode {
  const from = addDays(until, 1 - DAYS);
  const { data } = useJournal({ kind: "ratings", targetType: "day", from, to: until });
  const values = new Map(data?.map(({ body }) => [String(body.targetId), body.value]));
  const days = Array.from({ length: DAYS }, (_, index) => addDays(from, index));
  const points = days.flatMap((day, index) => {
    const value = values.get(day);
    return value === undefined ? [] : [{ day, value, x: xOf(index), y: yOf(value) }];
  });
  return (
    <figure className={styles["trend"]}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        {[1, 2, 3, 4, 5].map((value) => (
          <line key={value} className={styles["grid"]} x1={PAD} x2={WIDTH - PAD} y1={yOf(value)} y2={yOf(value)} />
        ))}
        <polyline className={styles["line"]} points={points.map(({ x, y }) => `${x},${y}`).join(" ")} />
        {points.map(({ day, x, y, value }) => (
          <circle key={day} className={styles["dot"]} cx={x} cy={y} r="3.5">
            <title>{`${shortDate(day)}: ${value}`}</title>
          </circle>
        ))}
      </svg>
      <figcaption>
        <span className={styles["name"]}>{words.rating.trend}</span> {summaryOf(points.map(({ value }) => value))}
      </figcaption>
    </figure>
  );
}

const xOf = (index: number): number => PAD + (index * (WIDTH - 2 * PAD)) / (DAYS - 1);
const yOf = (value: number): number => HEIGHT - PAD - ((value - 1) * (HEIGHT - 2 * PAD)) / 4;

function summaryOf(values: readonly number[]): string {
  if (values.length === 0) return words.rating.trendNone;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const text = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(mean);
  return words.rating.trendSummary({
    days: values.length,
    mean: text,
    low: Math.min(...values),
    high: Math.max(...values),
  });
}
