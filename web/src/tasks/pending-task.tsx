import { CloudUpload } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import type { RecordId } from "#model";
import { undo } from "../data/commands.ts";
import { useIsWaiting, useOutbox } from "../data/outbox.ts";
import { pendingTask } from "../data/project.ts";
import { standInOf } from "../data/stand-in.ts";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/states.tsx";
import { Line } from "../parts/text.tsx";
import { words } from "../words.ts";
import { Section } from "./section.tsx";
import styles from "./task-detail.module.css";
import { BackLink, TaskValues } from "./task-values.tsx";

type PendingProps = { readonly id: RecordId; readonly back: string };

/** A task the server has not seen yet: what the capture said, its values to change, and why there is no more. */
export function PendingTask({ id, back }: PendingProps): ReactNode {
  const rows = useOutbox((state) => state.rows);
  const isWaiting = useIsWaiting(id);
  const detail = useMemo(() => pendingTask(id, rows), [id, rows]);
  return (
    <aside className={styles["pane"]} aria-label={detail?.task.body.title ?? words.task.details}>
      <div className={styles["inside"]}>
        {detail === null ? (
          <Empty text={words.task.sent}>
            <Link href={back}>{words.task.back}</Link>
          </Empty>
        ) : (
          <>
            <h1 className={styles["name"]}>
              <Line text={detail.task.body.title} />
            </h1>
            <Head id={id} back={back} />
            {isWaiting && (
              <p className={styles["waiting"]} role="status">
                <CloudUpload size={16} aria-hidden />
                <span>
                  <strong>{words.task.waiting}.</strong> {words.task.waitingHelp}
                </span>
              </p>
            )}
            <TaskValues detail={detail}>
              <Captured id={id} />
            </TaskValues>
          </>
        )}
      </div>
    </aside>
  );
}

function Head({ id, back }: PendingProps): ReactNode {
  const [, navigate] = useLocation();
  const row = useOutbox((state) => state.rows.find((each) => standInOf(each.operationId) === id));
  const remove = async (): Promise<void> => {
    if (row !== undefined) await undo(row.operationId);
    navigate(back);
  };
  return (
    <div className={styles["head"]}>
      <BackLink back={back} />
      <Button size="small" tone="quiet" onClick={() => void remove()}>
        {words.task.discard}
      </Button>
    </div>
  );
}

/** What the capture named and the server has yet to make: read only, so that nothing has to be made twice. */
function Captured({ id }: { readonly id: RecordId }): ReactNode {
  const command = useOutbox((state) => state.rows.find((row) => standInOf(row.operationId) === id)?.command);
  if (command?.kind !== "task.create") return null;
  const { items = [], labelNames = [], categoryName } = command;
  const marks = [...(categoryName === undefined ? [] : [`@${categoryName}`]), ...labelNames.map(words.tasks.label)];
  if (items.length + marks.length === 0) return null;
  return (
    <Section title={words.task.captured}>
      {marks.length > 0 && (
        <p>
          <Line text={marks.join(" ")} />
        </p>
      )}
      <ul className={styles["captured"]}>
        {items.map((title, index) => (
          // Two items may have the same words; they never move here.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <Line text={title} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
