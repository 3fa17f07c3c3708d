import { useEffect } from "react";
import { create } from "zustand";
import type { ActivityItem } from "#model";

/** Whoever was gone for less has missed nothing to speak of. */
const AWAY_MS = 3_600_000;
const NOTED_EVERY_MS = 60_000;
const KEY = "silas.last_here";

/** Since when nobody was here, as this browser knows it; null when nobody was away. */
export const useAway = create<{ readonly sinceMs: number | null }>(() => ({ sinceMs: null }));

type Presence = { readonly lastMs: number | null; readonly nowMs: number };

/** The end of the time before, if it was over for long. A clock that was set back says nothing. */
export const awaySince = ({ lastMs, nowMs }: Presence): number | null =>
  lastMs !== null && nowMs - lastMs > AWAY_MS ? lastMs : null;

type AwaySummary = { readonly count: number; readonly failed: number };

/** What happened after that; null when nothing did. */
export function summaryOf(items: readonly ActivityItem[], sinceMs: number): AwaySummary | null {
  const since = items.filter(({ at }) => Date.parse(at) > sinceMs);
  if (since.length === 0) return null;
  return { count: since.length, failed: since.filter(({ state }) => state !== "done").length };
}

/** Notes now and then that somebody is here, as long as the page is in sight. */
export function usePresence(): void {
  useEffect(() => {
    const note = (): void => {
      if (document.visibilityState !== "visible") return;
      const nowMs = Date.now();
      const kept = Number(localStorage.getItem(KEY) ?? Number.NaN);
      const sinceMs = awaySince({ lastMs: Number.isFinite(kept) ? kept : null, nowMs });
      if (sinceMs !== null) useAway.setState({ sinceMs });
      localStorage.setItem(KEY, String(nowMs));
    };
    note();
    const timer = setInterval(note, NOTED_EVERY_MS);
    document.addEventListener("visibilitychange", note);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", note);
    };
  }, []);
}
