import { Check, Clock3, Eye, Mic, PenLine, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { RecordId, RecordOf, TimelineRow } from "#model";
import { run } from "../data/commands.ts";
import { useIsWaiting } from "../data/outbox.ts";
import { isPendingId } from "../data/stand-in.ts";
import { useTaskTitle } from "../data/reads.ts";
import { Button } from "../parts/button.tsx";
import { Area } from "../parts/field.tsx";
import { More } from "../parts/menu.tsx";
import { Line, Paragraphs } from "../parts/text.tsx";
import { useEditing } from "../parts/use-editing.ts";
import { TimeEditor } from "../tasks/time-editor.tsx";
import { clockTime, duration, secondsBetween } from "../time/format.ts";
import { words } from "../words.ts";
import styles from "./journal.module.css";
import { momentOfRow } from "./moment-of-row.ts";

type Editing = { readonly isEditing: boolean; readonly begin: () => void; readonly end: () => void };

export function JournalRow({ row }: { readonly row: TimelineRow }): ReactNode {
  const { place, ...editing } = useEditing<HTMLElement>();
  return (
    <article className={styles["row"]} data-kind={row.kind} id={`entry-${row.id}`} ref={place}>
      <time className="mono" dateTime={momentOfRow(row)}>
        {clockTime(momentOfRow(row))}
      </time>
      <span className={styles["icon"]} aria-hidden>
        <RowIcon row={row} />
      </span>
      {row.kind === "entry" && <Note entry={row} editing={editing} />}
      {row.kind === "timeEntry" && <Worked entry={row} editing={editing} />}
      {row.kind === "task" && (
        <p className={styles["text"]}>
          {row.body.status === "DROPPED" ? words.tasks.status.DROPPED : words.journal.concludedWord}{" "}
          <Link href={`/tasks/${row.id}`}>
            <Line text={row.body.title} />
          </Link>
        </p>
      )}
    </article>
  );
}

function RowIcon({ row }: { readonly row: TimelineRow }): ReactNode {
  if (row.kind === "task") return row.body.status === "DROPPED" ? <X size={15} /> : <Check size={15} />;
  if (row.kind === "timeEntry") return <Clock3 size={15} />;
  if (row.body.form === "observed") return <Eye size={15} />;
  return row.body.form === "audio" ? <Mic size={15} /> : <PenLine size={15} />;
}

function TaskName({ id }: { readonly id: RecordId }): ReactNode {
  const title = useTaskTitle(id);
  if (title === null) return null;
  return (
    <Link href={`/tasks/${id}`}>
      <Line text={title} />
    </Link>
  );
}

type WorkedProps = { readonly entry: RecordOf<"timeEntry">; readonly editing: Editing };

function Worked({ entry, editing }: WorkedProps): ReactNode {
  const { id, body } = entry;
  if (editing.isEditing) {
    return (
      <div className={styles["editor"]}>
        <TimeEditor entry={entry} onDone={editing.end} />
      </div>
    );
  }
  const length =
    body.endedAt === null
      ? words.time.running
      : words.journal.worked(duration(secondsBetween(body.startedAt, body.endedAt)));
  return (
    <>
      <div className={styles["text"]}>
        <p>
          {length}{" "}
          {body.taskId !== null && (
            <>
              {words.journal.noteOn} <TaskName id={body.taskId} />
            </>
          )}
        </p>
        {body.description !== "" && <Paragraphs text={body.description} className={styles["said"]} />}
      </div>
      {!isPendingId(id) && (
        <More
          rows={[
            { text: words.time.edit, run: editing.begin },
            {
              text: words.time.deleteIt,
              tone: "danger",
              run: () => void run({ kind: "time.delete", id }, { done: words.done.timeDeleted }),
            },
          ]}
        />
      )}
    </>
  );
}

type NoteProps = { readonly entry: RecordOf<"entry">; readonly editing: Editing };

function Note({ entry, editing }: NoteProps): ReactNode {
  const { id, body } = entry;
  const isWaiting = useIsWaiting(id);
  if (editing.isEditing) return <NoteEditor entry={entry} onDone={editing.end} />;
  return (
    <>
      <div className={styles["text"]}>
        {body.form === "observed" && <p className={styles["kind"]}>{body.workoutType ?? words.journal.observed}</p>}
        <Paragraphs text={body.text} className={styles["said"]} />
        {body.durationSeconds !== null && <p className={styles["kind"]}>{duration(body.durationSeconds)}</p>}
        {body.taskId !== null && (
          <p className={styles["kind"]}>
            {words.journal.noteOn} <TaskName id={body.taskId} />
          </p>
        )}
        {isWaiting && <p className={styles["pending"]}>{words.tasks.waiting}</p>}
      </div>
      {!isPendingId(id) && (
        <More
          rows={[
            { text: words.journal.edit, run: editing.begin },
            {
              text: words.journal.delete,
              tone: "danger",
              run: () => void run({ kind: "entry.delete", id }, { done: words.done.noteDeleted }),
            },
          ]}
        />
      )}
    </>
  );
}

function NoteEditor({ entry, onDone }: { readonly entry: RecordOf<"entry">; readonly onDone: () => void }): ReactNode {
  const [seen] = useState(entry.body.text);
  const [text, setText] = useState(seen);
  const [theirs, setTheirs] = useState<string | null>(null);
  const save = async (was: string): Promise<void> => {
    let isRefused = false;
    await run(
      { kind: "entry.update", id: entry.id, set: { text }, was: { text: was } },
      {
        onRefused: (error) => {
          isRefused = true;
          if (error.code !== "edit_conflict") return false;
          setTheirs(String(error.facts["theirs"]));
          return true;
        },
      },
    );
    if (!isRefused) onDone();
  };
  return (
    <div className={styles["editor"]}>
      <Area
        aria-label={words.journal.edit}
        value={text}
        dir="auto"
        autoFocus
        className={styles["field"]}
        onChange={({ target }) => setText(target.value)}
      />
      {theirs !== null && (
        <div className={styles["theirs"]} role="alert">
          <p className={styles["kind"]}>{words.conflict.body(words.capture.note)}</p>
          <Paragraphs text={theirs} className={styles["said"]} />
        </div>
      )}
      <div className={styles["save"]}>
        <Button size="small" tone="main" onClick={() => void save(theirs ?? seen)}>
          {theirs === null ? words.actions.save : words.conflict.keepMine}
        </Button>
        <Button size="small" tone="quiet" onClick={onDone}>
          {theirs === null ? words.actions.cancel : words.conflict.keepTheirs}
        </Button>
      </div>
    </div>
  );
}
