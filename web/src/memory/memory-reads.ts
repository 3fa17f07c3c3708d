import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { MemoryItemBody } from "#model";
import { failureOf, loadOrKept, pagesOf, queryClient, readOf, type JournalRead, type Pages } from "../data/reads.ts";
import { send } from "../wire/http.ts";

/** Under the key of Review: a decision there changes how a memory is trusted. */
const memoryKey = ["review", "memory"] as const;

type Listed = { readonly memories: readonly MemoryItemBody[]; readonly next_before: string | null };
type Found = Pick<Listed, "memories">;

export const invalidateMemory = (): Promise<void> => queryClient.invalidateQueries({ queryKey: memoryKey });

/** No copy is kept in this browser: what is forgotten must not stay here. */
const read = <T>(address: string) => loadOrKept<T>(null, () => send<T>(address, { method: "GET" }));

export function useMemories(): Pages<readonly MemoryItemBody[]> {
  const pages = useInfiniteQuery({
    queryKey: [...memoryKey, "list"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      read<Listed>(`/api/memory?limit=100${pageParam === null ? "" : `&before=${encodeURIComponent(pageParam)}`}`),
    getNextPageParam: (last) => last.answer.next_before,
  });
  const data = pages.data?.pages.flatMap(({ answer }) => answer.memories);
  return { ...pagesOf(pages), data };
}

/** Nothing is asked for an empty text. */
export function useFoundMemories(text: string, limit: number): JournalRead<Found> {
  const address = `/api/memory/search?limit=${limit}&q=${encodeURIComponent(text)}`;
  const found = useQuery({
    queryKey: [...memoryKey, "search", text, limit],
    queryFn: () => read<Found>(address),
    enabled: text !== "",
  });
  return { ...readOf(found), error: failureOf(found) };
}
