import { X } from "lucide-react";
import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { words } from "../words.ts";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import styles from "./sheet.module.css";

type SheetProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly wide?: "wide" | "usual";
  /** A sheet without a visible head still has its title for those who cannot see it. */
  readonly head?: "shown" | "spoken";
};

/**
 * A modal sheet: from the bottom on a phone, in the middle elsewhere. The platform's own dialog keeps the focus inside,
 * closes on Escape and gives the focus back; it needs no injected style, which the page's policy would refuse.
 */
export function Sheet({ title, onClose, children, wide = "usual", head = "shown" }: SheetProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the page is painted, and before the element is taken away: a dialog that is no longer in the page cannot give
  // the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    // The platform would take the first control; a sheet may name a better one.
    element?.querySelector<HTMLElement>("[data-focus-first]")?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={classes(styles["sheet"], styles[wide])}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className={styles["inside"]}>
        <div className={head === "shown" ? styles["head"] : "hidden-visually"}>
          <h2 id={titleId}>{title}</h2>
          {head === "shown" && (
            <IconButton label={words.actions.close} onClick={onClose}>
              <X size={20} aria-hidden />
            </IconButton>
          )}
        </div>
        {children}
      </div>
    </dialog>
  );
}
