import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { DecisionRowBody, DecisionsSummaryBody, ShownRequestBody } from "#model";
import { loadOrKept, queryClient, ReadFailure, readOf, type JournalRead } from "../data/reads.ts";
import { UNREACHABLE, send } from "../wire/http.ts";

const reviewKey = ["review"] as const;
const SUMMARY = "/api/approvals/summary";
const SHOW = "/api/approvals/show";

/**
 * After every decision made here, and whenever the server says that something changed. The whole of a request is not
 * read again by it: what it says never changes, and when its state does, the summary says so.
 */
export const invalidateReview = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: reviewKey, predicate: ({ queryKey }) => queryKey[1] !== "request" });

/** What waits, what was missed and what was decided lately, without the plans themselves. Starts no clock. */
export function useSummary(): JournalRead<DecisionsSummaryBody> {
  const read = useQuery({
    queryKey: [...reviewKey, "summary"],
    queryFn: () => loadOrKept(SUMMARY, () => send<DecisionsSummaryBody>(SUMMARY, { method: "GET" })),
    // Several parts of the page show it; the server says when it is old.
    refetchOnWindowFocus: "always",
  });
  return readOf(read);
}

/** What was decided here is out of the queue at once; the server's own list follows. */
export function dropPending(id: string): void {
  queryClient.setQueryData<SummaryRead>([...reviewKey, "summary"], (before) =>
    before === undefined
      ? before
      : {
          ...before,
          answer: { ...before.answer, pending: before.answer.pending.filter((row) => row.request_id !== id) },
        },
  );
}
type SummaryRead = { readonly answer: DecisionsSummaryBody; readonly keptAtMs: number | null };

/**
 * The whole of one request. Asking for it makes it the active card and starts its clock, so it is asked for only while
 * the page is in sight, and again only when its own state is another.
 */
export function useRequest(id: string | null, state: DecisionRowBody["state"] | null): JournalRead<ShownRequestBody> {
  const isVisible = useVisible();
  const read = useQuery({
    queryKey: [...reviewKey, "request", id, state],
    queryFn: () => load(id ?? ""),
    enabled: id !== null && isVisible,
    staleTime: Infinity,
    placeholderData: (before) => (before?.answer.request_id === id ? before : undefined),
  });
  return readOf(read);
}

/** The whole of one request from the server, which starts its clock. */
export const showRequest = (id: string) => send<ShownRequestBody>(SHOW, { method: "POST", json: { request_id: id } });

/** Only the last one shown is kept for the time without a connection. */
async function load(id: string) {
  const read = await loadOrKept(SHOW, () => showRequest(id));
  if (read.answer.request_id === id) return read;
  throw new ReadFailure({ code: UNREACHABLE, message: "", errorId: null, facts: {} });
}

function useVisible(): boolean {
  const [isVisible, setIsVisible] = useState(() => document.visibilityState === "visible");
  useEffect(() => {
    const look = (): void => setIsVisible(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return isVisible;
}
