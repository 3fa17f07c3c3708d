import { useEffect, useRef } from "react";
import { neutralise } from "#base";
import { announce } from "../ui-state.ts";
import { sentencesEnd } from "./sentences.ts";

/** Sentences that come faster are read out together. */
const GAP_MS = 2000;

type Reading = { readonly text: string; readonly isOpen: boolean; readonly end: string | null };

/**
 * Reads a reply out to people who do not see it grow: whole sentences while it is written, the rest and how it ended
 * when it is over. A reply that was over before this page showed it is not read out.
 */
export function useReadOut({ text, isOpen, end }: Reading): void {
  const place = useRef({ chars: 0, atMs: 0, wasOpen: false });
  useEffect(() => {
    const { current } = place;
    if (!isOpen && !current.wasOpen) return;
    const upTo = isOpen ? sentencesEnd(text) : text.length;
    const nowMs = Date.now();
    if (isOpen && (upTo <= current.chars || nowMs - current.atMs < GAP_MS)) {
      current.wasOpen = true;
      return;
    }
    const rest = [text.slice(current.chars, upTo).trim(), isOpen ? null : end];
    place.current = { chars: upTo, atMs: nowMs, wasOpen: isOpen };
    announce(neutralise(rest.filter(Boolean).join(" ")));
  }, [text, isOpen, end]);
}
