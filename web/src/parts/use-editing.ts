import { useEffect, useRef, useState, type RefObject } from "react";

type Editing<E extends HTMLElement> = {
  readonly isEditing: boolean;
  readonly begin: () => void;
  readonly end: () => void;
  /** Goes on what stays in sight; its control marked `data-edit`, else its first button, gets the focus back. */
  readonly place: RefObject<E | null>;
};

/** Editing something where it stands. When it ends, whoever uses the keyboard is where they began. */
export function useEditing<E extends HTMLElement>(): Editing<E> {
  const [isEditing, setEditing] = useState(false);
  const place = useRef<E>(null);
  const hasBegun = useRef(false);
  useEffect(() => {
    if (!isEditing && hasBegun.current) {
      const element = place.current;
      (element?.querySelector<HTMLElement>("[data-edit]") ?? element?.querySelector("button"))?.focus();
    }
    hasBegun.current = isEditing;
  }, [isEditing]);
  return { isEditing, place, begin: () => setEditing(true), end: () => setEditing(false) };
}
