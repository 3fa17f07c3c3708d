import { useQuery } from "@tanstack/react-query";
import type { WorkDetailBody, WorkSummaryBody } from "#model";
import { loadOrKept, readOf, type JournalRead } from "../data/reads.ts";
import { send } from "../wire/http.ts";

/** Under the key of Review: whatever changes a run is told as a change of what there is to review. */
const workKey = ["review", "work"] as const;
const LIST = "/api/work";
/** A program prints whenever it likes, and only what is asked for comes: often enough to be lively, seldom enough to be calm. */
const POLL_MS = 1000;

type Listed = { readonly runs: readonly WorkSummaryBody[] };

/** Every run there was lately, newest first; those that wait or run among them. */
export function useWork(): readonly WorkSummaryBody[] {
  const read = useQuery({
    queryKey: [...workKey, "list"],
    queryFn: () => loadOrKept(LIST, () => send<Listed>(LIST, { method: "GET" })),
    refetchOnWindowFocus: "always",
  });
  return read.data?.answer.runs ?? NONE;
}
const NONE: readonly WorkSummaryBody[] = [];

export const isOver = ({ run }: Pick<WorkSummaryBody, "run">): boolean => run.ended_at !== null;

/** The run of a request, as the list has it; null when its plan does not run. */
export function useRunOf(requestId: string): WorkSummaryBody | null {
  return useWork().find((one) => one.request_id === requestId) ?? null;
}

/** One run with its ledger, asked again while it is on its way and the page is in sight. */
export function useRun(id: string): JournalRead<WorkDetailBody> {
  const address = `${LIST}/${encodeURIComponent(id)}`;
  const read = useQuery({
    queryKey: [...workKey, "run", id],
    queryFn: () => loadOrKept(address, () => send<WorkDetailBody>(address, { method: "GET" })),
    refetchInterval: ({ state }) =>
      state.data !== undefined && !isOver(state.data.answer) && state.data.keptAtMs === null ? POLL_MS : false,
  });
  return readOf(read);
}
