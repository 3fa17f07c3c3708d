import { useEffect, useRef, type ReactNode } from "react";
import type { Instant } from "#base";
import { useGoals } from "../goals/goal-reads.ts";
import { Command } from "../parts/command.tsx";
import { Line } from "../parts/text.tsx";
import { dateTime } from "../time/format.ts";
import { words } from "../words.ts";
import { takeFocusCall } from "./active-card.ts";
import { nextCheck } from "./next-check.ts";
import styles from "./review.module.css";

/** Nothing waits: what comes by itself next, and, where nothing was decided yet, how to see what a decision is like. */
export function Nothing({ isNew }: { readonly isNew: boolean }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const next = nextCheck(useGoals().data?.goals ?? []);
  useEffect(() => {
    if (takeFocusCall()) heading.current?.focus();
  }, []);
  return (
    <div className={styles["nothing"]} data-testid="nothing">
      <h2 ref={heading} tabIndex={-1}>
        {words.review.empty}
      </h2>
      <p>{words.review.emptyBody}</p>
      {next !== null && (
        <p data-testid="next-check">
          <Line text={words.review.nextCheck(next.title, dateTime(next.at as Instant))} />
        </p>
      )}
      {isNew && (
        <>
          <p>{words.review.tryIt}</p>
          <Command text={words.review.tryCommand} />
        </>
      )}
      <p>{isNew ? words.review.ownPlan : words.review.proposePlan}</p>
      <Command text={words.review.emptyCommand} />
    </div>
  );
}
