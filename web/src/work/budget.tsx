import type { ReactNode } from "react";
import type { Instant } from "#base";
import type { WorkDetailBody } from "#model";
import { useNow } from "../time/clock.ts";
import { duration, secondsBetween } from "../time/format.ts";
import { runPageWords } from "../words/run-page-words.ts";
import styles from "./run-page.module.css";
import { useSignedPlan } from "./signed-plan.ts";

/** What was used of what the approval allows. Tokens and cost are there once something has used them. */
export function Budget({ detail }: { readonly detail: WorkDetailBody }): ReactNode {
  const limits = useSignedPlan(detail)?.budget ?? null;
  const used = detail.project?.budget_used ?? detail.run.budget_used;
  const seconds = used.wall_time_seconds + useSecondsNow(detail);
  const { budget } = runPageWords;
  const rows: readonly Row[] = [
    { name: budget.time, used: seconds, of: limits?.max_wall_time_seconds ?? null, words: time },
    { name: budget.attempts, used: used.attempts, of: limits?.max_attempts ?? null, words: String },
    { name: budget.tokens, used: used.tokens, of: limits?.max_tokens ?? null, words: budget.count },
    { name: budget.planner, used: used.planner_calls, of: limits?.max_planner_calls ?? null, words: String },
    { name: budget.cost, used: used.cost_usd, of: limits?.max_cost_usd ?? null, words: budget.dollars },
  ];
  return (
    <section className={styles["part"]} aria-labelledby="budget" data-testid="budget">
      <h3 id="budget">{budget.title}</h3>
      <dl className={styles["budget"]}>
        {rows
          .filter(({ name, used: count }) => count > 0 || name === budget.time || name === budget.attempts)
          .map((row) => (
            <div key={row.name}>
              <dt>{row.name}</dt>
              <dd>
                {row.of === null ? row.words(row.used) : budget.usedOf(row.words(row.used), row.words(row.of))}
                {row.of !== null && row.of > 0 && <Meter share={row.used / row.of} />}
              </dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

/** The time of what is being done now is counted when it is over; until then it is added here. */
function useSecondsNow({ run, progress, project }: WorkDetailBody): number {
  const now = useNow(1000);
  const isCounted = run.status !== "running" || progress === null || project !== null;
  return isCounted ? 0 : secondsBetween(progress.since as Instant, now);
}

type Row = {
  readonly name: string;
  readonly used: number;
  readonly of: number | null;
  readonly words: (amount: number) => string;
};

const time = (seconds: number): string => (seconds < 1 ? runPageWords.budget.moment : duration(seconds));

/** The words beside it say the same. */
function Meter({ share }: { readonly share: number }): ReactNode {
  return <progress className={styles["meter"]} max={1} value={Math.min(1, share)} aria-hidden />;
}
