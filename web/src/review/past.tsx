import { CircleCheck, CircleSlash2, Download, RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Instant } from "#base";
import type { DecisionRowBody, DecisionsSummaryBody, SuggestionBody, WorkSummaryBody } from "#model";
import { Button, IconButton } from "../parts/button.tsx";
import { Line } from "../parts/text.tsx";
import { useSuggestions } from "../suggestions/suggestion-reads.ts";
import { clockTime } from "../time/format.ts";
import { RunMark, runStateWords } from "../work/run-state.tsx";
import { firstRunOf, useWork } from "../work/work-reads.ts";
import { suggestionWords } from "../words/suggestion-words.ts";
import { words } from "../words.ts";
import { proposeAgain, saveReceipt } from "./decisions.ts";
import { placeWords } from "./place-words.ts";
import styles from "./queue.module.css";
import { RiskMark } from "./risk-mark.tsx";

type RowsProps = { readonly rows: readonly DecisionRowBody[] };
/** The newest are enough to see what was missed; each can still be found by its address. */
const MISSED_ROWS = 20;

/** Requests nobody decided in time, and suggestions nobody answered. Nothing ran; each request can be asked again. */
export function Missed({ rows }: RowsProps): ReactNode {
  const { missed: suggestions } = useSuggestions();
  if (rows.length + suggestions.length === 0) return null;
  return (
    <section className={styles["section"]} aria-labelledby="missed" data-testid="missed">
      <h2 id="missed">
        {words.review.missed} <span className="mono">{rows.length + suggestions.length}</span>
      </h2>
      <p className={styles["hint"]}>{words.review.missedBody}</p>
      <ul className={styles["rows"]}>
        {rows.slice(0, MISSED_ROWS).map((row) => (
          <li key={row.request_id} className={styles["past"]}>
            <Link href={`/review/${row.request_id}`} className={styles["what"]}>
              <Line text={row.intent} />
              <span className={styles["under"]}>
                <RiskMark risk={row.risk_level} words="short" /> {words.decided.expired}
                <Moment at={row.decided_at} />
              </span>
            </Link>
            <Button onClick={() => void proposeAgain({ requestId: row.request_id, intent: row.intent })}>
              <RotateCcw size={16} aria-hidden /> {words.review.again}
            </Button>
          </li>
        ))}
        {suggestions.slice(0, MISSED_ROWS).map((suggestion) => (
          <MissedSuggestion key={suggestion.suggestion_id} suggestion={suggestion} />
        ))}
      </ul>
    </section>
  );
}

/** It held no longer before anybody answered. What it was about can be found where it is. */
function MissedSuggestion({ suggestion }: { readonly suggestion: SuggestionBody }): ReactNode {
  return (
    <li className={styles["past"]} data-request={suggestion.suggestion_id}>
      <div className={styles["what"]}>
        <Line text={suggestion.intent} />
        <span className={styles["under"]}>
          {suggestionWords.gone}
          <Moment at={suggestion.handled_at} />
        </span>
      </div>
    </li>
  );
}

/** The last answers, each with where it was given; an approval has its receipt. */
export function Lately({ summary }: { readonly summary: DecisionsSummaryBody }): ReactNode {
  const work = useWork();
  const rows = withoutReplaced(summary);
  if (rows.length === 0) return null;
  return (
    <section className={styles["section"]} aria-labelledby="decided" data-testid="decided">
      <h2 id="decided">{words.review.lately}</h2>
      <ul className={styles["rows"]}>
        {rows.map((row) => (
          <li key={row.request_id} className={styles["past"]} data-state={row.state}>
            <Link href={`/review/${row.request_id}`} className={styles["what"]}>
              <Line text={row.intent} />
              <span className={styles["under"]}>
                {row.state === "approved" ? (
                  <CircleCheck size={14} aria-hidden />
                ) : (
                  <CircleSlash2 size={14} aria-hidden />
                )}
                <Line text={answerWords(row)} />
                <Moment at={row.decided_at} />
              </span>
            </Link>
            <RunLink run={firstRunOf(work, row.request_id)} />
            {row.state === "approved" && (
              <IconButton
                label={words.review.receiptOf(row.intent)}
                onClick={() => void saveReceipt({ requestId: row.request_id })}
              >
                <Download size={18} aria-hidden />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A batch of which some was chosen was not declined by anyone: the choice stands in its place. */
function withoutReplaced({ pending, missed, decided }: DecisionsSummaryBody): readonly DecisionRowBody[] {
  const replaced = new Set([...pending, ...missed, ...decided].map(({ again_of: before }) => before));
  return decided.filter(({ request_id: id, state }) => state !== "declined" || !replaced.has(id));
}

/** What came of an approval, and the way to all of it; nothing where nothing runs. */
function RunLink({ run: found }: { readonly run: WorkSummaryBody | null }): ReactNode {
  if (found === null) return null;
  const { run } = found;
  return (
    <Link
      href={`/work/${run.run_id}`}
      className={styles["ran"]}
      data-testid="ran"
      data-status={run.status}
      data-checked={run.is_verified ? "yes" : "no"}
    >
      <RunMark run={run} size={14} />
      <Line text={runStateWords(found)} />
    </Link>
  );
}

function answerWords({ state, decided_by: by }: DecisionRowBody): string {
  const where = placeWords(by);
  return state === "approved" ? words.decided.approved(where) : words.decided.declined(where);
}

function Moment({ at }: { readonly at: string | null }): ReactNode {
  if (at === null) return null;
  return (
    <time className="mono" dateTime={at}>
      {clockTime(at as Instant)}
    </time>
  );
}
