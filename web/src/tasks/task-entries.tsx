import { useState, type ReactNode } from "react";
import type { TaskDetail } from "#model";
import { run } from "../data/commands.ts";
import { Button } from "../parts/button.tsx";
import { Area } from "../parts/field.tsx";
import { Paragraphs } from "../parts/text.tsx";
import { nowInstant } from "../time/clock.ts";
import { dateTime } from "../time/format.ts";
import { words } from "../words.ts";
import { Section } from "./section.tsx";
import styles from "./task-time.module.css";

/** Journal notes written about this task; they also stand in the journal, on their day. */
export function TaskEntries({ detail }: { readonly detail: TaskDetail }): ReactNode {
  const [draft, setDraft] = useState<string | null>(null);
  const save = async (): Promise<void> => {
    const text = draft?.trim() ?? "";
    if (text === "") return;
    setDraft(null);
    await run({ kind: "entry.create", form: "text", occurredAt: nowInstant(), text, taskId: detail.task.id });
  };
  const add = (
    <Button size="small" tone="quiet" onClick={() => setDraft(draft ?? "")}>
      {words.entries.add}
    </Button>
  );
  return (
    <Section title={words.entries.heading} aside={draft === null && add}>
      {draft === null ? (
        detail.entries.length === 0 && <p className={styles["soft"]}>{words.entries.none}</p>
      ) : (
        <div className={styles["form"]}>
          <Area
            aria-label={words.entries.placeholder}
            placeholder={words.entries.placeholder}
            value={draft}
            autoFocus
            dir="auto"
            className={styles["buttons"]}
            onChange={({ target }) => setDraft(target.value)}
          />
          <div className={styles["buttons"]}>
            <Button size="small" tone="main" onClick={() => void save()}>
              {words.journal.save}
            </Button>
            <Button size="small" tone="quiet" onClick={() => setDraft(null)}>
              {words.actions.cancel}
            </Button>
          </div>
        </div>
      )}
      <ul>
        {detail.entries.map((entry) => (
          <li key={entry.id} className={styles["note"]}>
            <p className={styles["soft"]}>{dateTime(entry.body.occurredAt)}</p>
            <Paragraphs text={entry.body.text} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
