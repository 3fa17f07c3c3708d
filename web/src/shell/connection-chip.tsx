import { CloudOff, CloudUpload, TriangleAlert, Wifi } from "lucide-react";
import type { ReactNode } from "react";
import { isWaiting, useOutbox } from "../data/outbox.ts";
import { openSheet } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { words } from "../words.ts";
import styles from "./connection-chip.module.css";

type Standing = {
  readonly state: "connecting" | "online" | "offline";
  readonly waiting: number;
  readonly refused: number;
  /** False when a person should know about it, also on a small screen. */
  readonly isFine: boolean;
};

/** How the page stands with its server. A write that is just being sent is not worth a word. */
export function useStanding(): Standing {
  const state = useConnection((connection) => connection.state);
  const rows = useOutbox((outbox) => outbox.rows);
  const refused = rows.filter((row) => row.refusal !== null).length;
  const unsent = rows.filter(isWaiting).length;
  const waiting = state === "offline" || unsent > 3 ? unsent : 0;
  return { state, waiting, refused, isFine: state !== "offline" && waiting === 0 && refused === 0 };
}

const showWaiting = (): void => openSheet({ kind: "waiting" });

type ChipProps = { readonly standing: Standing; readonly onRetry: () => void };

/** The standing in words; opens the list of what waits. */
export function ConnectionChip({ standing, onRetry }: ChipProps): ReactNode {
  const { state, waiting, refused } = standing;
  return (
    <span className={styles["chips"]}>
      {state === "offline" ? (
        <button type="button" className={styles["chip"]} data-testid="retry" onClick={onRetry}>
          <CloudOff size={14} aria-hidden />
          {words.connection.offline}
          <span className={styles["retry"]}>{words.actions.retry}</span>
        </button>
      ) : (
        <span className={styles["chip"]} data-testid="connection">
          <Wifi size={14} aria-hidden />
          {state === "online" ? words.connection.online : words.connection.connecting}
        </span>
      )}
      {waiting > 0 && (
        <button type="button" className={styles["chip"]} data-testid="waiting" onClick={showWaiting}>
          <CloudUpload size={14} aria-hidden /> {words.connection.waiting(waiting)}
        </button>
      )}
      {refused > 0 && (
        <button type="button" className={styles["chip"]} data-testid="refused" onClick={showWaiting}>
          <TriangleAlert size={14} aria-hidden /> {words.connection.refused(refused)}
        </button>
      )}
    </span>
  );
}
