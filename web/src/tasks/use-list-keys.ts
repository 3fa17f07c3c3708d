import { useLayoutEffect } from "react";
import { useLocation } from "wouter";
import type { TaskRow } from "#model";
import { expectField } from "../shell/field-coming.ts";
import { isSingleKeyBlocked } from "../shell/use-keys.ts";
import { moveTask } from "./move-task.ts";
import { conclude } from "./task-line.tsx";
import { titleFieldId } from "./task-values.tsx";

type ListKeys = {
  readonly rows: readonly TaskRow[];
  readonly suffix: string;
  readonly canOrder: boolean;
  readonly scrollTo: (index: number) => void;
};

/** Puts the focus on a task of the list once it is on the screen. */
export function focusTask(id: string): void {
  requestAnimationFrame(() => {
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-task-link="${CSS.escape(id)}"]`)?.focus());
  });
}

const indexInFocus = (): number => {
  const row = document.activeElement?.closest<HTMLElement>("[data-index]");
  return row?.dataset["index"] === undefined ? -1 : Number(row.dataset["index"]);
};

/** j and k move, x concludes, e edits; Alt with an arrow moves the task itself. */
export function useListKeys({ rows, suffix, canOrder, scrollTo }: ListKeys): void {
  const [, navigate] = useLocation();
  useLayoutEffect(() => {
    const goTo = (index: number): void => {
      const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
      if (row === undefined) return;
      scrollTo(rows.indexOf(row));
      focusTask(row.task.id);
    };
    const edit = (id: string): void => {
      const field = document.getElementById(titleFieldId(id));
      if (field !== null) return field.focus();
      expectField();
      navigate(`/tasks/${id}${suffix}#edit`);
    };
    const onKey = (event: KeyboardEvent): void => {
      const index = indexInFocus();
      const row = rows[index];
      const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : null;
      if (event.altKey && by !== null && canOrder && row !== undefined) {
        event.preventDefault();
        void moveTask({ rows, index, by });
        focusTask(row.task.id);
        return;
      }
      if (isSingleKeyBlocked(event)) return;
      if (event.key === "j") goTo(index + 1);
      else if (event.key === "k") goTo(index === -1 ? 0 : index - 1);
      else if (event.key === "x" && row !== undefined) {
        conclude(row);
        goTo(index + 1);
      } else if (event.key === "e" && row !== undefined) edit(row.task.id);
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [rows, suffix, canOrder, navigate, scrollTo]);
}
