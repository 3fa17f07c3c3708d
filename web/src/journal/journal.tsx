import "../styles/serif.css";
import { useRef, type CSSProperties, type ReactNode } from "react";
import type { TimelineRow } from "#model";
import { useJournalPages } from "../data/reads.ts";
import { Button } from "../parts/button.tsx";
import { Empty, Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";
import { localDateOf, useToday } from "../time/clock.ts";
import { clockChars, longDate, relativeDate } from "../time/format.ts";
import { words } from "../words.ts";
import { JOURNAL_FIRST_PAGE } from "./first-page.ts";
import { JournalRow } from "./journal-row.tsx";
import { momentOfRow } from "./moment-of-row.ts";
import styles from "./journal.module.css";
import { NoteComposer } from "./note-composer.tsx";

/** The record of what was, newest first, set as something to read. */
export function Journal(): ReactNode {
  const composer = useRef<HTMLTextAreaElement>(null);
  const read = useJournalPages(JOURNAL_FIRST_PAGE);
  const rows = read.data?.rows;
  return (
    <Page title={words.surfaces.journal} width="text">
      <NoteComposer field={composer} />
      <KeptNotice atMs={read.keptAtMs} />
      {read.error !== null && <Failure error={read.error} onRetry={read.retry} />}
      {rows === undefined && read.error === null && <Skeleton label={words.surfaces.journal} />}
      {rows?.length === 0 && (
        <Empty text={words.journal.empty}>
          <Button onClick={() => composer.current?.focus()}>{words.journal.emptyAction}</Button>
        </Empty>
      )}
      {rows !== undefined && groupByDay(rows).map((group) => <DayGroup key={group.date} {...group} />)}
      {read.hasMore && <Button onClick={read.more}>{words.journal.earlier}</Button>}
    </Page>
  );
}

type Group = { readonly date: ReturnType<typeof localDateOf>; readonly rows: readonly TimelineRow[] };

function DayGroup({ date, rows }: Group): ReactNode {
  const today = useToday();
  const near = relativeDate(date, today);
  return (
    <section className={styles["day"]} aria-label={longDate(date)}>
      <h2>
        {longDate(date)} {/^\p{L}+$/u.test(near) && <span>{near}</span>}
      </h2>
      <ol style={{ "--clock-chars": clockChars() } as CSSProperties}>
        {rows.map((row) => (
          <li key={row.id}>
            <JournalRow row={row} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function groupByDay(rows: readonly TimelineRow[]): readonly Group[] {
  const groups = new Map<Group["date"], TimelineRow[]>();
  for (const row of rows) {
    const date = localDateOf(new Date(momentOfRow(row)));
    groups.set(date, [...(groups.get(date) ?? []), row]);
  }
  return [...groups].map(([date, of]) => ({ date, rows: of }));
}
