import type { ReactNode } from "react";
import { Link } from "wouter";
import { Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { Line } from "../parts/text.tsx";
import { goalWords } from "../words/goal-words.ts";
import { Cycles } from "./cycles.tsx";
import { GoalControls } from "./goal-controls.tsx";
import { GoalFacts } from "./goal-facts.tsx";
import { useGoal } from "./goal-reads.ts";
import { GoalStanding } from "./goal-standing.tsx";
import styles from "./goals.module.css";

/** One goal with the looks that were taken at it. */
export function GoalPage({ id }: { readonly id: string }): ReactNode {
  const { data, error, keptAtMs, retry } = useGoal(id);
  if (error?.code === "goal_unknown") return <Unknown />;
  if (error !== null) return <Failure error={error} onRetry={retry} />;
  if (data === undefined) return <Skeleton label={goalWords.loading} />;
  return (
    <div className={styles["list"]} data-testid="goal">
      <KeptNotice atMs={keptAtMs} />
      <section className={styles["card"]} data-goal={data.goal_id} data-status={data.status}>
        <h2>
          <Line text={data.title} />
        </h2>
        <GoalStanding goal={data} />
        <GoalFacts goal={data} />
        <GoalControls goal={data} />
        <p className={styles["links"]}>
          <Link href={`/review/${data.request_id}`}>{goalWords.toDecision}</Link>
          <Link href="/goals">{goalWords.all}</Link>
        </p>
      </section>
      <Cycles cycles={data.cycles} />
    </div>
  );
}

function Unknown(): ReactNode {
  return (
    <div className={styles["card"]} role="alert">
      <h2>{goalWords.unknown}</h2>
      <p>{goalWords.unknownBody}</p>
      <Link href="/goals">{goalWords.all}</Link>
    </div>
  );
}
