import type { KeptRequest } from "#model";
import { describeRequest } from "../approvals/card-lines.ts";
import { requirePerson } from "../terminal/ask.ts";
import type { Call } from "../terminal/context.ts";
import { CommandFailure, EXIT } from "../terminal/failure.ts";
import { askChoice } from "../terminal/prompts.ts";
import { describeBatch } from "./batch-lines.ts";
import { batchIn, type Choice } from "./choose-items.ts";

/** Which way a person chooses where no rule is sure. Nothing is chosen for anybody. [BATCH-03] */
export async function chosenWay({ terminal }: Pick<Call<unknown>, "terminal">, request: KeptRequest): Promise<Choice> {
  for (const line of describeRequest(request)) terminal.note(line);
  requirePerson(terminal, {
    what: "One of several places is to be chosen, and nobody can be asked here.",
    kept: "Nothing was approved; the question waits on.",
    next: `\`silas approve ${request.requestId} --choose 1\` chooses the first; \`silas decline ${request.requestId}\` leaves the file where it is.`,
  });
  const ways = describeBatch(request);
  const ids = batchIn(request)?.items.map(({ item_id: id }) => id) ?? [];
  const answer = await askChoice({
    message: "Which of these?",
    options: [
      ...ids.map((id, index) => ({ value: id, label: (ways[index] ?? id).trim() })),
      { value: "", label: "None yet; the question waits on" },
    ],
  });
  if (answer !== null && answer !== "") return { choose: answer };
  throw new CommandFailure({ what: "Not decided.", kept: "The question waits on.", exit: EXIT.needsDecision });
}
