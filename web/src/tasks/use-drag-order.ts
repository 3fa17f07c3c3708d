import { useState, type PointerEvent } from "react";
import type { RecordId, TaskRow } from "#model";
import { placeTask } from "./move-task.ts";

type DropAt = { readonly index: number; readonly side: "before" | "after" };
type Handle = {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: () => void;
  readonly onPointerCancel: () => void;
};

/** Reordering with the pointer. The same can be done with Alt and the arrow keys, and from the row's menu. */
export function useDragOrder(rows: readonly TaskRow[]): {
  readonly draggedId: RecordId | null;
  readonly droppedId: RecordId | null;
  readonly dropAt: DropAt | null;
  readonly handleOf: (id: RecordId) => Handle;
} {
  const [draggedId, setDragged] = useState<RecordId | null>(null);
  const [droppedId, setDropped] = useState<RecordId | null>(null);
  const [dropAt, setDropAt] = useState<DropAt | null>(null);
  const stop = (): void => {
    setDragged(null);
    setDropAt(null);
  };
  const handleOf = (id: RecordId): Handle => ({
    onPointerDown: (event) => {
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      setDragged(id);
    },
    onPointerMove: (event) => {
      if (draggedId === id) setDropAt(placeUnder(event));
    },
    onPointerUp: () => {
      const moved = rows.find((row) => row.task.id === id);
      if (draggedId === id && dropAt !== null && moved !== undefined) {
        const before = dropAt.side === "before" ? dropAt.index - 1 : dropAt.index;
        void placeTask(moved, rows[before]?.task.id ?? null);
        setDropped(id);
      }
      stop();
    },
    onPointerCancel: stop,
  });
  return { draggedId, droppedId, dropAt, handleOf };
}

function placeUnder({ clientX, clientY }: PointerEvent): DropAt | null {
  const row = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-index]");
  if (row == null) return null;
  const { top, height } = row.getBoundingClientRect();
  return { index: Number(row.dataset["index"]), side: clientY < top + height / 2 ? "before" : "after" };
}
