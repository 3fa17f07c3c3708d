import { CloudOff, CloudUpload, TriangleAlert, Wifi } from "lucide-react";
import type { ReactNode } from "react";
import { useOutbox } from "../data/outbox.ts";
import { openSheet } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { words } from "../words.ts";
import styles from "./connection-chip.module.css";

type ChipProps = { readonly onRetry: () => void; readonly quiet?: "when_fine" | "never" };

/** How the page stands with its server, in words; opens the list of what waits. */
export function ConnectionChip({ onRetry, quiet = "never" }: ChipProps): ReactNode {
  const connection = useConnection((state) => state.state);
  const rows = useOutbox((state) => state.rows);
  const refused = rows.filter((row) => row.refusal !== null).length;
  const waiting = rows.length - refused;
  const isOffline = connection === "offline";
  const showWaiting = waiting > 0 && (isOffline || waiting > 3);
  if (quiet === "when_fine" && !isOffline && refused === 0 && !showWaiting) return null;
  return (
    <span className={styles["chips"]}>
      {(showWaiting || refused > 0) && (
        <button
          type="button"
          className={styles["chip"]}
          data-testid="waiting"
          onClick={() => openSheet({ kind: "waiting" })}
        >
          {refused > 0 ? <TriangleAlert size={14} aria-hidden /> : <CloudUpload size={14} aria-hidden />}
          {refused > 0 ? words.connection.refused(refused) : words.connection.waiting(waiting)}
        </button>
      )}
      {isOffline ? (
        <button type="button" className={styles["chip"]} data-testid="retry" onClick={onRetry}>
          <CloudOff size={14} aria-hidden />
          {words.connection.offline}
          <span className={styles["retry"]}>{words.actions.retry}</span>
        </button>
      ) : (
        quiet === "never" && (
          <span className={styles["chip"]} data-testid="connection">
            <Wifi size={14} aria-hidden />
            {connection === "online" ? words.connection.online : words.connection.connecting}
          </span>
        )
      )}
    </span>
  );
}
