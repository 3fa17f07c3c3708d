import type { ReactNode } from "react";
import { CopyButton } from "../../parts/copy-button.tsx";
import { words } from "../../words.ts";
import styles from "./card.module.css";

const SHORT_CHARS = 8;

/** The first digits of what is signed, and the whole of it to take away; the details show it whole too. */
export function PlanHash({ hash }: { readonly hash: string }): ReactNode {
  return (
    <span className={styles["hash"]}>
      <span className="hidden-visually">{words.card.hash} </span>
      <code>{hash.slice(0, SHORT_CHARS)}</code>
      <CopyButton text={hash} label={words.card.copyHash} />
    </span>
  );
}
