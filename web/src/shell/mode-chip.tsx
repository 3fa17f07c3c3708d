import { CircleDot } from "lucide-react";
import type { ReactNode } from "react";
import { words } from "../words.ts";
import styles from "./chips.module.css";

/** Says what answers here. Without a model nothing may look as if one did. */
export function ModeChip(): ReactNode {
  return (
    <p className={styles["mode"]} title={words.mode.builtIn} data-testid="mode">
      <CircleDot size={14} aria-hidden />
      <span className={styles["long"]}>{words.mode.builtIn}</span>
      <span className={styles["short"]} aria-hidden>
        {words.mode.short}
      </span>
    </p>
  );
}
