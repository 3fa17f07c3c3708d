import { Square } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { run } from "../data/commands.ts";
import { useJournal } from "../data/reads.ts";
import { classes } from "../parts/classes.ts";
import { Line } from "../parts/text.tsx";
import { nowInstant, useNow } from "../time/clock.ts";
import { secondsBetween, stopwatch } from "../time/format.ts";
import { words } from "../words.ts";
import styles from "./chips.module.css";

const TIMER = { kind: "timer" } as const;

/** The running timer, wherever one is in the page. Nothing when none runs. */
export function TimerChip({ place }: { readonly place: "rail" | "bar" }): ReactNode {
  const { data: timer } = useJournal(TIMER);
  if (timer == null) return null;
  const { entry, task } = timer;
  const title = task?.body.title ?? (entry.body.description || words.time.untitled);
  return (
    <div className={classes(styles["timer"], styles[place])} data-testid={`timer-${place}`}>
      <span className={styles["pulse"]} aria-hidden />
      <span className={styles["what"]}>
        <Elapsed since={entry.body.startedAt} />
        {task === null ? (
          <span className={styles["title"]}>
            <Line text={title} />
          </span>
        ) : (
          <Link href={`/tasks/${task.id}`} className={styles["title"]} aria-label={words.time.runningOn(title)}>
            <Line text={title} />
          </Link>
        )}
      </span>
      <button
        type="button"
        className={styles["stop"]}
        aria-label={words.time.stop}
        title={words.time.stop}
        onClick={() => void run({ kind: "timer.stop", endedAt: nowInstant() })}
      >
        <Square size={14} fill="currentColor" aria-hidden />
      </button>
    </div>
  );
}

export function Elapsed({ since }: { readonly since: Parameters<typeof secondsBetween>[0] }): ReactNode {
  const now = useNow(1000);
  return <span className="mono">{stopwatch(secondsBetween(since, now))}</span>;
}
