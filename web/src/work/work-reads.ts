import { useQuery } from "@tanstack/react-query";
import type { HoldBody, StoppedBody, WorkDetailBody, WorkListBody, WorkSummaryBody } from "#model";
import { loadOrKept, queryClient, readOf, type JournalRead } from "../data/reads.ts";
import { useConnection } from "../wire/connection.ts";
import { send } from "../wire/http.ts";

/** Under the key of Review: whatever changes a run is told as a change of what there is to review. */
const workKey = ["review", "work"] as const;
const LIST = "/api/work";
/** Where a run is, the socket says; what its program prints comes only when it is asked for. */
const POLL_MS = 3000;
/** Without the socket everything must be asked for. */
const POLL_ALONE_MS = 1000;

/** Every run there was lately, newest first; those that wait or run among them. */
export const useWork = (): readonly WorkSummaryBody[] => useListed()?.runs ?? NONE;

/** Set while Silas is read-only. */
export const useHold = (): HoldBody | null => useListed()?.hold ?? null;

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

/** One run, whoever looks at it: the server says that it is not where it was. */
export const invalidateRun = (id: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: [...workKey, "run", id] });

/** One run with its ledger, asked again while it is on its way and the page is in sight. */
export function useRun(id: string): JournalRead<WorkDetailBody> {
  const pollMs = useConnection((state) => (state.state === "online" ? POLL_MS : POLL_ALONE_MS));
  const address = `${LIST}/${encodeURIComponent(id)}`;
  const read = useQuery({
    queryKey: [...workKey, "run", id],
    queryFn: () => loadOrKept(address, () => send<WorkDetailBody>(address, { method: "GET" })),
    refetchInterval: ({ state }) =>
      state.data !== undefined && !isOver(state.data.answer) && state.data.keptAtMs === null ? pollMs : false,
  });
  return readOf(read);
}
