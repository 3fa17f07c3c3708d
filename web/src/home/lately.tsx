import "../styles/serif.css";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { TimelineRow } from "#model";
import { momentOfRow } from "../journal/moment-of-row.ts";
import { Line } from "../parts/text.tsx";
import { localDateOf, useToday } from "../time/clock.ts";
import { clockTime, relativeDate } from "../time/format.ts";
import { words } from "../words.ts";
import styles from "./home.module.css";

const SHOWN = 5;

/** The newest notes and concluded tasks, set like the journal they come from. */
export function Lately({ rows }: { readonly rows: readonly TimelineRow[] }): ReactNode {
  const told = rows.filter(({ kind }) => kind !== "timeEntry").slice(0, SHOWN);
  if (told.length === 0) return null;
  return (
    <section className={styles["lately"]} aria-labelledby="lately">
      <div className={styles["row"]}>
        <h2 id="lately">{words.home.lately}</h2>
        <Link href="/journal">
          {words.home.allJournal} <ChevronRight size={16} aria-hidden />
        </Link>
      </div>
      <ol className={styles["told"]}>
        {told.map((row) => (
          <li key={row.id}>
            <When row={row} />
            <p className={styles["saying"]}>
              <Said row={row} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function When({ row }: { readonly row: TimelineRow }): ReactNode {
  const today = useToday();
  const moment = momentOfRow(row);
  return (
    <time dateTime={moment}>
      {relativeDate(localDateOf(new Date(moment)), today)} <span className="mono">{clockTime(moment)}</span>
    </time>
  );
}

function Said({ row }: { readonly row: TimelineRow }): ReactNode {
  if (row.kind === "entry") return <Line text={row.body.text} />;
  if (row.kind === "timeEntry") return null;
  return (
    <>
      {row.body.status === "DROPPED" ? words.tasks.status.DROPPED : words.journal.concludedWord}{" "}
      <Link href={`/tasks/${row.id}`}>
        <Line text={row.body.title} />
      </Link>
    </>
  );
}
