import type { ReactNode } from "react";
import type { RecordId, RecordOf } from "#model";
import { isPendingId } from "../data/stand-in.ts";
import { useJournal, useTaskTitle } from "../data/reads.ts";
import { Field, Select } from "../parts/field.tsx";
import { useToday } from "../time/clock.ts";
import { words } from "../words.ts";

type SelectProps = {
  readonly label: string;
  readonly taskId: RecordId | null;
  readonly onChoose: (id: RecordId | null) => void;
  /** Offered before the other open tasks. */
  readonly first?: readonly RecordOf<"task">[];
};

const NONE: readonly RecordOf<"task">[] = [];

/** The task something belongs to, or none. One that is named already stays in the list when it was concluded since. */
export function TaskSelect({ label, taskId, onChoose, first = NONE }: SelectProps): ReactNode {
  const today = useToday();
  const { data } = useJournal({ kind: "tasks", view: "open", today, limit: 200 });
  const open = (data?.rows ?? []).map((row) => row.task).filter((task) => !first.some(({ id }) => id === task.id));
  const offered = [...first, ...open].filter((task) => !isPendingId(task.id));
  const isOffered = taskId === null || offered.some(({ id }) => id === taskId);
  const named = useTaskTitle(isOffered ? null : taskId);
  return (
    <Field label={label}>
      {(ids) => (
        <Select
          {...ids}
          value={taskId ?? ""}
          onChange={({ target }) => onChoose((target.value || null) as RecordId | null)}
        >
          <option value="">{words.day.noTask}</option>
          {!isOffered && <option value={taskId}>{named ?? words.links.gone}</option>}
          {offered.map((task) => (
            <option key={task.id} value={task.id}>
              {task.body.title}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
