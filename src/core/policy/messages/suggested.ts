import { oneLine } from "#base";
import type { Source, Suggestion } from "#model";

/** A text as suggestions keep theirs: one line, with nothing around it. */
export const suggestedWords = (text: string): string => oneLine(text).trim();

/**
 * What a message owes to a suggestion: the words of a suggestion that are sent as they were are a model's, whoever sends
 * and signs them. Words that were changed are the sender's own. [TAINT-06]
 */
export function suggestionSources(
  text: string,
  suggestion: Pick<Suggestion, "suggestionId" | "rationale"> | null,
): readonly Source[] {
  if (suggestion === null || suggestedWords(suggestion.rationale) !== suggestedWords(text)) return [];
  return [{ item_id: suggestion.suggestionId, relation: "suggestion", taint: "external" }];
}
