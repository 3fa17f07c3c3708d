import { useQuery } from "@tanstack/react-query";
import type { KeptMessageBody, ModelBody, ToldTurnBody } from "#model";
import { failureOf, loadOrKept, queryClient, readOf, type JournalRead } from "../data/reads.ts";
import { readStatus, send } from "../wire/http.ts";

/** Under the key of Review: whatever moves a turn on is told as a change of what there is to review. */
const talkKey = ["review", "talk"] as const;
const LIST = "/api/messages?limit=50";
/** While somebody thinks, in case the word that they are done is lost. */
const POLL_MS = 3000;

type Said = {
  readonly messages: readonly KeptMessageBody[];
  readonly turns: readonly ToldTurnBody[];
  readonly next_before: string | null;
};

export const invalidateTalk = (): Promise<void> => queryClient.invalidateQueries({ queryKey: talkKey });

export const isOpen = ({ state }: Pick<ToldTurnBody, "state">): boolean => state !== "ended" && state !== "failed";

const isMoving = ({ messages, turns }: Said): boolean =>
  turns.some(isOpen) || messages.some(({ state }) => state === "received");

/** The message that is answered now: turns are taken in their order. Null while nothing is answered. */
export function answeredNow(turns: readonly ToldTurnBody[]): string | null {
  const [first] = turns.filter(isOpen).toSorted((a, b) => a.turn_number - b.turn_number);
  return first?.message_id ?? null;
}

/** The newest messages with what was answered to each. */
export function useTalk(): JournalRead<Said> {
  const read = useQuery({
    queryKey: [...talkKey, "list"],
    queryFn: () => loadOrKept(LIST, () => send<Said>(LIST, { method: "GET" })),
    refetchInterval: ({ state }) => (state.data !== undefined && isMoving(state.data.answer) ? POLL_MS : false),
  });
  return { ...readOf(read), error: failureOf(read) };
}

/** The model that answers; null where there is none, and as long as that is not known. */
export function useModel(): ModelBody | null {
  const { data } = useQuery({
    queryKey: ["model"],
    queryFn: async () => {
      const status = await readStatus();
      return status.ok ? (status.value.model ?? null) : null;
    },
    staleTime: 60_000,
  });
  return data ?? null;
}
