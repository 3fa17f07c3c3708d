import { RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { openSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import { ConnectionChip, useStanding } from "./connection-chip.tsx";
import { usePageUpdate } from "./page-update.ts";
import styles from "./status-strip.module.css";

/** How it stands, in one line at the foot; a phone shows it only when there is something to know. */
export function StatusStrip({ onRetry }: { readonly onRetry: () => void }): ReactNode {
  const reload = usePageUpdate((state) => state.reload);
  const standing = useStanding();
  const isNeeded = !standing.isFine || reload !== null;
  return (
    <footer className={styles["strip"]} data-needed={isNeeded ? "yes" : "no"}>
      <ConnectionChip standing={standing} onRetry={onRetry} />
      {reload !== null && (
        <button type="button" className={styles["item"]} onClick={reload}>
          <RefreshCw size={14} aria-hidden /> {words.connection.newVersion} - {words.actions.reload}
        </button>
      )}
      <button type="button" className={styles["item"]} data-end="" onClick={() => openSheet({ kind: "shortcuts" })}>
        {words.shortcuts.heading} <kbd>?</kbd>
      </button>
    </footer>
  );
}
