import { useQuery } from "@tanstack/react-query";
import type { DoubtBody } from "#model";
import { ReadFailure } from "../../data/reads.ts";
import { send } from "../../wire/http.ts";

/** Runs that ended in doubt and about which nobody has decided, however many others ended since. */
export function useDoubts(): readonly DoubtBody[] {
  const { data } = useQuery({
    queryKey: ["review", "doubts"],
    queryFn: async () => {
      const answer = await send<{ readonly doubts: readonly DoubtBody[] }>("/api/work/doubts", { method: "GET" });
      if (!answer.ok) throw new ReadFailure(answer.error);
      return answer.value.doubts;
    },
  });
  return data ?? NONE;
}
const NONE: readonly DoubtBody[] = [];
