import { useEffect, useRef, type ReactNode } from "react";
import { useLocation, useParams } from "wouter";
import type { DecisionsSummaryBody } from "#model";
import { Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";
import { AfterBatches } from "../work/after/after-batches.tsx";
import { DoubtCard } from "../work/doubt/doubt-card.tsx";
import { useDoubts } from "../work/doubt/doubt-reads.ts";
import { Running } from "../work/running.tsx";
import { words } from "../words.ts";
import { focusPage, hold, takeFocusCall, useActiveId } from "./active-card.ts";
import { Attention } from "./attention.tsx";
import { Desk } from "./desk.tsx";
import { Inputs, useInputs } from "./inputs.tsx";
import { Lately, Missed } from "./past.tsx";
import { Queue } from "./queue.tsx";
import styles from "./review.module.css";
import { useSummary } from "./review-reads.ts";
import { useReviewKeys } from "./use-review-keys.ts";

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
  const inputs = useInputs();
  const doubts = useDoubts();
  const isInputFirst = activeId === null && inputs.length + doubts.length > 0;
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
          {doubts.map((doubt) => (
            <DoubtCard key={doubt.run_id} doubt={doubt} />
          ))}
          {activeId === null && inputs.length + doubts.length === 0 && <Nothing />}
          <Inputs requests={inputs} />
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

type ProgressProps = { readonly summary: DecisionsSummaryBody; readonly activeId: string | null };

export function Progress({ summary: { pending }, activeId }: ProgressProps): ReactNode {
  const at = pending.findIndex((row) => row.request_id === activeId);
  if (pending.length === 0) return null;
  return (
    <p className={styles["progress"]} data-testid="progress">
      {at === -1 ? words.review.waiting(pending.length) : words.review.progress(at + 1, pending.length)}
    </p>
  );
}

function Nothing(): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeFocusCall()) heading.current?.focus();
  }, []);
  return (
    <div className={styles["nothing"]} data-testid="nothing">
      <h2 ref={heading} tabIndex={-1}>
        {words.review.empty}
      </h2>
      <p>{words.review.emptyBody}</p>
      <p>
        <code>{words.review.emptyCommand}</code>
      </p>
    </div>
  );
}
