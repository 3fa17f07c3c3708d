import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { LocalDate } from "#base";
import type { TaskRow } from "#model";
import { useJournal } from "../data/reads.ts";
import { blockSeconds, spentSecondsOn, timeOfDay } from "../day/totals.ts";
import { Empty } from "../parts/states.tsx";
import { TaskLine } from "../tasks/task-line.tsx";
import { useNow } from "../time/clock.ts";
import { duration } from "../time/format.ts";
import { words } from "../words.ts";
import { Link } from "wouter";
import { Abilities } from "./abilities.tsx";
import styles from "./home.module.css";

const SHOWN = 7;

export function Summary({ today }: { readonly today: LocalDate }): ReactNode {
  const due = useJournal({ kind: "tasks", view: "today", today, limit: 200 });
  const rows = (due.data?.rows ?? []).filter(({ task }) => task.body.concludedAt === null);
  const overdue = rows.filter(({ task }) => task.body.dueDate !== null && task.body.dueDate < today).length;
  return (
    <>
      <Figures today={today} />
      <section className={styles["due"]} aria-labelledby="due-today">
        <div className={styles["row"]}>
          <h2 id="due-today">
            {words.home.due}
            {overdue > 0 && <span className={styles["overdue"]}>{words.home.overdueCount(overdue)}</span>}
          </h2>
          <Link href="/tasks?view=open">
            {words.home.allTasks} <ChevronRight size={16} aria-hidden />
          </Link>
        </div>
        {due.data !== undefined && rows.length === 0 ? <Empty text={words.home.nothingDue} /> : <DueList rows={rows} />}
      </section>
      <details className={styles["more"]}>
        <summary>{words.home.abilities}</summary>
        <Abilities />
      </details>
    </>
  );
}

function DueList({ rows }: { readonly rows: readonly TaskRow[] }): ReactNode {
  return (
    <ul className={styles["list"]}>
      {rows.slice(0, SHOWN).map((row) => (
        <li key={row.task.id}>
          <TaskLine row={row} />
        </li>
      ))}
    </ul>
  );
}

function Figures({ today }: { readonly today: LocalDate }): ReactNode {
  const now = useNow(30_000);
  const { data: day } = useJournal({ kind: "day", date: today });
  const { data: time } = useJournal(timeOfDay(today));
  const rating = day?.rating?.body.value ?? null;
  return (
    <div className={styles["figures"]}>
      <dl>
        <Figure name={words.home.planned} value={duration(blockSeconds(day?.blocks ?? []))} />
        <Figure name={words.home.spent} value={duration(spentSecondsOn(today, { entries: time ?? [], nowMs: now }))} />
        <Figure name={words.day.pinned} value={String(day?.pinned.length ?? 0)} />
        <Figure
          name={words.home.rating}
          value={rating === null ? words.home.notRated : words.rating.choice(rating, words.rating.scale[rating as 1])}
        />
      </dl>
      <Link href="/day" className={styles["openDay"]}>
        {words.home.openDay} <ChevronRight size={16} aria-hidden />
      </Link>
    </div>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
