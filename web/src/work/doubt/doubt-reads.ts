import { useQuery } from "@tanstack/react-query";
import type { DoubtBody } from "#model";
import { ReadFailure } from "../../data/reads.ts";
import { send } from "../../wire/http.ts";
import { useWork } from "../work-reads.ts";

/** Runs that ended in doubt and about which nobody has decided. Asked for only where the list of runs has one. */
export function useDoubts(): readonly DoubtBody[] {
  const hasDoubt = useWork().some(({ run, settlement }) => run.status === "in_doubt" && settlement === null);
  const { data } = useQuery({
    queryKey: ["review", "doubts"],
    enabled: hasDoubt,
    queryFn: async () => {
      const answer = await send<{ readonly doubts: readonly DoubtBody[] }>("/api/work/doubts", { method: "GET" });
      if (!answer.ok) throw new ReadFailure(answer.error);
      return answer.value.doubts;
    },
  });
  return hasDoubt ? (data ?? NONE) : NONE;
}
const NONE: readonly DoubtBody[] = [];
