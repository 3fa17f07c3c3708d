import type { ReactNode } from "react";
import { Link, useParams } from "wouter";
import type { GoalSummaryBody } from "#model";
import { Command } from "../parts/command.tsx";
import { Empty, Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { Line } from "../parts/text.tsx";
import { Page } from "../shell/page.tsx";
import { goalWords } from "../words/goal-words.ts";
import { words } from "../words.ts";
import { GoalControls } from "./goal-controls.tsx";
import { GoalFacts } from "./goal-facts.tsx";
import { GoalPage } from "./goal-page.tsx";
import { GoalStanding } from "./goal-standing.tsx";
import { useGoals } from "./goal-reads.ts";
import styles from "./goals.module.css";

/** Goals that were approved: how each stands, when it is looked at again, and what it may still repair by itself. */
export function Goals(): ReactNode {
  const { id } = useParams<{ readonly id?: string }>();
  return (
    <Page title={words.surfaces.goals} width="text">
      {id === undefined ? <GoalList /> : <GoalPage key={id} id={id} />}
    </Page>
  );
}

function GoalList(): ReactNode {
  const { data, error, keptAtMs, retry } = useGoals();
  if (error !== null) return <Failure error={error} onRetry={retry} />;
  if (data === undefined) return <Skeleton label={goalWords.loading} />;
  if (data.goals.length === 0) {
    return (
      <>
        <KeptNotice atMs={keptAtMs} />
        <Empty text={goalWords.empty}>
          <Command text={goalWords.command} />
        </Empty>
      </>
    );
  }
  return (
    <>
      <KeptNotice atMs={keptAtMs} />
      <ul className={styles["list"]} data-testid="goals">
        {data.goals.map((goal) => (
          <li key={goal.goal_id}>
            <GoalCard goal={goal} />
          </li>
        ))}
      </ul>
    </>
  );
}

function GoalCard({ goal }: { readonly goal: GoalSummaryBody }): ReactNode {
  return (
    <article className={styles["card"]} data-goal={goal.goal_id} data-status={goal.status}>
      <h2>
        <Link href={`/goals/${encodeURIComponent(goal.goal_id)}`} aria-label={goalWords.open(goal.title)}>
          <Line text={goal.title} />
        </Link>
      </h2>
      <GoalStanding goal={goal} />
      <GoalFacts goal={goal} />
      <GoalControls goal={goal} />
    </article>
  );
}
