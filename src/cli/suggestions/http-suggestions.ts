import { ok, type Result } from "#base";
import { suggestionSchema } from "#model";
import type { SuggestionsDoor } from "#ports";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** The suggestions of a running instance: the same door as the local one. */
export function createHttpSuggestions(address: InstanceAddress): SuggestionsDoor {
  const call = async <E>(made: HttpCall): Promise<Result<unknown, E>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  const listOf = async (which: "suggestions" | "missed") => {
    const listed = await call<never>({ method: "GET", path: "/api/suggestions" });
    if (!listed.ok) return listed;
    const lists = listed.value as { readonly [W in typeof which]: readonly unknown[] };
    return ok(lists[which].map((body) => suggestionSchema.parse(body)));
  };
  return {
    list: () => listOf("suggestions"),
    missed: () => listOf("missed"),
    answer: async (suggestionId, { answer }) => {
      const path = `/api/suggestions/${encodeURIComponent(suggestionId)}/answer`;
      const answered = await call<never>({ method: "POST", path, body: JSON.stringify({ answer }) });
      if (!answered.ok) return answered;
      return ok(suggestionSchema.parse((answered.value as { readonly suggestion: unknown }).suggestion));
    },
  };
}
