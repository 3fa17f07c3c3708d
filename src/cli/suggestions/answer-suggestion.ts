import { oneLine } from "#base";
import { suggestionCtas, suggestionToWire, type Suggestion, type SuggestionAnswer } from "#model";
import { safeJson } from "../plan/safe-json.ts";
import { orFail } from "../approvals/open-approvals.ts";
import type { Call } from "../terminal/context.ts";
import { usage } from "../terminal/failure.ts";
import { withWork } from "../work/open-work.ts";

export type SuggestionFlags = { readonly doIt?: true; readonly notNow?: true; readonly notAgain?: true };
type Options = SuggestionFlags & { readonly json?: boolean };

/** What was said to a suggestion; null when nothing of the kind was. */
export function saidToSuggestion({ doIt, notNow, notAgain }: SuggestionFlags): SuggestionAnswer | null {
  const said = [doIt && "do_it", notNow && "not_now", notAgain && "not_again"].filter((one) => one !== undefined);
  if (said.length > 1) throw usage("Say one of --do-it, --not-now and --not-again.");
  return (said[0] as SuggestionAnswer | undefined) ?? null;
}

/** Taking one up asks for a decision, which is another verb; nothing runs by it. [SUGG-10] */
export async function answerSuggestion(call: Call<Options>, answer: SuggestionAnswer): Promise<void> {
  const { options, terminal } = call;
  const part = call.args[0] ?? "";
  const answered = await withWork(call, async ({ suggestions }) => {
    const waiting = orFail(await suggestions.list());
    const meant = waiting.filter(({ suggestionId }) => suggestionId.startsWith(part) || suggestionId.endsWith(part));
    const [only, ...others] = part.length < 4 ? [] : meant;
    // What is not among them is asked about as it stands there, and refused with what became of it.
    const suggestionId = only !== undefined && others.length === 0 ? only.suggestionId : part;
    return orFail(await suggestions.answer(suggestionId, { answer, actor: { kind: "terminal" } }));
  });
  if (options.json) return terminal.line(safeJson(suggestionToWire(answered)));
  terminal.line(`${DONE[answer]}: ${oneLine(answered.intent)}`);
  const after = afterWords(answered);
  if (after !== null) terminal.note(after);
}

const DONE = { do_it: "Taken up", not_now: "Put off", not_again: "Not suggested any more" } as const;

function afterWords({ state, requestId, offer, rationale }: Suggestion): string | null {
  if (state !== "accepted") return null;
  if (offer === "next_step") return `Nothing was sent. \`silas say\` takes it, in your words: ${oneLine(rationale)}`;
  return requestId === null
    ? "A passkey is added in a browser, under Settings."
    : `Nothing runs yet. \`silas approve ${requestId}\` shows what is asked, and asks you.`;
}

/** One line of what was missed: it holds no longer, so there is nothing to say to it. */
export const missedSuggestionLine = ({ intent, rationale }: Suggestion): string =>
  `Suggestion, which nobody answered while it held: ${oneLine(intent)}. ${oneLine(rationale)}`;

/** One line of the inbox. */
export const suggestionLine = ({ suggestionId, intent, rationale, offer }: Suggestion): string => {
  const [doIt] = suggestionCtas(offer);
  return `Suggestion: ${oneLine(intent)}. ${oneLine(rationale)} \`silas answer ${suggestionId} --do-it\` (${doIt?.consequenceLabel ?? ""}), or --not-now, or --not-again.`;
};
