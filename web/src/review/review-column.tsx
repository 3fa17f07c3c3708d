import { Maximize2 } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { words } from "../words.ts";
import { hold, useActiveId } from "./active-card.ts";
import { Attention } from "./attention.tsx";
import { Desk } from "./desk.tsx";
import { Queue } from "./queue.tsx";
import styles from "./review-column.module.css";
import { Progress } from "./review.tsx";
import { useSummary } from "./review-reads.ts";

/** The desktop's right side, beside every other surface while something waits. */
export function ReviewColumn(): ReactNode {
  const { data: summary } = useSummary();
  const activeId = useActiveId(summary?.pending ?? [], null);
  if (summary === undefined || activeId === null) return null;
  return (
    <aside className={styles["column"]} aria-label={words.review.surface} data-testid="review-column">
      <header className={styles["head"]}>
        <p className={styles["title"]}>{words.review.surface}</p>
        <Progress summary={summary} activeId={activeId} />
        <Link href={`/review/${activeId}`} className={styles["open"]} aria-label={words.review.open}>
          <Maximize2 size={18} aria-hidden />
        </Link>
      </header>
      <Attention summary={summary} />
      <Desk summary={summary} activeId={activeId} onMove={hold} />
      <Queue pending={summary.pending} activeId={activeId} onChoose={hold} />
    </aside>
  );
}
