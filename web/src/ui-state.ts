import { create } from "zustand";
import type { OperationId } from "#model";

/** What is open on the screen and nowhere else. */
type OpenSheet =
  | { readonly kind: "none" }
  | { readonly kind: "capture"; readonly as: "task" | "note" }
  | { readonly kind: "palette" }
  | { readonly kind: "shortcuts" }
  | { readonly kind: "more" }
  | { readonly kind: "waiting" }
  | { readonly kind: "stop" }
  | { readonly kind: "categories" };

export type ToastRow = {
  readonly key: number;
  readonly text: string;
  readonly tone: "plain" | "wrong";
  readonly undo: OperationId | null;
};

type Ui = {
  readonly sheet: OpenSheet;
  readonly toasts: readonly ToastRow[];
  readonly announcement: string;
  readonly undoable: OperationId | null;
};

export const useUi = create<Ui>(() => ({ sheet: { kind: "none" }, toasts: [], announcement: "", undoable: null }));

export const openSheet = (sheet: OpenSheet): void => useUi.setState({ sheet });
export const closeSheet = (): void => useUi.setState({ sheet: { kind: "none" } });

/** Says something to people who do not see the change. */
export const announce = (announcement: string): void => useUi.setState({ announcement });

let lastKey = 0;
export function toast(text: string, options: Partial<Pick<ToastRow, "tone" | "undo">> = {}): void {
  lastKey += 1;
  const row: ToastRow = { key: lastKey, text, tone: options.tone ?? "plain", undo: options.undo ?? null };
  useUi.setState(({ toasts, undoable }) => ({ toasts: [...toasts.slice(-2), row], undoable: row.undo ?? undoable }));
}
export const dropToast = (key: number): void =>
  useUi.setState(({ toasts }) => ({ toasts: toasts.filter((row) => row.key !== key) }));
