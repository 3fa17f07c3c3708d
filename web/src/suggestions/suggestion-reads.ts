import { useQuery } from "@tanstack/react-query";
import type { SuggestionBody } from "#model";
import { ReadFailure } from "../data/reads.ts";
import { send } from "../wire/http.ts";

type Lists = { readonly suggestions: readonly SuggestionBody[]; readonly missed: readonly SuggestionBody[] };

/** What Silas suggests at this moment, and what it suggested while it held and nobody answered. */
export function useSuggestions(): Lists {
  const { data } = useQuery({
    queryKey: ["review", "suggestions", "both"],
    queryFn: async () => {
      const answer = await send<Lists>("/api/suggestions", { method: "GET" });
      if (!answer.ok) throw new ReadFailure(answer.error);
      return answer.value;
    },
  });
  return data ?? NONE;
}
const NONE: Lists = { suggestions: [], missed: [] };
