import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { Instant } from "#base";
import type { WorkSummaryBody } from "#model";
import { Line } from "../parts/text.tsx";
import { useNow } from "../time/clock.ts";
import { duration, secondsBetween, stopwatch } from "../time/format.ts";
import { words } from "../words.ts";
import styles from "./run-row.module.css";
import { RunControls } from "./run-controls.tsx";
import { useRun } from "./work-reads.ts";

const QUIET_SECONDS = 15;
/** Nothing of it runs, so that nothing new is to be expected. */
const RESTS: ReadonlySet<string> = new Set(["pending", "paused", "waiting"]);

/** One run on its way: what it does in words, since when, the last line it printed, and the way to end it. */
export function RunRow({ listed }: { readonly listed: WorkSummaryBody }): ReactNode {
  const { data, keptAtMs } = useRun(listed.run.run_id);
  const summary = data ?? listed;
  const { run, title } = summary;
  return (
    <article className={styles["row"]} aria-label={title} data-testid="run-row" data-run={run.run_id}>
      <div className={styles["what"]}>
        <Link href={`/work/${run.run_id}`} className={styles["title"]} aria-label={words.work.openOf(title)}>
          <Line text={title} />
        </Link>
        <Progress summary={summary} isKept={keptAtMs !== null} />
      </div>
      <RunControls summary={summary} />
    </article>
  );
}

type ProgressProps = { readonly summary: WorkSummaryBody; readonly isKept: boolean };

/** Where it is. Only a change of the step is read out; the clock and the output are for those who look. */
export function Progress({ summary, isKept }: ProgressProps): ReactNode {
  const { run, progress } = summary;
  const now = useNow(1000);
  const newsAtMs = useNewsAt(summary, now);
  const quietSeconds = (now - newsAtMs) / 1000;
  return (
    <>
      <p className={styles["now"]}>
        <span role="status">
          <Line text={nowWords(summary)} />
          {run.attempts > 1 && <> ({words.work.attempt(run.attempts)})</>}
        </span>{" "}
        <span className="mono" title={words.work.elapsed}>
          {isKept ? null : stopwatch(secondsBetween(run.started_at as Instant, now))}
        </span>
      </p>
      {progress !== null && progress.last_line !== "" && (
        <p className={styles["printed"]} title={words.work.lastLine} data-testid="last-line">
          <Line text={progress.last_line} />
        </p>
      )}
      {isKept && <p className={styles["quiet"]}>{words.work.offline}</p>}
      {!isKept && !RESTS.has(run.status) && quietSeconds >= QUIET_SECONDS && (
        <p className={styles["quiet"]} data-testid="still-working">
          {words.work.still(duration(quietSeconds))}
        </p>
      )}
    </>
  );
}

/** A project does nothing itself: where it is, its tasks say. */
function nowWords(summary: WorkSummaryBody): string {
  const { project, run } = summary;
  if (project === null || run.status === "verifying" || run.status === "paused") return words.work.now(summary);
  const waiting = project.children.filter(({ status }) => status === "waiting");
  if (waiting.length > 0) return words.work.taskWaits(waiting.map(({ title }) => title).join(", "));
  const going = project.children.filter(({ status }) => status === "running" || status === "verifying");
  const done = project.children.filter(({ status }) => status === "done").length;
  return words.work.tasks({ done, all: project.children.length, going: going.map(({ title }) => title) });
}

/** When something of it was last new to this page; before anything was printed, when what it does now began. */
function useNewsAt({ run, progress }: WorkSummaryBody, now: number): number {
  const news = JSON.stringify([run.status, run.attempts, progress?.step, progress?.name, progress?.last_line]);
  const [seen, setSeen] = useState(() => ({
    news,
    atMs: progress === null || progress.last_line !== "" ? now : new Date(progress.since).getTime(),
  }));
  if (seen.news !== news) setSeen({ news, atMs: now });
  return seen.atMs;
}
