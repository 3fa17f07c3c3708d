import type { ReactNode } from "react";
import type { JournalCommand } from "#model";
import { undo } from "../data/commands.ts";
import type { Waiting } from "../data/database.ts";
import { isWaiting, useOutbox } from "../data/outbox.ts";
import { Button } from "../parts/button.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Line } from "../parts/text.tsx";
import { clockTime } from "../time/format.ts";
import { closeSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import styles from "./sheets.module.css";

/** What was written here and has not been answered, and what was refused: nothing disappears by itself. */
export function WaitingSheet({ onRetry }: { readonly onRetry: () => void }): ReactNode {
  const rows = useOutbox((state) => state.rows);
  const refused = rows.filter((row) => row.refusal !== null);
  const waiting = rows.filter(isWaiting);
  return (
    <Sheet title={words.waiting.title} onClose={closeSheet}>
      <p className={styles["soft"]}>{waiting.length === 0 ? words.waiting.empty : words.waiting.body}</p>
      <List rows={waiting} />
      {waiting.length > 0 && <Button onClick={onRetry}>{words.actions.retry}</Button>}
      {refused.length > 0 && (
        <>
          <h3 className={styles["heading"]}>{words.waiting.refusedTitle}</h3>
          <p className={styles["soft"]}>{words.waiting.refusedBody}</p>
          <List rows={refused} />
        </>
      )}
    </Sheet>
  );
}

function List({ rows }: { readonly rows: readonly Waiting[] }): ReactNode {
  return (
    <ul className={styles["list"]}>
      {rows.map((row) => (
        <li key={row.sequence} className={styles["row"]}>
          <div>
            <p>
              <span className="mono">{clockTime(row.atMs)}</span> <Line text={nameOf(row.command)} />
            </p>
            {row.refusal !== null && <p className={styles["reason"]}>{row.refusal.message || row.refusal.code}</p>}
          </div>
          <Button tone="quiet" size="small" onClick={() => void undo(row.operationId)}>
            {words.actions.discard}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function nameOf(command: JournalCommand): string {
  if ("title" in command && typeof command.title === "string") return command.title;
  if ("text" in command && typeof command.text === "string") return command.text;
  return command.kind.replaceAll(".", " ");
}
