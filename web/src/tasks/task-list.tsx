import { GripVertical } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { WindowVirtualizer, type WindowVirtualizerHandle } from "virtua";
import type { JournalQuery, TaskRow } from "#model";
import { isPendingId } from "../data/stand-in.ts";
import { useJournalPages } from "../data/reads.ts";
import { Button } from "../parts/button.tsx";
import { Empty, Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { openSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import { moveTask } from "./move-task.ts";
import { RowMenu } from "./row-menu.tsx";
import { TaskLine } from "./task-line.tsx";
import styles from "./tasks.module.css";
import { useDragOrder } from "./use-drag-order.ts";
import { focusTask, useListKeys } from "./use-list-keys.ts";

type ListProps = {
  readonly query: Extract<JournalQuery, { kind: "tasks" }>;
  readonly openId: string | null;
  readonly search: URLSearchParams;
};

export function TaskList({ query, openId, search }: ListProps): ReactNode {
  const read = useJournalPages(query);
  if (read.error !== null) return <Failure error={read.error} onRetry={read.retry} />;
  if (read.data === undefined) return <Skeleton label={words.tasks.loading} rows={7} />;
  const { rows } = read.data;
  if (rows.length === 0) {
    return (
      <>
        <KeptNotice atMs={read.keptAtMs} />
        <Empty text={words.tasks.empty[query.view]}>
          <Button onClick={() => openSheet({ kind: "capture", as: "task" })}>{words.tasks.emptyAction}</Button>
        </Empty>
      </>
    );
  }
  return (
    <>
      <KeptNotice atMs={read.keptAtMs} />
      <Rows rows={rows} view={query.view} openId={openId} search={search} onEnd={read.more} />
    </>
  );
}

type RowsProps = {
  readonly rows: readonly TaskRow[];
  readonly view: ListProps["query"]["view"];
  readonly openId: string | null;
  readonly search: URLSearchParams;
  readonly onEnd: () => void;
};

function Rows({ rows, view, openId, search, onEnd }: RowsProps): ReactNode {
  const list = useRef<WindowVirtualizerHandle>(null);
  // The other views are sorted by date; an order of one's own exists only in these.
  const canOrder = view === "open" || view === "inbox";
  const suffix = search.size === 0 ? "" : `?${search}`;
  useListKeys({
    rows,
    suffix,
    canOrder,
    scrollTo: (index) => list.current?.scrollToIndex(index, { align: "nearest" }),
  });
  const drag = useDragOrder(rows);
  useEffect(() => {
    if (drag.droppedId !== null) focusTask(drag.droppedId);
  }, [drag.droppedId]);
  const onScroll = (): void => {
    const handle = list.current;
    if (handle !== null && handle.findItemIndex(handle.scrollOffset + handle.viewportSize) > rows.length - 20) onEnd();
  };
  return (
    <div className={styles["rows"]} data-testid="task-list">
      <WindowVirtualizer ref={list} as="ul" item="li" onScroll={onScroll}>
        {rows.map((row, index) => (
          <div
            key={row.task.id}
            className={styles["row"]}
            data-index={index}
            data-task={row.task.id}
            data-drop={drag.dropAt?.index === index ? drag.dropAt.side : undefined}
            data-dragging={drag.draggedId === row.task.id ? "yes" : undefined}
          >
            <TaskLine
              row={row}
              href={`/tasks/${row.task.id}${suffix}`}
              isOpen={openId === row.task.id ? "open" : "closed"}
              trailing={
                !isPendingId(row.task.id) && (
                  <>
                    {canOrder && (
                      <span
                        className={styles["handle"]}
                        title={words.tasks.drag(row.task.body.title)}
                        {...drag.handleOf(row.task.id)}
                      >
                        <GripVertical size={16} aria-hidden />
                      </span>
                    )}
                    <RowMenu row={row} onMove={canOrder ? (by) => void moveTask({ rows, index, by }) : null} />
                  </>
                )
              }
            />
          </div>
        ))}
      </WindowVirtualizer>
    </div>
  );
}
