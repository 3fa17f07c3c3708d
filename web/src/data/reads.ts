import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import { useMemo } from "react";
import type { Result } from "#base";
import type { AnswerOf, JournalQuery, RecordId } from "#model";
import { askServer, UNREACHABLE, type WireError } from "../wire/http.ts";
import { database } from "./database.ts";
import { sendLeftovers, useOutbox } from "./outbox.ts";
import { projectAnswer } from "./project.ts";

/** One answer, with the moment it was read when it comes from this browser's copy instead of the server. */
type Read<T> = { readonly answer: T; readonly keptAtMs: number | null };

export class ReadFailure extends Error {
  readonly error: WireError;
  constructor(error: WireError) {
    super(error.code);
    this.error = error;
  }
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Only a server that asks for patience is asked again without a person.
      retry: (count, error) => count < 5 && error instanceof ReadFailure && error.error.code === "rate_limited",
      retryDelay: 2000,
      staleTime: 60_000,
      gcTime: 300_000,
      networkMode: "always",
    },
  },
});

/** Whatever is read under this key is read again when the journal changed. */
export const journalKey = ["journal"] as const;
export const invalidateJournal = (): Promise<void> => queryClient.invalidateQueries({ queryKey: journalKey });

export type JournalRead<T> = {
  readonly data: T | undefined;
  readonly error: WireError | null;
  readonly keptAtMs: number | null;
  readonly retry: () => void;
};

/** Reads a part of the journal: from the server, else from this browser's copy, with unsent writes shown on top. */
export function useJournal<Q extends JournalQuery>(query: Q | null): JournalRead<AnswerOf<Q>> {
  const pending = useOutbox((state) => state.rows);
  const read = useQuery<Read<AnswerOf<Q>>>({
    queryKey: [...journalKey, query],
    queryFn: () => load(query as Q),
    enabled: query !== null,
    // While another page of a list or another search loads, the one before stays in sight.
    ...(query?.kind === "search" && { placeholderData: keepPreviousData }),
  });
  const answer = read.data?.answer;
  const data = useMemo(
    () => (query === null || answer === undefined ? undefined : projectAnswer({ query, answer, pending })),
    [query, answer, pending],
  );
  return { ...readOf(read), data };
}

/** A query as surfaces take it: a failure counts only while there is nothing to show. */
export function readOf<T>(read: UseQueryResult<Read<T>>): JournalRead<T> {
  return {
    data: read.data?.answer,
    error: failureOf(read),
    keptAtMs: read.data?.keptAtMs ?? null,
    retry: () => void read.refetch(),
  };
}

export function failureOf({ data, error }: { readonly data: unknown; readonly error: unknown }): WireError | null {
  if (data !== undefined || error === null) return null;
  return error instanceof ReadFailure ? error.error : OF_THE_PAGE;
}

/** What went wrong in this page itself, its own database perhaps: it is said like any other, never waited out. */
const OF_THE_PAGE: WireError = { code: "page_failed", message: "", errorId: null, facts: {} };

async function load<Q extends JournalQuery>(query: Q): Promise<Read<AnswerOf<Q>>> {
  await sendLeftovers();
  return loadOrKept<AnswerOf<Q>>(query.kind === "search" ? null : JSON.stringify(query), () => askServer(query));
}

/** Asks the server and keeps its answer under `key`; without a connection, the answer kept there last. */
export async function loadOrKept<T>(key: string | null, ask: () => Promise<Result<T, WireError>>): Promise<Read<T>> {
  const answer = await ask();
  if (answer.ok) {
    if (key !== null) void keep(key, answer.value);
    return { answer: answer.value, keptAtMs: null };
  }
  if (answer.error.code !== UNREACHABLE || key === null) throw new ReadFailure(answer.error);
  const kept = await (await database()).get("reads", key);
  if (kept === undefined) throw new ReadFailure(answer.error);
  return { answer: kept.answer as T, keptAtMs: kept.atMs };
}

async function keep(key: string, answer: unknown): Promise<void> {
  await (await database()).put("reads", { key, answer, atMs: Date.now() });
}

/** Reads what a person most likely wants to see later without a connection. */
export function warm(queries: readonly JournalQuery[]): void {
  for (const query of queries) {
    void queryClient.prefetchQuery({ queryKey: [...journalKey, query], queryFn: () => load(query) });
  }
}

/** Asks once, for things that are not shown as a surface. */
export async function readOnce<Q extends JournalQuery>(query: Q): Promise<AnswerOf<Q> | null> {
  const answer = await askServer(query);
  return answer.ok ? answer.value : null;
}

type PagedQuery = Extract<JournalQuery, { kind: "tasks" | "timeline" }>;
export type Pages<T> = JournalRead<T> & { readonly hasMore: boolean; readonly more: () => void };
type JournalPages<Q extends PagedQuery> = Pages<AnswerOf<Q>>;

/** A long list, read page after page as it is scrolled; its rows come as one. */
export function useJournalPages<Q extends PagedQuery>(query: Q): JournalPages<Q> {
  const pending = useOutbox((state) => state.rows);
  const pages = useInfiniteQuery({
    queryKey: [...journalKey, "pages", query],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => load(pageParam === null ? query : { ...query, cursor: pageParam }),
    getNextPageParam: (last) => last.answer.nextCursor,
  });
  const data = useMemo(() => {
    const first = pages.data?.pages[0];
    if (first === undefined) return undefined;
    const rows = pages.data?.pages.flatMap((page): readonly unknown[] => page.answer.rows);
    return projectAnswer({ query, answer: { rows, nextCursor: null } as AnswerOf<Q>, pending });
  }, [query, pages.data, pending]);
  return { ...pagesOf(pages), data };
}

/** The same for a list that is read page after page. */
export function pagesOf<T>(pages: UseInfiniteQueryResult<InfiniteData<Read<T>>>): Omit<Pages<T>, "data"> {
  return {
    error: failureOf(pages),
    keptAtMs: pages.data?.pages[0]?.keptAtMs ?? null,
    retry: () => void pages.refetch(),
    hasMore: pages.hasNextPage,
    more: () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
  };
}

/** The title of a task that another record names. Read once: a list of many must not become a storm of questions. */
export function useTaskTitle(id: RecordId | null): string | null {
  const { data } = useQuery({
    queryKey: ["task-title", id],
    queryFn: async () => (await load({ kind: "task", id: id as RecordId })).answer?.task.body.title ?? null,
    enabled: id !== null,
    staleTime: 600_000,
  });
  return data ?? null;
}
