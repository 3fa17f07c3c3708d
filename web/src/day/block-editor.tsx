import { useState, type FormEvent, type ReactNode } from "react";
import type { DayView, RecordId } from "#model";
import { run } from "../data/commands.ts";
import { useJournal } from "../data/reads.ts";
import { Button } from "../parts/button.tsx";
import { Field, Input, Select } from "../parts/field.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { instantOf, minutesOfTime, timeOfMinutes, useToday } from "../time/clock.ts";
import { words } from "../words.ts";
import styles from "./timeline.module.css";

export type BlockDraft = {
  readonly id: RecordId | null;
  readonly taskId: RecordId | null;
  readonly categoryId: RecordId | null;
  readonly note: string;
  readonly start: number;
  readonly end: number;
};

type EditorProps = { readonly day: DayView; readonly draft: BlockDraft; readonly onClose: () => void };

export function BlockEditor({ day, draft: first, onClose }: EditorProps): ReactNode {
  const [draft, setDraft] = useState(first);
  const [wrong, setWrong] = useState<string | null>(null);
  const change = (part: Partial<BlockDraft>): void => setDraft({ ...draft, ...part });
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (draft.end <= draft.start) return setWrong(words.time.endsBeforeStart);
    const { id, taskId, categoryId, note } = draft;
    const times = { startTime: instantOf(day.date, draft.start), endTime: instantOf(day.date, draft.end) };
    void run({
      kind: "plan.blocks",
      planDate: day.date,
      upserts: [{ id, taskId, categoryId, note, ...times }],
      deletes: [],
    });
    onClose();
  };
  const remove = (id: RecordId): void => {
    void run(
      { kind: "plan.blocks", planDate: day.date, upserts: [], deletes: [id] },
      { done: words.done.blockDeleted },
    );
    onClose();
  };
  const endOf = (value: string): number => (value === "00:00" ? 1440 : minutesOfTime(value));
  return (
    <Sheet title={draft.id === null ? words.day.addBlock : words.day.editBlock} onClose={onClose}>
      <form className={styles["editor"]} onSubmit={save}>
        <Field label={words.day.blockNote}>
          {(ids) => (
            <Input
              {...ids}
              value={draft.note}
              maxLength={500}
              autoFocus
              dir="auto"
              onChange={({ target }) => change({ note: target.value })}
            />
          )}
        </Field>
        <Field label={words.time.from}>
          {(ids) => (
            <Input
              {...ids}
              type="time"
              required
              step={300}
              value={timeOfMinutes(draft.start)}
              onChange={({ target }) => change({ start: minutesOfTime(target.value) })}
            />
          )}
        </Field>
        <Field label={words.time.to} wrong={wrong}>
          {(ids) => (
            <Input
              {...ids}
              type="time"
              required
              step={300}
              value={timeOfMinutes(draft.end)}
              onChange={({ target }) => change({ end: endOf(target.value) })}
            />
          )}
        </Field>
        <TaskChoice day={day} taskId={draft.taskId} onChoose={(taskId) => change({ taskId })} />
        <div className={styles["buttons"]}>
          <Button tone="main" type="submit">
            {words.actions.save}
          </Button>
          {draft.id !== null && (
            <Button tone="danger" onClick={() => draft.id !== null && remove(draft.id)}>
              {words.actions.delete}
            </Button>
          )}
        </div>
      </form>
    </Sheet>
  );
}

type ChoiceProps = {
  readonly day: DayView;
  readonly taskId: RecordId | null;
  readonly onChoose: (id: RecordId | null) => void;
};

function TaskChoice({ day, taskId, onChoose }: ChoiceProps): ReactNode {
  const today = useToday();
  const { data } = useJournal({ kind: "tasks", view: "open", today, limit: 200 });
  const pinned = day.pinned.map((row) => row.task);
  const open = (data?.rows ?? []).map((row) => row.task).filter((task) => !pinned.some(({ id }) => id === task.id));
  return (
    <Field label={words.day.blockTask}>
      {(ids) => (
        <Select
          {...ids}
          value={taskId ?? ""}
          onChange={({ target }) => onChoose((target.value || null) as RecordId | null)}
        >
          <option value="">{words.day.noTask}</option>
          {[...pinned, ...open].map((task) => (
            <option key={task.id} value={task.id}>
              {task.body.title}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
