import { useState, type FormEvent, type ReactNode } from "react";
import type { BodyOf, CommandOf, JournalCommand, RecordOf } from "#model";
import { run } from "../data/commands.ts";
import { Button } from "../parts/button.tsx";
import { Field, Input } from "../parts/field.tsx";
import { instantOfWall, nowInstant, wallOf } from "../time/clock.ts";
import { words } from "../words.ts";
import { TaskSelect } from "./task-select.tsx";
import styles from "./task-time.module.css";

type EditorProps = { readonly entry: RecordOf<"timeEntry">; readonly onDone: () => void };
type Draft = { readonly start: string; readonly end: string; readonly what: string; readonly taskId: TaskId };
type TaskId = BodyOf<"timeEntry">["taskId"];
type TimeChange = CommandOf<"time.update">["set"];

/** Changes a time entry where it stands. A refusal is told here too, and what was typed stays. */
export function TimeEditor({ entry, onDone }: EditorProps): ReactNode {
  const [first] = useState(() => draftOf(entry.body));
  const [draft, setDraft] = useState(first);
  const [wrong, setWrong] = useState<string | null>(null);
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const set = changesOf(first, draft);
    const { startedAt = entry.body.startedAt, endedAt = entry.body.endedAt } = set;
    const fault = faultOf({ startedAt, endedAt });
    setWrong(fault);
    if (fault !== null) return;
    if (Object.keys(set).length === 0) return onDone();
    await saveTime({ kind: "time.update", id: entry.id, set }, { onWrong: setWrong, onDone });
  };
  return (
    <form className={styles["editor"]} onSubmit={(event) => void save(event)} aria-label={words.time.edit}>
      <Moments draft={draft} isRunning={entry.body.endedAt === null} onChange={change} />
      <Field label={words.time.what}>
        {(ids) => (
          <Input
            {...ids}
            value={draft.what}
            maxLength={500}
            dir="auto"
            onChange={({ target }) => change({ what: target.value })}
          />
        )}
      </Field>
      <TaskSelect label={words.day.blockTask} taskId={draft.taskId} onChoose={(taskId) => change({ taskId })} />
      {wrong !== null && (
        <p className={styles["wrong"]} role="alert">
          {wrong}
        </p>
      )}
      <SaveButtons onCancel={onDone} />
    </form>
  );
}

type MomentsProps = {
  readonly draft: Draft;
  readonly isRunning: boolean;
  readonly onChange: (part: Partial<Draft>) => void;
};

function Moments({ draft, isRunning, onChange }: MomentsProps): ReactNode {
  return (
    <>
      <Field label={words.time.startsAt}>
        {(ids) => (
          <Input
            {...ids}
            type="datetime-local"
            required
            autoFocus
            value={draft.start}
            onChange={({ target }) => onChange({ start: target.value })}
          />
        )}
      </Field>
      {!isRunning && (
        <Field label={words.time.endsAt}>
          {(ids) => (
            <Input
              {...ids}
              type="datetime-local"
              required
              value={draft.end}
              onChange={({ target }) => onChange({ end: target.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}

const draftOf = ({ startedAt, endedAt, description, taskId }: BodyOf<"timeEntry">): Draft => ({
  start: wallOf(startedAt),
  end: endedAt === null ? "" : wallOf(endedAt),
  what: description,
  taskId,
});

/** Only what was changed: a field shows minutes, and leaving it alone must not cut the seconds off. */
const changesOf = (first: Draft, draft: Draft): TimeChange => ({
  ...(draft.start !== first.start && { startedAt: instantOfWall(draft.start) }),
  ...(draft.end !== first.end && { endedAt: instantOfWall(draft.end) }),
  ...(draft.what !== first.what && { description: draft.what }),
  ...(draft.taskId !== first.taskId && { taskId: draft.taskId }),
});

function faultOf({ startedAt, endedAt }: Pick<BodyOf<"timeEntry">, "startedAt" | "endedAt">): string | null {
  if (endedAt !== null && endedAt <= startedAt) return words.time.endsBeforeStart;
  if (startedAt > nowInstant()) return words.time.startsInFuture;
  return endedAt !== null && endedAt > nowInstant() ? words.time.inFuture : null;
}

/** Gives a command of a form. What the server refuses is said in the form, which stays open with what was typed. */
export async function saveTime(
  command: JournalCommand,
  form: { readonly onWrong: (message: string) => void; readonly onDone: () => void },
): Promise<void> {
  let isRefused = false;
  await run(command, {
    onRefused: ({ message }) => {
      isRefused = true;
      form.onWrong(message === "" ? words.errors.write : message);
      return true;
    },
  });
  if (!isRefused) form.onDone();
}

export function SaveButtons({ onCancel }: { readonly onCancel: () => void }): ReactNode {
  return (
    <div className={styles["buttons"]}>
      <Button tone="main" type="submit" size="small">
        {words.actions.save}
      </Button>
      <Button tone="quiet" size="small" onClick={onCancel}>
        {words.actions.cancel}
      </Button>
    </div>
  );
}
