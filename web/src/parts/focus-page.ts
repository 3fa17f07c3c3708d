import { useEffect, useRef } from "react";

/** Whoever pressed what is gone now goes on from the heading of the page. */
function focusPageIfLost(): void {
  if (document.activeElement === null || document.activeElement === document.body) {
    document.querySelector<HTMLElement>("main h1")?.focus();
  }
}

/**
 * For a control that goes with what it ended: once it was pressed, its going leads to the heading. When that is, is up to
 * whoever draws the page; whoever pressed cannot know.
 */
export function useFocusAfterGoing(): () => void {
  const wasPressed = useRef(false);
  useEffect(
    () => () => {
      if (wasPressed.current) focusPageIfLost();
    },
    [],
  );
  return () => {
    wasPressed.current = true;
  };
}
