import { useLayoutEffect } from "react";
import { useLocation } from "wouter";
import { undoLast } from "../data/commands.ts";
import { usePreferences } from "../preferences.ts";
import { openSheet, useUi } from "../ui-state.ts";
import { FIELDS, isFieldComing } from "./field-coming.ts";
import { SURFACES } from "./surfaces.ts";

const SEQUENCE_MS = 1200;

/** True when a letter must be left to whatever has the focus, or when the owner turned single keys off. (SC 2.1.4) */
export function isSingleKeyBlocked(event: KeyboardEvent): boolean {
  if (usePreferences.getState().singleKeys === "off") return true;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return true;
  if (isFieldComing() || useUi.getState().sheet.kind !== "none") return true;
  if (document.querySelector("dialog[open], [role=menu]") !== null) return true;
  const target = event.target instanceof HTMLElement ? event.target : null;
  return target?.closest(FIELDS) != null;
}

export function useKeys(): void {
  const [, navigate] = useLocation();
  // Before the page is painted, as everywhere a key is waited for: what is in sight may be pressed.
  useLayoutEffect(() => {
    let goPressedAtMs = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
        event.preventDefault();
        openSheet({ kind: "palette" });
        return;
      }
      if (isSingleKeyBlocked(event)) return;
      const isAfterGo = event.timeStamp - goPressedAtMs < SEQUENCE_MS && goPressedAtMs > 0;
      goPressedAtMs = 0;
      if (isAfterGo) {
        const surface = SURFACES.find(({ key }) => key === event.key);
        if (surface === undefined) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        navigate(surface.path);
        return;
      }
      if (event.key === "g") goPressedAtMs = event.timeStamp;
      const action = SINGLE[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    // Capturing, so that "g j" is not also taken as the list's "j".
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [navigate]);
}

const SINGLE: { readonly [key: string]: () => void } = {
  q: () => openSheet({ kind: "capture", as: "task" }),
  "?": () => openSheet({ kind: "shortcuts" }),
  "/": () => openSheet({ kind: "palette" }),
  u: () => void undoLast(),
};
