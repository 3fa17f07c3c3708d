import { Check, Copy } from "lucide-react";
import { useState, type ReactNode } from "react";
import { IconButton } from "../../parts/button.tsx";
import { words } from "../../words.ts";
import styles from "./card.module.css";

const SHORT_CHARS = 8;

/** The first digits of what is signed, and the whole of it to take away. */
export function PlanHash({ hash }: { readonly hash: string }): ReactNode {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(hash);
      setIsCopied(true);
    } catch {
      // A browser that does not let a page write there: the whole hash stands in the details.
      setIsCopied(false);
    }
  };
  return (
    <span className={styles["hash"]}>
      <span className="hidden-visually">{words.card.hash} </span>
      <code>{hash.slice(0, SHORT_CHARS)}</code>
      <IconButton label={words.card.copyHash} onClick={() => void copy()}>
        {isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
      </IconButton>
      <span className="hidden-visually" role="status">
        {isCopied ? words.card.copied : ""}
      </span>
    </span>
  );
}
