import { useEffect } from "react";
import { create } from "zustand";
import type { DecisionRowBody, DecisionsSummaryBody } from "#model";

type ReviewState = {
  /** The card that is shown now. It stays when it is decided elsewhere, so that nothing changes under a finger. */
  readonly heldId: string | null;
  /** Set by a decision made here: whatever is shown next takes the focus. */
  readonly isFocusDue: boolean;
};

const useReview = create<ReviewState>(() => ({ heldId: null, isFocusDue: false }));

export const hold = (heldId: string | null): void => useReview.setState({ heldId });
export const callFocus = (): void => useReview.setState({ isFocusDue: true });

/** True once after a decision: the caller puts the focus on its heading. */
export function takeFocusCall(): boolean {
  const { isFocusDue } = useReview.getState();
  if (isFocusDue) useReview.setState({ isFocusDue: false });
  return isFocusDue;
}

/** The card asked for by the address, else the one shown so far, else the oldest that waits. */
export function useActiveId(pending: readonly DecisionRowBody[], asked: string | null): string | null {
  const heldId = useReview((state) => state.heldId);
  const id = asked ?? heldId ?? pending[0]?.request_id ?? null;
  useEffect(() => {
    if (id !== null) hold(id);
  }, [id]);
  useEffect(() => leave, []);
  return id;
}

function leave(): void {
  hold(null);
  focusPage();
}

/** No card took the focus after a decision: the page's heading does, and one that comes later takes it from nobody. */
export function focusPage(): void {
  if (takeFocusCall()) document.querySelector<HTMLElement>("main h1")?.focus();
}

/** The one after this in the queue, else the first of the others. */
export function nextOf(pending: readonly DecisionRowBody[], id: string): DecisionRowBody | null {
  const at = pending.findIndex((row) => row.request_id === id);
  return pending[at + 1] ?? pending.find((row) => row.request_id !== id) ?? null;
}

/** How it stands with a request by what the summary says; null when it is not in it. */
export function stateOf(summary: DecisionsSummaryBody, id: string | null): DecisionRowBody["state"] | null {
  const rows = [...summary.pending, ...summary.missed, ...summary.decided];
  return rows.find((row) => row.request_id === id)?.state ?? null;
}
