import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import type { DayView, RecordOf } from "#model";
import { run } from "../data/commands.ts";
import { isPendingId } from "../data/stand-in.ts";
import { useJournal, useTaskTitle } from "../data/reads.ts";
import { Line } from "../parts/text.tsx";
import { useLatest } from "../parts/use-latest.ts";
import { instantOf } from "../time/clock.ts";
import { clockOfMinutes } from "../time/format.ts";
import { announce } from "../ui-state.ts";
import { words } from "../words.ts";
import { removeBlock, type BlockDraft } from "./block-editor.tsx";
import { HOUR_PX, moveStretch, resizeStretch, snap, type Placed, type Stretch } from "./lanes.ts";
import styles from "./timeline.module.css";

const SETTLE_MS = 500;

type BlockProps = {
  readonly day: DayView;
  readonly placed: Placed<Stretch & { readonly block: RecordOf<"planBlock"> }>;
  readonly onEdit: (draft: BlockDraft) => void;
};

/** One block: arrows and the pointer move it, Shift and arrows or its lower edge change its length. */
export function Block({ day, placed, onEdit }: BlockProps): ReactNode {
  const { block, lane, lanes } = placed;
  const { body, id } = block;
  const { shown, change, commit } = useMovingStretch(day, block, placed);
  const drag = useDrag({ shown, change, commit });
  const title = useBlockTitle(day, body);
  const range = words.day.range(clockOfMinutes(shown.start), clockOfMinutes(shown.end));
  const edit = (): void => onEdit({ id, taskId: body.taskId, categoryId: body.categoryId, note: body.note, ...shown });
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowUp" ? -15 : event.key === "ArrowDown" ? 15 : null;
    if (step !== null) {
      event.preventDefault();
      change(event.shiftKey ? resizeStretch(shown, step) : moveStretch(shown, step));
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      commit();
      edit();
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      removeBlock(day, id);
    }
  };
  const height = ((shown.end - shown.start) / 60) * HOUR_PX;
  return (
    <div
      role="button"
      tabIndex={0}
      className={styles["block"]}
      aria-describedby="block-help"
      aria-disabled={isPendingId(id) || undefined}
      data-size={height < 40 ? "small" : "usual"}
      data-block={id}
      style={{
        top: (shown.start / 60) * HOUR_PX,
        height: Math.max(height - 2, 18),
        left: `${(lane / lanes) * 100}%`,
        width: `calc(${100 / lanes}% - 4px)`,
      }}
      onKeyDown={isPendingId(id) ? undefined : onKeyDown}
      onBlur={commit}
      onDoubleClick={edit}
      onClick={(event) => {
        // A finger has no keys and must be able to scroll; its press opens the editor, where everything can be set.
        if (event.nativeEvent instanceof PointerEvent && event.nativeEvent.pointerType === "touch") edit();
      }}
      {...drag.move}
    >
      <span className={styles["what"]}>
        <Line text={title} />
      </span>
      <span className={styles["when"]}>{range}</span>
      <span className={styles["edge"]} aria-hidden {...drag.resize} />
    </div>
  );
}

function useBlockTitle(day: DayView, body: RecordOf<"planBlock">["body"]): string {
  const known = day.pinned.find((row) => row.task.id === body.taskId)?.task;
  const other = useTaskTitle(known === undefined ? body.taskId : null);
  const { data: categories } = useJournal({ kind: "categories" });
  const category = categories?.find((each) => each.id === body.categoryId)?.body.name;
  return known?.body.title || other || body.note || category || words.day.untitled;
}

type Moving = {
  readonly shown: Stretch;
  readonly change: (next: Stretch) => void;
  readonly commit: () => void;
};

/** Follows the keys or the pointer at once, and saves when they rest: one change, one step to undo. */
function useMovingStretch(day: DayView, block: RecordOf<"planBlock">, saved: Stretch): Moving {
  const [draft, setDraft] = useState<Stretch | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(draft);
  const commit = (): void => {
    clearTimeout(timer.current);
    const next = latest.current;
    if (next === null) return;
    latest.current = null;
    const { categoryId, taskId, note } = block.body;
    const times = { startTime: instantOf(day.date, next.start), endTime: instantOf(day.date, next.end) };
    announce(words.day.blockMoved(words.day.range(clockOfMinutes(next.start), clockOfMinutes(next.end))));
    void run({
      kind: "plan.blocks",
      planDate: day.date,
      upserts: [{ id: block.id, categoryId, taskId, note, ...times }],
      deletes: [],
    }).then(() => setDraft((now) => (now === next ? null : now)));
  };
  const latestCommit = useLatest(commit);
  useEffect(() => () => latestCommit.current(), [latestCommit]);
  const change = (next: Stretch): void => {
    latest.current = next;
    setDraft(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latestCommit.current(), SETTLE_MS);
  };
  return { shown: draft ?? { start: saved.start, end: saved.end }, change, commit };
}

type Handlers = {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: () => void;
};

function useDrag({ shown, change, commit }: Moving): { readonly move: Handlers; readonly resize: Handlers } {
  const grip = useRef<{ readonly y: number; readonly from: Stretch; readonly as: "move" | "resize" } | null>(null);
  const handlers = (as: "move" | "resize"): Handlers => ({
    onPointerDown: (event) => {
      if (event.button !== 0 || (as === "move" && event.pointerType === "touch")) return;
      event.stopPropagation();
      event.currentTarget.setPointerCapture(event.pointerId);
      grip.current = { y: event.clientY, from: shown, as };
    },
    onPointerMove: (event) => {
      const held = grip.current;
      if (held === null || held.as !== as) return;
      const by = snap(((event.clientY - held.y) / HOUR_PX) * 60);
      if (by !== 0 || shown !== held.from)
        change(as === "move" ? moveStretch(held.from, by) : resizeStretch(held.from, by));
    },
    onPointerUp: () => {
      if (grip.current?.as !== as) return;
      grip.current = null;
      commit();
    },
  });
  return { move: handlers("move"), resize: handlers("resize") };
}
