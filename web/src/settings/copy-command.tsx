import { Check, Copy } from "lucide-react";
import { useState, type ReactNode } from "react";
import { IconButton } from "../parts/button.tsx";
import { words } from "../words.ts";
import styles from "./signing-key.module.css";

/** A command for the terminal, to be typed or taken along. */
export function CopyCommand({ command, label }: { readonly command: string; readonly label: string }): ReactNode {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command);
      setIsCopied(true);
    } catch {
      // A browser that does not let a page write there: the command stands to be read.
      setIsCopied(false);
    }
  };
  return (
    <p className={styles["command"]}>
      <code>{command}</code>
      <IconButton label={label} onClick={() => void copy()}>
        {isCopied ? <Check size={18} aria-hidden /> : <Copy size={18} aria-hidden />}
      </IconButton>
      <span className="hidden-visually" role="status">
        {isCopied ? words.signing.copied : ""}
      </span>
    </p>
  );
}
