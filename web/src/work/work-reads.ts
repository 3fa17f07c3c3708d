import { useQuery } from "@tanstack/react-query";
import type { StoppedBody, WorkDetailBody, WorkListBody, WorkSummaryBody } from "#model";
import { loadOrKept, readOf, type JournalRead } from "../data/reads.ts";
import { send } from "../wire/http.ts";

/** Under the key of Review: whatever changes a run is told as a change of what there is to review. */
const workKey = ["review", "work"] as const;
const LIST = "/api/work";
/** A program prints whenever it likes, and only what is asked for comes: often enough to be lively, seldom enough to be calm. */
const POLL_MS = 1000;

/** Every run there was lately, newest first; those that wait or run among them. */
export const useWork = (): readonly WorkSummaryBody[] => useListed()?.runs ?? NONE;

/** Set while everything is stopped. */
export const useStopped = (): StoppedBody | null => useListed()?.stopped ?? null;

function useListed(): WorkListBody | undefined {
  const read = useQuery({
    queryKey: [...workKey, "list"],
    queryFn: () => loadOrKept(LIST, () => send<WorkListBody>(LIST, { method: "GET" })),
    refetchOnWindowFocus: "always",
  });
  return read.data?.answer;
}
const NONE: readonly WorkSummaryBody[] = [];

export const isOver = ({ run }: Pick<WorkSummaryBody, "run">): boolean => run.ended_at !== null;

/** The run of a request, as the list has it: the first one, not what took it back. Null when its plan does not run. */
export function useRunOf(requestId: string): WorkSummaryBody | null {
  return firstRunOf(useWork(), requestId);
}

export const firstRunOf = (runs: readonly WorkSummaryBody[], requestId: string): WorkSummaryBody | null =>
  runs.findLast((one) => one.request_id === requestId && one.project_run_id === null) ?? null;

/** Runs that stand for themselves; a task of a project is shown with its project. */
export const isOwn = ({ project_run_id: projectId }: WorkSummaryBody): boolean => projectId === null;

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
