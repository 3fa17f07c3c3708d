import { ChevronRight } from "lucide-react";
import { lazy, Suspense, type ReactNode } from "react";
import type { LocalDate } from "#base";
import type { TaskRow, TimelineRow } from "#model";
import { useJournal } from "../data/reads.ts";
import { blockSeconds, spentSecondsOn, timeOfDay } from "../day/totals.ts";
import { Empty } from "../parts/states.tsx";
import { TaskLine } from "../tasks/task-line.tsx";
import { useNow } from "../time/clock.ts";
import { duration } from "../time/format.ts";
import { words } from "../words.ts";
import { Link } from "wouter";
import { Abilities } from "./abilities.tsx";
import { comingUp, SHOWN_LATER } from "./coming-up.ts";
import styles from "./home.module.css";

const SHOWN = 7;

// Brings the serif along, which the first paint does not need.
const Lately = lazy(() => import("./lately.tsx").then((room) => ({ default: room.Lately })));

type SummaryProps = { readonly today: LocalDate; readonly timeline: readonly TimelineRow[] };

/** How today stands, what comes next and what was, each a press away from its surface. */
export function Summary({ today, timeline }: SummaryProps): ReactNode {
  return (
    <div className={styles["today"]}>
      <Figures today={today} />
      <div className={styles["halves"]}>
        <div className={styles["tasks"]}>
          <DueToday today={today} />
          <ComingUp today={today} />
        </div>
        <Suspense fallback={null}>
          <Lately rows={timeline} />
        </Suspense>
      </div>
      <details className={styles["more"]}>
        <summary>{words.home.abilities}</summary>
        <Abilities />
      </details>
    </div>
  );
}

function DueToday({ today }: { readonly today: LocalDate }): ReactNode {
  const due = useJournal({ kind: "tasks", view: "today", today, limit: 200 });
  const rows = (due.data?.rows ?? []).filter(({ task }) => task.body.concludedAt === null);
  const overdue = rows.filter(({ task }) => task.body.dueDate !== null && task.body.dueDate < today).length;
  return (
    <section className={styles["due"]} aria-labelledby="due-today">
      <div className={styles["row"]}>
        <h2 id="due-today">
          {words.home.due}
          {overdue > 0 && <span className={styles["overdue"]}>{words.home.overdueCount(overdue)}</span>}
        </h2>
        <Link href={rows.length > SHOWN ? "/tasks?view=today" : "/tasks?view=open"}>
          {rows.length > SHOWN ? words.home.allDue(rows.length) : words.home.allTasks}{" "}
          <ChevronRight size={16} aria-hidden />
        </Link>
      </div>
      {due.data !== undefined && rows.length === 0 ? (
        <Empty text={words.home.nothingDue} />
      ) : (
        <Lines rows={rows.slice(0, SHOWN)} />
      )}
    </section>
  );
}

function ComingUp({ today }: { readonly today: LocalDate }): ReactNode {
  const { data } = useJournal(comingUp(today));
  const rows = data?.rows.filter(({ task }) => task.body.concludedAt === null) ?? [];
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="coming-up">
      <div className={styles["row"]}>
        <h2 id="coming-up">{words.home.comingUp}</h2>
        <Link href="/tasks?view=upcoming">
          {words.home.allUpcoming} <ChevronRight size={16} aria-hidden />
        </Link>
      </div>
      <Lines rows={rows.slice(0, SHOWN_LATER)} />
    </section>
  );
}

function Lines({ rows }: { readonly rows: readonly TaskRow[] }): ReactNode {
  return (
    <ul className={styles["list"]}>
      {rows.map((row) => (
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
