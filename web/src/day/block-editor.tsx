import { useState, type FormEvent, type ReactNode } from "react";
import type { DayView, RecordId } from "#model";
import { run } from "../data/commands.ts";
import { Button } from "../parts/button.tsx";
import { Field, Input } from "../parts/field.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { TaskSelect } from "../tasks/task-select.tsx";
import { instantOf, minutesOfTime, timeOfMinutes } from "../time/clock.ts";
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
  const { id } = draft;
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (draft.end <= draft.start) return setWrong(words.time.endsBeforeStart);
    saveBlock(day, draft);
    onClose();
  };
  const remove = (): void => {
    if (id !== null) removeBlock(day, id);
    onClose();
  };
  return (
    <Sheet title={id === null ? words.day.addBlock : words.day.editBlock} onClose={onClose}>
      <form className={styles["editor"]} onSubmit={save}>
        <Fields draft={draft} wrong={wrong} onChange={(part) => setDraft({ ...draft, ...part })} />
        <TaskSelect
          label={words.day.blockTask}
          taskId={draft.taskId}
          first={day.pinned.map((row) => row.task)}
          onChoose={(taskId) => setDraft({ ...draft, taskId })}
        />
        <div className={styles["buttons"]}>
          <Button tone="main" type="submit">
            {words.actions.save}
          </Button>
          {id !== null && (
            <Button tone="danger" onClick={remove}>
              {words.actions.delete}
            </Button>
          )}
        </div>
      </form>
    </Sheet>
  );
}

function saveBlock(day: DayView, { start, end, ...block }: BlockDraft): void {
  const times = { startTime: instantOf(day.date, start), endTime: instantOf(day.date, end) };
  void run({ kind: "plan.blocks", planDate: day.date, upserts: [{ ...block, ...times }], deletes: [] });
}

export function removeBlock(day: DayView, id: RecordId): void {
  void run({ kind: "plan.blocks", planDate: day.date, upserts: [], deletes: [id] }, { done: words.done.blockDeleted });
}

/** A block may end at midnight, which a clock shows as 00:00. */
const endOf = (time: string): number => (time === "00:00" ? 1440 : minutesOfTime(time));

type FieldsProps = {
  readonly draft: BlockDraft;
  readonly wrong: string | null;
  readonly onChange: (part: Partial<BlockDraft>) => void;
};

function Fields({ draft, wrong, onChange }: FieldsProps): ReactNode {
  return (
    <>
      <Field label={words.day.blockNote}>
        {(ids) => (
          <Input
            {...ids}
            value={draft.note}
            maxLength={500}
            data-focus-first=""
            dir="auto"
            onChange={({ target }) => onChange({ note: target.value })}
          />
        )}
      </Field>
      <Field label={words.time.from}>
        {(ids) => (
          <Input
            {...ids}
            type="time"
            required
            value={timeOfMinutes(draft.start)}
            onChange={({ target }) => onChange({ start: minutesOfTime(target.value) })}
          />
        )}
      </Field>
      <Field label={words.time.to} wrong={wrong}>
        {(ids) => (
          <Input
            {...ids}
            type="time"
            required
            value={timeOfMinutes(draft.end)}
            onChange={({ target }) => onChange({ end: endOf(target.value) })}
          />
        )}
      </Field>
    </>
  );
}
