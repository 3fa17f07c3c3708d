import { Pencil, Play, Square, Trash2 } from "lucide-react";
import { useState, type FormEvent, type ReactNode } from "react";
import type { RecordOf, TaskDetail } from "#model";
import { run } from "../data/commands.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Field, Input } from "../parts/field.tsx";
import { Line } from "../parts/text.tsx";
import { useEditing } from "../parts/use-editing.ts";
import { Elapsed } from "../shell/timer-chip.tsx";
import {
  instantOf,
  localDateOf,
  localTimeOf,
  minutesOfTime,
  nowInstant,
  today,
  useNow,
  useToday,
} from "../time/clock.ts";
import { clockTime, duration, relativeDate, secondsBetween } from "../time/format.ts";
import { words } from "../words.ts";
import { Section } from "./section.tsx";
import { startTimer } from "./task-line.tsx";
import styles from "./task-time.module.css";
import { SaveButtons, saveTime, TimeEditor } from "./time-editor.tsx";

type TimeProps = { readonly detail: TaskDetail };

export function TaskTime({ detail }: TimeProps): ReactNode {
  const [isAdding, setAdding] = useState(false);
  return (
    <Section title={words.time.heading} aside={<TimerSwitch detail={detail} />}>
      <Balance detail={detail} />
      <ul className={styles["entries"]}>
        {detail.timeEntries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      {isAdding ? (
        <AddTime detail={detail} onDone={() => setAdding(false)} />
      ) : (
        <Button size="small" tone="quiet" onClick={() => setAdding(true)}>
          {words.time.add}
        </Button>
      )}
    </Section>
  );
}

function TimerSwitch({ detail }: TimeProps): ReactNode {
  if (detail.task.body.concludedAt !== null) return null;
  if (detail.runningSince === null) {
    return (
      <Button size="small" onClick={() => void startTimer(detail.task.id)}>
        <Play size={14} aria-hidden /> {words.time.start}
      </Button>
    );
  }
  return (
    <Button size="small" tone="main" onClick={() => void run({ kind: "timer.stop", endedAt: nowInstant() })}>
      <Square size={12} fill="currentColor" aria-hidden /> {words.time.stop} <Elapsed since={detail.runningSince} />
    </Button>
  );
}

function Balance({ detail }: TimeProps): ReactNode {
  const now = useNow(30_000);
  const running = detail.runningSince === null ? 0 : secondsBetween(detail.runningSince, now);
  // `spentSeconds` counts finished entries; the running one is added here.
  const spent = detail.spentSeconds + running;
  const { estimateMinutes } = detail.task.body;
  if (spent === 0) return <p className={styles["balance"]}>{words.time.none}</p>;
  const left = estimateMinutes === null ? null : estimateMinutes * 60 - spent;
  return (
    <p className={styles["balance"]}>
      {words.time.spent} <strong>{duration(spent)}</strong>
      {left !== null && ` · ${left >= 0 ? words.time.left(duration(left)) : words.time.over(duration(-left))}`}
    </p>
  );
}

function Entry({ entry }: { readonly entry: RecordOf<"timeEntry"> }): ReactNode {
  const day = useToday();
  const { isEditing, begin, end, place } = useEditing<HTMLLIElement>();
  const { startedAt, endedAt, description } = entry.body;
  const range = `${clockTime(startedAt)}–${endedAt === null ? words.time.now : clockTime(endedAt)}`;
  return (
    <li className={styles["entry"]} ref={place}>
      <span className={styles["when"]}>
        {relativeDate(localDateOf(new Date(startedAt)), day)} <span className="mono">{range}</span>
      </span>
      <span className="mono">{endedAt === null ? "" : duration(secondsBetween(startedAt, endedAt))}</span>
      <IconButton label={words.time.change(range)} aria-expanded={isEditing} data-edit="" onClick={begin}>
        <Pencil size={16} aria-hidden />
      </IconButton>
      <IconButton
        label={words.time.delete(range)}
        onClick={() => void run({ kind: "time.delete", id: entry.id }, { done: words.done.timeDeleted })}
      >
        <Trash2 size={16} aria-hidden />
      </IconButton>
      {description !== "" && (
        <span className={styles["what"]}>
          <Line text={description} />
        </span>
      )}
      {isEditing && <TimeEditor entry={entry} onDone={end} />}
    </li>
  );
}

function AddTime({ detail, onDone }: TimeProps & { readonly onDone: () => void }): ReactNode {
  const [date, setDate] = useState<string>(today);
  const [from, setFrom] = useState<string>(() => localTimeOf(new Date(Date.now() - 3_600_000)));
  const [to, setTo] = useState<string>(() => localTimeOf(new Date()));
  const [what, setWhat] = useState("");
  const [wrong, setWrong] = useState<string | null>(null);
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const startedAt = instantOf(date, minutesOfTime(from));
    const endedAt = instantOf(date, minutesOfTime(to));
    if (endedAt <= startedAt) return setWrong(words.time.endsBeforeStart);
    if (endedAt > nowInstant()) return setWrong(words.time.inFuture);
    const told = { description: what, sourceEntryId: null };
    const command = { kind: "time.add", taskId: detail.task.id, startedAt, endedAt, ...told } as const;
    await saveTime(command, { onWrong: setWrong, onDone });
  };
  return (
    <form className={styles["form"]} onSubmit={(event) => void save(event)}>
      <Field label={words.time.date}>
        {(ids) => (
          <Input
            {...ids}
            type="date"
            required
            autoFocus
            max={today()}
            value={date}
            onChange={({ target }) => setDate(target.value)}
          />
        )}
      </Field>
      <Field label={words.time.from}>
        {(ids) => <Input {...ids} type="time" required value={from} onChange={({ target }) => setFrom(target.value)} />}
      </Field>
      <Field label={words.time.to} wrong={wrong}>
        {(ids) => <Input {...ids} type="time" required value={to} onChange={({ target }) => setTo(target.value)} />}
      </Field>
      <Field label={words.time.what}>
        {(ids) => <Input {...ids} value={what} maxLength={500} onChange={({ target }) => setWhat(target.value)} />}
      </Field>
      <SaveButtons onCancel={onDone} />
    </form>
  );
}
