import { Eye, Layers } from "lucide-react";
import type { ReactNode } from "react";
import { RISK_LEVELS, type DecisionsSummaryBody } from "#model";
import { words } from "../words.ts";
import styles from "./attention.module.css";
import { RiskMark } from "./risk-mark.tsx";

/** Cues for whoever decides much and fast. They are seen and stop nothing. [FATIGUE-05] [FATIGUE-06] */
export function Attention({ summary }: { readonly summary: DecisionsSummaryBody }): ReactNode {
  return (
    <>
      {summary.is_dense && <Dense pending={summary.pending} />}
      {summary.fatigue.is_fast && (
        <p className={styles["fast"]} data-testid="fast" role="status">
          <Eye size={16} aria-hidden /> {words.attention.fast}
        </p>
      )}
    </>
  );
}

function Dense({ pending }: Pick<DecisionsSummaryBody, "pending">): ReactNode {
  const counts = RISK_LEVELS.map((risk) => ({
    risk,
    count: pending.filter((row) => row.risk_level === risk).length,
  })).filter(({ count }) => count > 0);
  const heavy = counts.filter(({ risk }) => risk !== "low").reduce((sum, { count }) => sum + count, 0);
  return (
    <section className={styles["dense"]} data-testid="dense" aria-label={words.attention.dense(heavy)}>
      <p className={styles["title"]}>
        <Layers size={18} aria-hidden /> {words.attention.dense(heavy)}
      </p>
      <ul>
        {counts.toReversed().map(({ risk, count }) => (
          <li key={risk}>
            <span className="mono">{count}</span> <RiskMark risk={risk} words="short" />
          </li>
        ))}
      </ul>
      <p className={styles["soft"]}>{words.attention.denseBody}</p>
    </section>
  );
}
