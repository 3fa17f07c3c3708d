import type { ReactNode } from "react";
import type { DecisionsSummaryBody } from "#model";
import { Button } from "../parts/button.tsx";
import { Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { announce } from "../ui-state.ts";
import { words } from "../words.ts";
import { callFocus, nextOf, stateOf } from "./active-card.ts";
import { DecisionCard } from "./decision-card.tsx";
import styles from "./review.module.css";
import { dropPending, invalidateReview, useRequest } from "./review-reads.ts";
import { useWaiting } from "./waiting.ts";

type DeskProps = {
  readonly summary: DecisionsSummaryBody;
  readonly activeId: string;
  /** Which card comes next, null when there is none. */
  readonly onMove: (id: string | null) => void;
};

/** The one active card. */
export function Desk({ summary, activeId, onMove }: DeskProps): ReactNode {
  const read = useRequest(activeId, stateOf(summary, activeId));
  const next = nextOf(summary.pending, activeId);
  const { requests, count } = useWaiting();
  const left = count - requests.filter((row) => row.request_id === activeId).length;
  const onDecided = (said: string): void => {
    announce(`${said} ${left === 0 ? words.decided.noneLeft : words.decided.nextUp(left)}`);
    callFocus();
    dropPending(activeId);
    onMove(next?.request_id ?? null);
    void invalidateReview();
  };
  const onNext = (): void => {
    callFocus();
    onMove(next?.request_id ?? null);
  };
  if (read.error?.code === "request_unknown") return <Unknown onNext={onNext} />;
  if (read.error !== null) return <Failure error={read.error} onRetry={read.retry} />;
  if (read.data === undefined) return <Skeleton label={words.review.loadingCard} rows={6} />;
  return (
    <>
      <KeptNotice atMs={read.keptAtMs} />
      <DecisionCard
        key={activeId}
        request={read.data}
        isAttentionAsked={summary.fatigue.is_fast}
        onDecided={onDecided}
        onReplaced={onMove}
        onNext={onNext}
      />
    </>
  );
}

function Unknown({ onNext }: { readonly onNext: () => void }): ReactNode {
  return (
    <div className={styles["unknown"]} role="alert">
      <h2>{words.review.unknown}</h2>
      <p>{words.review.unknownBody}</p>
      <Button onClick={onNext}>{words.review.toQueue}</Button>
    </div>
  );
}
