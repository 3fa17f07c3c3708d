import { Check, CircleAlert, Clock3, ListChecks, Play, Repeat2, Square } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { TaskRow } from "#model";
import { run } from "../data/commands.ts";
import { useIsWaiting } from "../data/outbox.ts";
import { isPendingId } from "../data/stand-in.ts";
import { useJournal } from "../data/reads.ts";
import { IconButton } from "../parts/button.tsx";
import { classes } from "../parts/classes.ts";
import { Line } from "../parts/text.tsx";
import { Elapsed } from "../shell/timer-chip.tsx";
import { nowInstant, today, useToday } from "../time/clock.ts";
import { duration, relativeDate } from "../time/format.ts";
import { words } from "../words.ts";
import styles from "./task-line.module.css";

type LineProps = {
  readonly row: TaskRow;
  readonly href?: string;
  readonly trailing?: ReactNode;
  readonly isOpen?: "open" | "closed";
};

/** One task in a list: done or not, what, when, how much, and its timer. */
export function TaskLine({ row, href, trailing, isOpen = "closed" }: LineProps): ReactNode {
  const { task } = row;
  const isPending = isPendingId(task.id);
  const isConcluded = task.body.concludedAt !== null;
  return (
    <div className={classes(styles["line"], isConcluded && styles["concluded"])} data-open={isOpen}>
      <ConcludeBox row={row} />
      <div className={styles["main"]}>
        <Link href={href ?? `/tasks/${task.id}`} className={styles["title"]} data-task-link={task.id}>
          <Line text={task.body.title} />
        </Link>
        <Meta row={row} />
      </div>
      {!isPending && !isConcluded && <TimerButton row={row} />}
      {trailing}
    </div>
  );
}

export function conclude(row: TaskRow): void {
  const { id, body } = row.task;
  if (body.concludedAt === null) {
    void run({ kind: "task.conclude", id, as: "DONE", today: today() }, { done: words.done.concluded(body.title) });
  } else void run({ kind: "task.reopen", id });
}

function ConcludeBox({ row }: { readonly row: TaskRow }): ReactNode {
  const { body } = row.task;
  const isConcluded = body.concludedAt !== null;
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={isConcluded}
      aria-label={isConcluded ? words.tasks.reopen(body.title) : words.tasks.conclude(body.title)}
      className={styles["check"]}
      onClick={() => conclude(row)}
    >
      <span>{isConcluded && <Check size={14} strokeWidth={3} aria-hidden />}</span>
    </button>
  );
}

function Meta({ row }: { readonly row: TaskRow }): ReactNode {
  const { body, id } = row.task;
  const { itemsTotal, itemsChecked } = row;
  const isWaiting = useIsWaiting(id);
  return (
    <div className={styles["meta"]}>
      {isWaiting && <span className={styles["pending"]}>{words.tasks.waiting}</span>}
      {body.concludedAt !== null && body.status === "DROPPED" && <span>{words.tasks.status.DROPPED}</span>}
      {body.status === "IN_PROGRESS" && <span>{words.tasks.status.IN_PROGRESS}</span>}
      {body.priority !== null && (
        <span className={styles["priority"]} data-priority={body.priority}>
          <span aria-hidden>{words.tasks.prioritySign(body.priority)}</span>
          <span className="hidden-visually">{words.tasks.priority(body.priority)}</span>
        </span>
      )}
      <Due row={row} />
      <CategoryMark id={body.categoryId} />
      <Labels ids={body.labelIds} />
      {itemsTotal > 0 && (
        <span className={styles["fact"]}>
          <ListChecks size={14} aria-hidden />
          <span aria-hidden className="mono">
            {words.tasks.itemsSign(itemsChecked, itemsTotal)}
          </span>
          <span className="hidden-visually">{words.tasks.items(itemsChecked, itemsTotal)}</span>
        </span>
      )}
      <Spent row={row} />
      {body.repeat !== null && <Repeat2 size={14} role="img" aria-label={words.tasks.repeats} />}
    </div>
  );
}

function Due({ row }: { readonly row: TaskRow }): ReactNode {
  const day = useToday();
  const { dueDate, dueTime, concludedAt } = row.task.body;
  if (dueDate === null) return null;
  const text = `${relativeDate(dueDate, day)}${dueTime === null ? "" : ` ${dueTime}`}`;
  const isOverdue = dueDate < day && concludedAt === null;
  return (
    <span className={classes(styles["fact"], isOverdue && styles["overdue"])}>
      {isOverdue && <CircleAlert size={14} aria-hidden />}
      {isOverdue ? words.tasks.overdue(text) : text}
    </span>
  );
}

const CATEGORIES = { kind: "categories" } as const;
const LABELS = { kind: "labels" } as const;

function CategoryMark({ id }: { readonly id: string | null }): ReactNode {
  const { data } = useJournal(CATEGORIES);
  const category = data?.find((each) => each.id === id);
  if (category === undefined) return null;
  return (
    <span className={styles["fact"]}>
      <span className={styles["dot"]} data-colour={category.body.colour} aria-hidden />
      <Line text={category.body.name} />
    </span>
  );
}

function Labels({ ids }: { readonly ids: readonly string[] }): ReactNode {
  const { data } = useJournal(LABELS);
  return data
    ?.filter((label) => ids.includes(label.id))
    .map((label) => (
      <span key={label.id} className={styles["label"]}>
        <Line text={words.tasks.label(label.body.name)} />
      </span>
    ));
}

function Spent({ row }: { readonly row: TaskRow }): ReactNode {
  const { estimateMinutes } = row.task.body;
  if (row.spentSeconds === 0 && estimateMinutes === null) return null;
  const spent = duration(row.spentSeconds);
  const estimate = estimateMinutes === null ? null : duration(estimateMinutes * 60);
  return (
    <span className={styles["fact"]}>
      <Clock3 size={14} aria-hidden />
      {estimate === null ? spent : row.spentSeconds === 0 ? estimate : words.tasks.spentOf(spent, estimate)}
    </span>
  );
}

function TimerButton({ row }: { readonly row: TaskRow }): ReactNode {
  const { id, body } = row.task;
  if (row.runningSince !== null) {
    return (
      <button
        type="button"
        className={styles["running"]}
        onClick={() => void run({ kind: "timer.stop", endedAt: nowInstant() })}
      >
        <Square size={12} fill="currentColor" aria-hidden />
        <span className="hidden-visually">{words.tasks.stopTimer}</span>
        <Elapsed since={row.runningSince} />
      </button>
    );
  }
  const start = (): void => void startTimer(id);
  return (
    <IconButton label={words.tasks.startTimer(body.title)} onClick={start}>
      <Play size={16} aria-hidden />
    </IconButton>
  );
}

/** Starts a timer; one that runs already is stopped at the same moment, so nothing is counted twice. */
export async function startTimer(taskId: TaskRow["task"]["id"]): Promise<void> {
  const startedAt = nowInstant();
  const start = { kind: "timer.start", taskId, startedAt, description: "" } as const;
  await run(start, {
    onRefused: (error) => {
      if (error.code !== "timer_running") return false;
      void run({ kind: "timer.stop", endedAt: startedAt }).then((stopped) => stopped && run(start));
      return true;
    },
  });
}
