import { ArrowLeft, X } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { TaskDetail } from "#model";
import { EditableText } from "../parts/editable-text.tsx";
import { words } from "../words.ts";
import { Section } from "./section.tsx";
import styles from "./task-detail.module.css";
import { TaskFields } from "./task-fields.tsx";
import { editTask } from "./use-task-edit.ts";

type ValuesProps = {
  readonly detail: TaskDetail;
  readonly focus?: "at_once" | "later";
  /** What stands between the title and the notes. */
  readonly children: ReactNode;
};

export const titleFieldId = (taskId: string): string => `title-${taskId}`;

/** What can be changed of a task, whether the server has seen it or not. */
export function TaskValues({ detail, focus = "later", children }: ValuesProps): ReactNode {
  const { id, body } = detail.task;
  const save = (field: "title" | "notes") => (next: string, base: string) =>
    editTask({ id, set: { [field]: next }, was: { [field]: base } });
  return (
    <>
      <EditableText
        kind="title"
        id={titleFieldId(id)}
        value={body.title}
        onSave={save("title")}
        label={words.task.title}
        className={styles["title"]}
        focus={focus}
      />
      {children}
      <Section title={words.task.notes}>
        <EditableText
          kind="area"
          value={body.notes}
          onSave={save("notes")}
          label={words.task.notes}
          placeholder={words.task.notesPlaceholder}
        />
      </Section>
      <Section title={words.task.details}>
        <TaskFields detail={detail} />
      </Section>
    </>
  );
}

export function BackLink({ back }: { readonly back: string }): ReactNode {
  return (
    <Link href={back} className={styles["back"]} aria-label={words.task.back} title={words.task.back}>
      <ArrowLeft size={20} aria-hidden className={styles["narrow"]} />
      <X size={20} aria-hidden className={styles["wide"]} />
    </Link>
  );
}
