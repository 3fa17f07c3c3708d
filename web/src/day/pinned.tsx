import type { ReactNode } from "react";
import type { DayView, RecordId } from "#model";
import { run } from "../data/commands.ts";
import { useJournal } from "../data/reads.ts";
import { Select } from "../parts/field.tsx";
import { More } from "../parts/menu.tsx";
import { TaskLine } from "../tasks/task-line.tsx";
import { useToday } from "../time/clock.ts";
import { announce } from "../ui-state.ts";
import { words } from "../words.ts";
import styles from "./day.module.css";

export function Pinned({ day }: { readonly day: DayView }): ReactNode {
  const { pinned, date } = day;
  const ids = pinned.map((row) => row.task.id);
  const move = (index: number, by: -1 | 1): void => {
    const order = [...ids];
    const [moved] = order.splice(index, 1);
    if (moved === undefined) return;
    order.splice(index + by, 0, moved);
    void run({ kind: "plan.reorder", planDate: date, taskIds: order });
    announce(words.tasks.moved(pinned[index]?.task.body.title ?? "", index + by + 1, ids.length));
  };
  const unpin = (id: RecordId, title: string): void =>
    void run({ kind: "plan.unpin", planDate: date, taskIds: [id] }, { done: words.done.unpinned(title) });
  return (
    <section className={styles["card"]} data-kind="list">
      <h2>{words.day.pinned}</h2>
      {pinned.length === 0 && <p className={styles["soft"]}>{words.day.nothingPinned}</p>}
      <ul className={styles["pinned"]}>
        {pinned.map((row, index) => (
          <li key={row.task.id}>
            <TaskLine
              row={row}
              trailing={
                <More
                  rows={[
                    ...(index > 0 ? [{ text: words.actions.moveUp, run: () => move(index, -1) }] : []),
                    ...(index < ids.length - 1 ? [{ text: words.actions.moveDown, run: () => move(index, 1) }] : []),
                    { text: words.day.unpin, run: () => unpin(row.task.id, row.task.body.title) },
                  ]}
                />
              }
            />
          </li>
        ))}
      </ul>
      <PinChoice day={day} />
    </section>
  );
}

function PinChoice({ day }: { readonly day: DayView }): ReactNode {
  const today = useToday();
  const { data } = useJournal({ kind: "tasks", view: "open", today, limit: 200 });
  const pinned = new Set(day.pinned.map((row) => row.task.id));
  const open = data?.rows.filter((row) => !pinned.has(row.task.id) && !row.task.id.startsWith("pending.")) ?? [];
  if (open.length === 0) return null;
  return (
    <Select
      aria-label={words.day.pin}
      value=""
      onChange={({ target }) => void run({ kind: "plan.pin", planDate: day.date, taskIds: [target.value as RecordId] })}
    >
      <option value="">{words.day.pin}</option>
      {open.map((row) => (
        <option key={row.task.id} value={row.task.id}>
          {row.task.body.title}
        </option>
      ))}
    </Select>
  );
}
