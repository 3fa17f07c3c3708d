import type { ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Paragraphs } from "../parts/text.tsx";
import { words } from "../words.ts";
import styles from "./conflict-sheet.module.css";
import { keepMine, keepTheirs, useConflict } from "./use-task-edit.ts";

const FIELD_NAMES: { readonly [field: string]: string } = {
  title: words.task.title,
  notes: words.task.notes,
  dueDate: words.task.due,
  dueTime: words.task.dueTime,
  priority: words.task.priority,
  estimateMinutes: words.task.estimate,
  language: words.task.language,
  categoryId: words.tasks.category,
  labelIds: words.task.labels,
  status: words.task.status,
  repeat: words.repeat.label,
};

/** Two tabs or devices changed the same field: both values, and the owner's choice. */
export function ConflictSheet(): ReactNode {
  const conflict = useConflict((state) => state.conflict);
  if (conflict === null) return null;
  return (
    <Sheet title={words.conflict.heading} onClose={keepTheirs}>
      <p>{words.conflict.body(FIELD_NAMES[conflict.field] ?? conflict.field)}</p>
      <div className={styles["both"]}>
        <Version
          name={words.conflict.mine}
          value={conflict.yours}
          action={words.conflict.keepMine}
          onChoose={() => void keepMine(conflict)}
        />
        <Version
          name={words.conflict.theirs}
          value={conflict.theirs}
          action={words.conflict.keepTheirs}
          onChoose={keepTheirs}
        />
      </div>
    </Sheet>
  );
}

type VersionProps = {
  readonly name: string;
  readonly value: unknown;
  readonly action: string;
  readonly onChoose: () => void;
};

function Version({ name, value, action, onChoose }: VersionProps): ReactNode {
  const text =
    value === null || value === ""
      ? words.conflict.empty
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value);
  return (
    <section className={styles["version"]} aria-label={name}>
      <h3>{name}</h3>
      <Paragraphs text={text} className={styles["value"]} />
      <Button onClick={onChoose}>{action}</Button>
    </section>
  );
}
