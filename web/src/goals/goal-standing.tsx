import { CircleCheck, CircleDashed, CirclePause, Hourglass, TriangleAlert, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { GoalSummaryBody } from "#model";
import { Line } from "../parts/text.tsx";
import { goalWords } from "../words/goal-words.ts";
import styles from "./goals.module.css";

/** A shape for each state, so that none is told by colour alone. */
const MARKS = {
  healthy: CircleCheck,
  failing: TriangleAlert,
  repairing: Wrench,
  waiting_for_you: Hourglass,
  paused: CirclePause,
  never_checked: CircleDashed,
} as const;

/** How a goal stands: shape, word, and what is wrong or waited for. */
export function GoalStanding({ goal: { status, status_words: why } }: { readonly goal: GoalSummaryBody }): ReactNode {
  const Mark = MARKS[status];
  return (
    <div className={styles["standing"]} data-testid="goal-status">
      <p>
        <Mark size={18} aria-hidden /> {goalWords.status[status]}
      </p>
      {why !== null && (
        <p className={styles["why"]}>
          <Line text={why} />
        </p>
      )}
      {status === "waiting_for_you" && <Link href="/review">{goalWords.toWaiting}</Link>}
    </div>
  );
}
