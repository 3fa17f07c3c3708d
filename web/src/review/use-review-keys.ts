import { useLayoutEffect } from "react";
import { isSingleKeyBlocked } from "../shell/use-keys.ts";

const rows = (): readonly HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-up-next]")];

/**
 * j and k move through what comes next, Enter comes to the card's first choice. No key decides by itself: Enter only
 * moves the focus, and a second press is a press of that control.
 */
export function useReviewKeys(): void {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isSingleKeyBlocked(event)) return;
      if (event.key === "j" || event.key === "k") moveBy(event.key === "j" ? 1 : -1);
      else if (event.key === "Enter" && !isOnControl(event.target)) focusPrimary();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

function moveBy(step: 1 | -1): void {
  const all = rows();
  const at = all.findIndex((row) => row === document.activeElement);
  all[at === -1 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)]?.focus();
}

const focusPrimary = (): void => document.querySelector<HTMLElement>("[data-primary]")?.focus();

const isOnControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("a, button, input, summary") !== null;
