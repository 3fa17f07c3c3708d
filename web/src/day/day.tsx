import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useLocation, useParams } from "wouter";
import { addDays, parseLocalDate, type LocalDate } from "#base";
import type { DayView } from "#model";
import { run } from "../data/commands.ts";
import { useJournal } from "../data/reads.ts";
import { EditableText } from "../parts/editable-text.tsx";
import { RatingScale } from "../parts/rating-scale.tsx";
import { Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";
import { useNow, useToday } from "../time/clock.ts";
import { duration, longDate } from "../time/format.ts";
import { words } from "../words.ts";
import styles from "./day.module.css";
import { Pinned } from "./pinned.tsx";
import { Timeline } from "./timeline.tsx";
import { blockSeconds, spentSecondsOn, timeOfDay } from "./totals.ts";
import { Trend } from "./trend.tsx";

/** One day: what is planned, what was pinned, how it went. */
export function Day(): ReactNode {
  const today = useToday();
  const params = useParams<{ date?: string }>();
  const asked = parseLocalDate(params.date ?? today);
  const date = asked.ok ? asked.value : today;
  const read = useJournal({ kind: "day", date });
  return (
    <Page title={longDate(date)} aside={<DateNav date={date} today={today} />}>
      {read.error !== null && <Failure error={read.error} onRetry={read.retry} />}
      {read.data === undefined && read.error === null && <Skeleton label={words.day.timeline} rows={8} />}
      {read.data !== undefined && (
        <>
          <KeptNotice atMs={read.keptAtMs} />
          <Contents day={read.data} />
        </>
      )}
    </Page>
  );
}

const pathOf = (date: LocalDate): string => `/day/${date}`;

function DateNav({ date, today }: { readonly date: LocalDate; readonly today: LocalDate }): ReactNode {
  const [, navigate] = useLocation();
  return (
    <div className={styles["nav"]}>
      <Link
        href={pathOf(addDays(date, -1))}
        className={styles["arrow"]}
        aria-label={words.day.previous}
        title={words.day.previous}
      >
        <ChevronLeft size={20} aria-hidden />
      </Link>
      <input
        type="date"
        aria-label={words.day.pick}
        className={styles["pick"]}
        value={date}
        onChange={({ target }) => {
          if (target.value !== "") navigate(`/day/${target.value}`);
        }}
      />
      <Link
        href={pathOf(addDays(date, 1))}
        className={styles["arrow"]}
        aria-label={words.day.next}
        title={words.day.next}
      >
        <ChevronRight size={20} aria-hidden />
      </Link>
      {date !== today && (
        <Link href="/day" className={styles["today"]}>
          {words.day.today}
        </Link>
      )}
    </div>
  );
}

function Contents({ day }: { readonly day: DayView }): ReactNode {
  const saveNote = async (note: string): Promise<boolean> => (
    await run({ kind: "plan.note", planDate: day.date, note }),
    true
  );
  return (
    <div className={styles["columns"]}>
      <Pinned day={day} />
      <div className={styles["left"]}>
        <Timeline day={day} />
      </div>
      <Totals day={day} />
      <section className={styles["card"]}>
        <h2>{words.day.note}</h2>
        <EditableText
          key={day.date}
          kind="area"
          value={day.plan?.body.note ?? ""}
          label={words.day.note}
          placeholder={words.day.notePlaceholder}
          onSave={saveNote}
        />
      </section>
      <section className={styles["card"]}>
        <h2>{words.rating.heading}</h2>
        <RatingScale key={day.date} name="day" targetType="day" targetId={day.date as never} rating={day.rating} />
        <Trend until={day.date} />
      </section>
    </div>
  );
}

function Totals({ day }: { readonly day: DayView }): ReactNode {
  const now = useNow(30_000);
  const { data: time = [] } = useJournal(timeOfDay(day.date));
  const planned = blockSeconds(day.blocks);
  const spent = spentSecondsOn(day.date, { entries: time, nowMs: now });
  const most = Math.max(planned, spent, 1);
  return (
    <section className={styles["card"]} aria-label={words.day.plannedVsSpent(duration(planned), duration(spent))}>
      <dl className={styles["totals"]}>
        <Bar name={words.day.planned} seconds={planned} most={most} kind="planned" />
        <Bar name={words.day.spent} seconds={spent} most={most} kind="spent" />
      </dl>
    </section>
  );
}

type BarProps = {
  readonly name: string;
  readonly seconds: number;
  readonly most: number;
  readonly kind: "planned" | "spent";
};

function Bar({ name, seconds, most, kind }: BarProps): ReactNode {
  return (
    <div className={styles["bar"]} data-kind={kind}>
      <dt>{name}</dt>
      <dd>{duration(seconds)}</dd>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect className={styles["track"]} width="100" height="6" />
        <rect className={styles["fill"]} width={(seconds / most) * 100} height="6" />
      </svg>
    </div>
  );
}
