import type { ReactNode } from "react";
import type { RiskLevel } from "#model";
import { words } from "../words.ts";
import styles from "./risk-mark.module.css";

/** A shape for each level, so that risk is never told by colour alone. */
const SHAPES: { readonly [R in RiskLevel]: ReactNode } = {
  low: <circle cx="8" cy="8" r="6" />,
  medium: <path d="M8 .9 15.1 8 8 15.1.9 8Z" />,
  high: <path d="M8 1.4 15.4 14.4H.6Z" />,
  irreversible: <path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1Z" />,
};

type RiskMarkProps = { readonly risk: RiskLevel; readonly words?: "long" | "short" };

/** Shape and word. */
export function RiskMark({ risk, words: length = "long" }: RiskMarkProps): ReactNode {
  return (
    <span className={styles["mark"]} data-risk={risk}>
      <svg width="14" height="14" viewBox="0 0 16 16" fill="currentColor" data-shape={risk} aria-hidden="true">
        {SHAPES[risk]}
      </svg>
      <span>{length === "long" ? words.risk[risk] : words.riskShort[risk]}</span>
    </span>
  );
}
