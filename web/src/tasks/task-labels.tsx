import { X } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import type { RecordId, TaskDetail } from "#model";
import { run } from "../data/commands.ts";
import { useJournal } from "../data/reads.ts";
import { Field, Input } from "../parts/field.tsx";
import { Line } from "../parts/text.tsx";
import { words } from "../words.ts";
import styles from "./task-fields.module.css";
import { editTask } from "./use-task-edit.ts";

export function TaskLabels({ detail }: { readonly detail: TaskDetail }): ReactNode {
  const { data: labels = [] } = useJournal({ kind: "labels" });
  const [draft, setDraft] = useState("");
  const listId = useId();
  const { id, body } = detail.task;
  const save = (labelIds: RecordId[]): Promise<boolean> =>
    editTask({ id, set: { labelIds }, was: { labelIds: body.labelIds } });

  const add = async (): Promise<void> => {
    const name = draft.trim().replace(/^#/, "");
    if (name === "") return;
    const known = labels.find((label) => label.body.name.toLowerCase() === name.toLowerCase());
    const labelId = known?.id ?? (await run({ kind: "label.create", name }))?.subjectId ?? null;
    if (labelId === null) return;
    setDraft("");
    if (!body.labelIds.includes(labelId)) await save([...body.labelIds, labelId]);
  };
  return (
    <div className={styles["whole"]}>
      <Field label={words.task.labels}>
        {(ids) => (
          <div className={styles["chips"]}>
            {labels
              .filter((label) => body.labelIds.includes(label.id))
              .map((label) => (
                <LabelChip
                  key={label.id}
                  name={label.body.name}
                  onRemove={() => void save(body.labelIds.filter((each) => each !== label.id))}
                />
              ))}
            <Input
              {...ids}
              list={listId}
              value={draft}
              placeholder={words.task.addLabel}
              onChange={({ target }) => setDraft(target.value)}
              onBlur={() => void add()}
              onKeyDown={(event) => {
                if (event.key !== "Enter") return;
                event.preventDefault();
                void add();
              }}
            />
            <datalist id={listId}>
              {labels.map((label) => (
                <option key={label.id} value={label.body.name}>
                  {label.body.name}
                </option>
              ))}
            </datalist>
          </div>
        )}
      </Field>
    </div>
  );
}

function LabelChip({ name, onRemove }: { readonly name: string; readonly onRemove: () => void }): ReactNode {
  return (
    <span className={styles["chip"]}>
      <Line text={words.tasks.label(name)} />
      <button type="button" aria-label={words.actions.remove(name)} onClick={onRemove}>
        <X size={14} aria-hidden />
      </button>
    </span>
  );
}
