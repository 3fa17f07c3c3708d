import { CircleDot } from "lucide-react";
import type { ReactNode } from "react";
import { oneLine } from "#base";
import { useModel } from "../talk/talk-reads.ts";
import { words } from "../words.ts";
import styles from "./chips.module.css";

/** Says what answers here. Without a model nothing may look as if one did. */
export function ModeChip(): ReactNode {
  const model = useModel();
  const name = model === null ? words.mode.builtIn : oneLine(model.name);
  return (
    <p className={styles["mode"]} title={name} data-testid="mode">
      <CircleDot size={14} aria-hidden />
      <span className={styles["long"]}>{name}</span>
      <span className={styles["short"]} aria-hidden>
        {model === null ? words.mode.short : words.mode.model}
      </span>
    </p>
  );
}
