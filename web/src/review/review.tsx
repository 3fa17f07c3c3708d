import { useEffect, type ReactNode } from "react";
import { useLocation, useParams } from "wouter";
import type { DecisionsSummaryBody } from "#model";
import { ConnectionCards } from "../connections/connection-cards.tsx";
import { useConnections } from "../connections/connection-reads.ts";
import { MissedChecksCard } from "../goals/missed-card.tsx";
import { Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";
import { Suggestions } from "../suggestions/suggestion-card.tsx";
import { AfterBatches } from "../work/after/after-batches.tsx";
import { DoubtCard } from "../work/doubt/doubt-card.tsx";
import { Running } from "../work/running.tsx";
import { words } from "../words.ts";
import { focusPage, hold, useActiveId } from "./active-card.ts";
import { Attention } from "./attention.tsx";
import { Desk } from "./desk.tsx";
import { Inputs } from "./inputs.tsx";
import { Nothing } from "./nothing.tsx";
import { Lately, Missed } from "./past.tsx";
import { Queue } from "./queue.tsx";
import styles from "./review.module.css";
import { useSummary } from "./review-reads.ts";
import { useReviewKeys } from "./use-review-keys.ts";
import { useWaiting } from "./waiting.ts";

/** What waits for the owner: one decision at a time, the others behind it, what was missed, what was decided. */
export function Review(): ReactNode {
  const { data, error, keptAtMs, retry } = useSummary();
  if (data !== undefined) return <Standing summary={data} keptAtMs={keptAtMs} />;
  return (
    <Page title={words.review.surface}>
      {error === null ? <Skeleton label={words.review.loading} /> : <Failure error={error} onRetry={retry} />}
    </Page>
  );
}

type StandingProps = { readonly summary: DecisionsSummaryBody; readonly keptAtMs: number | null };

function Standing({ summary, keptAtMs }: StandingProps): ReactNode {
  const { id: asked } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const activeId = useActiveId(summary.pending, asked ?? null);
  const onMove = (id: string | null): void => {
    hold(id);
    navigate(id === null ? "/review" : `/review/${id}`, { replace: true });
  };
  const { inputs, doubts, missedChecks, connections: asking } = useWaiting();
  const { connections } = useConnections();
  const others = inputs.length + doubts.length + missedChecks.length + asking.length;
  const isInputFirst = activeId === null && others > 0;
  useEffect(() => {
    if (isInputFirst) focusPage();
  }, [isInputFirst]);
  useReviewKeys();
  return (
    <Page title={words.review.surface} aside={<Progress summary={summary} activeId={activeId} />}>
      {activeId === null && <KeptNotice atMs={keptAtMs} />}
      <div className={styles["surface"]}>
        <div className={styles["active"]}>
          <Running />
          <AfterBatches decided={summary.decided} />
          <Attention summary={summary} />
          {activeId !== null && <Desk summary={summary} activeId={activeId} onMove={onMove} />}
          <ConnectionCards connections={connections} />
          {doubts.map((doubt) => (
            <DoubtCard key={doubt.run_id} doubt={doubt} />
          ))}
          {missedChecks.map((goal) => (
            <MissedChecksCard key={goal.goal_id} goal={goal} />
          ))}
          {activeId === null && others === 0 && <Nothing isNew={isNew(summary)} />}
          <Inputs requests={inputs} />
          <Suggestions />
        </div>
        <div className={styles["side"]}>
          <Queue pending={summary.pending} activeId={activeId} onChoose={null} />
          <Missed rows={summary.missed} />
          <Lately summary={summary} />
        </div>
      </div>
    </Page>
  );
}

/** Nothing was ever asked here that is still told of. */
const isNew = ({ missed, decided }: DecisionsSummaryBody): boolean => missed.length + decided.length === 0;

type ProgressProps = { readonly summary: DecisionsSummaryBody; readonly activeId: string | null };

/** The one that is open among all that waits; what asks for no signature comes behind the requests. */
export function Progress({ summary: { pending }, activeId }: ProgressProps): ReactNode {
  const { count } = useWaiting();
  const at = pending.findIndex((row) => row.request_id === activeId);
  if (count === 0) return null;
  return (
    <p className={styles["progress"]} data-testid="progress">
      {at === -1 ? words.review.waiting(count) : words.review.progress(at + 1, count)}
    </p>
  );
}
