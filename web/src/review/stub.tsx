import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Line } from "../parts/text.tsx";
import { words } from "../words.ts";
import { RiskMark } from "./risk-mark.tsx";
import { useSummary } from "./review-reads.ts";
import styles from "./stub.module.css";

/** On other surfaces a waiting decision is one line that leads to it, never the card itself. */
export function DecisionStub(): ReactNode {
  const { data } = useSummary();
  const first = data?.pending[0];
  if (data === undefined || first === undefined) return null;
  const others = data.pending.length - 1;
  return (
    <Link
      href={`/review/${first.request_id}`}
      className={styles["stub"]}
      data-risk={first.risk_level}
      data-testid="stub"
    >
      <span className={styles["what"]}>
        <span className={styles["lead"]}>
          {words.review.stub} <RiskMark risk={first.risk_level} words="short" />
          {others > 0 && <span>{words.review.stubMore(others)}</span>}
        </span>
        <Line text={first.intent} />
      </span>
      <ChevronRight size={18} aria-hidden />
    </Link>
  );
}
