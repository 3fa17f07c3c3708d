import { X } from "lucide-react";
import { Toast } from "radix-ui";
import type { ReactNode } from "react";
import { undo } from "../data/commands.ts";
import { dropToast, useUi, type ToastRow } from "../ui-state.ts";
import { words } from "../words.ts";
import styles from "./toasts.module.css";

const SHOWN_MS = 8000;

export function Toasts(): ReactNode {
  const toasts = useUi((state) => state.toasts);
  return (
    <Toast.Provider duration={SHOWN_MS} swipeDirection="down">
      {toasts.map((row) => (
        <Row key={row.key} row={row} />
      ))}
      <Toast.Viewport className={styles["viewport"]} />
    </Toast.Provider>
  );
}

function Row({ row }: { readonly row: ToastRow }): ReactNode {
  const { undo: operationId } = row;
  return (
    <Toast.Root
      className={styles["toast"]}
      data-tone={row.tone}
      type="foreground"
      onOpenChange={(open) => {
        if (!open) dropToast(row.key);
      }}
    >
      <Toast.Description className={styles["text"]}>{row.text}</Toast.Description>
      {operationId !== null && (
        <Toast.Action altText={words.undo.hint} className={styles["undo"]} onClick={() => void undo(operationId)}>
          {words.actions.undo} <kbd>u</kbd>
        </Toast.Action>
      )}
      <Toast.Close aria-label={words.actions.close} className={styles["close"]}>
        <X size={16} aria-hidden />
      </Toast.Close>
    </Toast.Root>
  );
}
