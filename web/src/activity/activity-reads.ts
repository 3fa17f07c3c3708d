import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ActivityItem, ActivityPage, ChainBody } from "#model";
import { journalKey, loadOrKept, queryClient, pagesOf, ReadFailure, type Pages } from "../data/reads.ts";
import { send } from "../wire/http.ts";

const activityKey = [...journalKey, "activity"] as const;

/** What is reviewed and what runs is recorded, so a change of either may have added a line. */
export const invalidateActivity = (): Promise<void> => queryClient.invalidateQueries({ queryKey: activityKey });

/** What happened, page after page. Read again with the journal and whenever the window gets the focus. */
export function useActivity(): Pages<readonly ActivityItem[]> {
  const pages = useInfiniteQuery({
    queryKey: activityKey,
    initialPageParam: null as number | null,
    queryFn: ({ pageParam }) => loadPage(pageParam),
    getNextPageParam: (last) => last.answer.next_before_seq,
    staleTime: 0,
  });
  const data = pages.data?.pages.flatMap(({ answer }) => answer.items);
  return { ...pagesOf(pages), data };
}

function loadPage(beforeSeq: number | null) {
  const address = beforeSeq === null ? "/api/activity" : `/api/activity?before_seq=${beforeSeq}`;
  return loadOrKept(address, () => send<ActivityPage>(address, { method: "GET" }));
}

type ChainRead = { readonly chain: ChainBody | undefined; readonly hasFailed: boolean };

/**
 * Whether the chain holds: its entries since the last checkpoint, or all of them once somebody asked for that. No copy is
 * kept: an old verdict says nothing about the chain now.
 */
export function useChain(newestSeq: number | null, extent: "since_checkpoint" | "whole"): ChainRead {
  const read = useQuery({
    queryKey: ["chain", newestSeq, extent],
    queryFn: async () => {
      const address = extent === "whole" ? "/api/activity/chain?whole=true" : "/api/activity/chain";
      const answer = await send<ChainBody>(address, { method: "GET" });
      if (!answer.ok) throw new ReadFailure(answer.error);
      return answer.value;
    },
    enabled: newestSeq !== null,
    // A partial verification does not answer whether the whole chain holds.
    placeholderData: (data, before) => (before?.queryKey[2] === extent ? data : undefined),
  });
  return { chain: read.isError ? undefined : read.data, hasFailed: read.isError };
}
