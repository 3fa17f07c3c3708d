import "../styles/serif.css";
import { useRef, type ReactNode } from "react";
import { useJournalPages } from "../data/reads.ts";
import { Button } from "../parts/button.tsx";
import { ByDay } from "../parts/by-day.tsx";
import { Empty, Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";
import { words } from "../words.ts";
import { JOURNAL_FIRST_PAGE } from "./first-page.ts";
import { JournalRow } from "./journal-row.tsx";
import { momentOfRow } from "./moment-of-row.ts";
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
      {rows !== undefined && (
        <ByDay
          rows={rows}
          momentOf={momentOfRow}
          renderRow={(row) => (
            <li key={row.id}>
              <JournalRow row={row} />
            </li>
          )}
        />
      )}
      {read.hasMore && <Button onClick={read.more}>{words.journal.earlier}</Button>}
    </Page>
  );
}
