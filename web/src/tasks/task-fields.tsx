import { useState, type ReactNode } from "react";
import type { LocalDate, LocalTime } from "#base";
import type { RecordId, TaskDetail } from "#model";
import { useJournal } from "../data/reads.ts";
import { isPendingId } from "../data/stand-in.ts";
import { Field, Input, Select } from "../parts/field.tsx";
import { EditableText } from "../parts/editable-text.tsx";
import { minutesText, parseMinutes } from "../time/format.ts";
import { words } from "../words.ts";
import { RepeatField } from "./repeat-field.tsx";
import { TaskLabels } from "./task-labels.tsx";
import styles from "./task-fields.module.css";
import { editTask, type TaskChange } from "./use-task-edit.ts";

type FieldsProps = { readonly detail: TaskDetail };
type Save = (set: TaskChange) => void;

/** Everything about a task that is one value, each saved by itself. */
export function TaskFields({ detail }: FieldsProps): ReactNode {
  const { id, body } = detail.task;
  const save: Save = (set) => {
    const was = Object.fromEntries(Object.keys(set).map((field) => [field, body[field as keyof TaskChange]]));
    void editTask({ id, set, was });
  };
  return (
    <div className={styles["grid"]}>
      {!isPendingId(id) && <CategoryField categoryId={body.categoryId} onSave={save} />}
      <PriorityField priority={body.priority} onSave={save} />
      <DueField dueDate={body.dueDate} dueTime={body.dueTime} hasRepeat={body.repeat !== null} onSave={save} />
      <EstimateField detail={detail} />
      <LanguageField detail={detail} />
      <RepeatField repeat={body.repeat} dueDate={body.dueDate} onSave={save} />
      <StatusField detail={detail} onSave={save} />
      {!isPendingId(id) && <TaskLabels detail={detail} />}
    </div>
  );
}

function CategoryField({
  categoryId,
  onSave,
}: {
  readonly categoryId: RecordId | null;
  readonly onSave: Save;
}): ReactNode {
  const { data } = useJournal({ kind: "categories" });
  return (
    <Field label={words.tasks.category}>
      {(ids) => (
        <Select
          {...ids}
          value={categoryId ?? ""}
          onChange={({ target }) => onSave({ categoryId: (target.value || null) as RecordId | null })}
        >
          <option value="">{words.tasks.noCategory}</option>
          {data
            ?.filter(({ id, body }) => body.archivedAt === null || id === categoryId)
            .map(({ id, body }) => (
              <option key={id} value={id}>
                {body.name}
              </option>
            ))}
        </Select>
      )}
    </Field>
  );
}

function PriorityField({ priority, onSave }: { readonly priority: number | null; readonly onSave: Save }): ReactNode {
  return (
    <Field label={words.task.priority}>
      {(ids) => (
        <Select
          {...ids}
          value={priority ?? ""}
          onChange={({ target }) => onSave({ priority: target.value === "" ? null : Number(target.value) })}
        >
          <option value="">{words.tasks.priorities.none}</option>
          {([1, 2, 3, 4] as const).map((value) => (
            <option key={value} value={value}>
              {words.tasks.priorities[value]}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

type DueProps = {
  readonly dueDate: LocalDate | null;
  readonly dueTime: LocalTime | null;
  readonly hasRepeat: boolean;
  readonly onSave: Save;
};

function DueField({ dueDate, dueTime, hasRepeat, onSave }: DueProps): ReactNode {
  const setDate = (value: string): void => {
    if (value !== "") onSave({ dueDate: value as LocalDate });
    else onSave({ dueDate: null, ...(dueTime !== null && { dueTime: null }), ...(hasRepeat && { repeat: null }) });
  };
  return (
    <div className={styles["pair"]}>
      <Field label={words.task.due}>
        {(ids) => <Input {...ids} type="date" value={dueDate ?? ""} onChange={({ target }) => setDate(target.value)} />}
      </Field>
      <Field label={words.task.dueTime}>
        {(ids) => (
          <Input
            {...ids}
            type="time"
            disabled={dueDate === null}
            value={dueTime ?? ""}
            onChange={({ target }) => onSave({ dueTime: (target.value || null) as LocalTime | null })}
          />
        )}
      </Field>
    </div>
  );
}

function EstimateField({ detail }: FieldsProps): ReactNode {
  const [wrong, setWrong] = useState<string | null>(null);
  const { id, body } = detail.task;
  const save = async (next: string, base: string): Promise<boolean> => {
    const minutes = next.trim() === "" ? null : parseMinutes(next);
    const isWrong = minutes === null && next.trim() !== "";
    setWrong(isWrong ? words.task.estimateWrong : null);
    if (isWrong) return false;
    return editTask({
      id,
      set: { estimateMinutes: minutes },
      was: { estimateMinutes: base === "" ? null : parseMinutes(base) },
    });
  };
  return (
    <Field label={words.task.estimate} wrong={wrong}>
      {(ids) => (
        <EditableText
          kind="line"
          id={ids.id}
          describedBy={ids["aria-describedby"]}
          value={minutesText(body.estimateMinutes)}
          placeholder={words.task.estimateHint}
          onSave={save}
        />
      )}
    </Field>
  );
}

function LanguageField({ detail }: FieldsProps): ReactNode {
  const [wrong, setWrong] = useState<string | null>(null);
  const { id, body } = detail.task;
  const save = async (next: string, base: string): Promise<boolean> => {
    const isWrong = next.trim() !== "" && !/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(next.trim());
    setWrong(isWrong ? words.task.languageWrong : null);
    return !isWrong && editTask({ id, set: { language: next.trim() || null }, was: { language: base || null } });
  };
  return (
    <Field label={words.task.language} wrong={wrong}>
      {(ids) => (
        <EditableText
          kind="line"
          id={ids.id}
          describedBy={ids["aria-describedby"]}
          value={body.language ?? ""}
          placeholder={words.task.languageHint}
          onSave={save}
        />
      )}
    </Field>
  );
}

function StatusField({ detail, onSave }: FieldsProps & { readonly onSave: Save }): ReactNode {
  const { status, concludedAt } = detail.task.body;
  if (concludedAt !== null) return null;
  return (
    <Field label={words.task.status}>
      {(ids) => (
        <Select
          {...ids}
          value={status}
          onChange={({ target }) => onSave({ status: target.value as "OPEN" | "IN_PROGRESS" })}
        >
          <option value="OPEN">{words.tasks.status.OPEN}</option>
          <option value="IN_PROGRESS">{words.tasks.status.IN_PROGRESS}</option>
        </Select>
      )}
    </Field>
  );
}
