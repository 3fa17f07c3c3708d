import { useState, type ReactNode } from "react";
import { Link, Redirect, useLocation } from "wouter";
import type { RecordId, TaskDetail } from "#model";
import { run } from "../data/commands.ts";
import { useOutbox } from "../data/outbox.ts";
import { useJournal } from "../data/reads.ts";
import { isPendingId } from "../data/stand-in.ts";
import { Button } from "../parts/button.tsx";
import { More } from "../parts/menu.tsx";
import { RatingScale } from "../parts/rating-scale.tsx";
import { Empty, Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { Line } from "../parts/text.tsx";
import { today } from "../time/clock.ts";
import { dateTime } from "../time/format.ts";
import { words } from "../words.ts";
import { Checklists } from "./checklists.tsx";
import { ConflictSheet } from "./conflict-sheet.tsx";
import { FollowUp } from "./follow-up.tsx";
import { PendingTask } from "./pending-task.tsx";
import { taskActions } from "./row-menu.tsx";
import { Section } from "./section.tsx";
import { TaskEntries } from "./task-entries.tsx";
import { TaskLinks } from "./task-links.tsx";
import { TaskTime } from "./task-time.tsx";
import { BackLink, TaskValues } from "./task-values.tsx";
import styles from "./task-detail.module.css";

type PaneProps = { readonly id: RecordId; readonly search: URLSearchParams };

export function TaskDetailPane({ id, search }: PaneProps): ReactNode {
  const suffix = search.size === 0 ? "" : `?${search}`;
  const realId = useOutbox((state) => state.realIds.get(id));
  if (realId !== undefined) return <Redirect to={`/tasks/${realId}${suffix}`} replace />;
  const back = `/tasks${suffix}`;
  return isPendingId(id) ? <PendingTask id={id} back={back} /> : <StoredTask id={id} back={back} />;
}

function StoredTask({ id, back }: { readonly id: RecordId; readonly back: string }): ReactNode {
  const read = useJournal({ kind: "task", id });
  return (
    <aside className={styles["pane"]} aria-label={read.data?.task.body.title ?? words.task.details}>
      <div className={styles["inside"]}>
        {read.error !== null && <Failure error={read.error} onRetry={read.retry} />}
        {read.data === undefined && read.error === null && <Skeleton label={words.tasks.loading} />}
        {read.data === null && (
          <Empty text={words.task.missing}>
            <Link href={back}>{words.task.back}</Link>
          </Empty>
        )}
        {read.data != null && (
          <>
            <h1 className={styles["name"]}>
              <Line text={read.data.task.body.title} />
            </h1>
            <Head detail={read.data} back={back} />
            <KeptNotice atMs={read.keptAtMs} />
            <Body detail={read.data} />
          </>
        )}
      </div>
    </aside>
  );
}

function Head({ detail, back }: { readonly detail: TaskDetail; readonly back: string }): ReactNode {
  const [, navigate] = useLocation();
  const [isFollowing, setFollowing] = useState(false);
  const { id, body } = detail.task;
  const isConcluded = body.concludedAt !== null;
  const onDeleted = (): void => navigate(back);
  return (
    <div className={styles["head"]}>
      <BackLink back={back} />
      <div className={styles["actions"]}>
        <Button size="small" onClick={() => setFollowing(true)}>
          {words.task.followUp}
        </Button>
        {isConcluded ? (
          <Button size="small" onClick={() => void run({ kind: "task.reopen", id })}>
            {words.task.reopen}
          </Button>
        ) : (
          <Button
            size="small"
            tone="main"
            onClick={() =>
              void run(
                { kind: "task.conclude", id, as: "DONE", today: today() },
                { done: words.done.concluded(body.title) },
              )
            }
          >
            {words.task.conclude}
          </Button>
        )}
        <More rows={taskActions(detail, onDeleted)} />
      </div>
      {isFollowing && <FollowUp detail={detail} onClose={() => setFollowing(false)} />}
    </div>
  );
}

function Body({ detail }: { readonly detail: TaskDetail }): ReactNode {
  const { id, body, createdAt } = detail.task;
  return (
    <>
      <TaskValues detail={detail} focus={location.hash === "#edit" ? "at_once" : "later"}>
        <Checklists detail={detail} />
      </TaskValues>
      <TaskTime detail={detail} />
      <TaskEntries detail={detail} />
      <TaskLinks detail={detail} />
      <Section title={words.rating.heading}>
        <RatingScale name={`task-${id}`} targetType="task" targetId={id} rating={detail.rating} />
      </Section>
      <p className={styles["foot"]}>
        {words.task.created(dateTime(createdAt))}
        {body.concludedAt !== null && ` · ${words.task.concluded(dateTime(body.concludedAt))}`}
      </p>
      <ConflictSheet />
    </>
  );
}
