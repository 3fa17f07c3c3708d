import { oneLine } from "#base";
import { keptRequestToWire, verdictOf, type KeptRequest, type OwnerReply } from "#model";
import { safeJson } from "../plan/safe-json.ts";
import { answerSuggestion, saidToSuggestion, type SuggestionFlags } from "../suggestions/answer-suggestion.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { CommandFailure, usage } from "../terminal/failure.ts";
import { confirmRequest, type Confirmed } from "./approve.ts";
import { askAnswer, questionIn, saidAnswer, type Said } from "./ask-answer.ts";
import { stateWords } from "./card-lines.ts";
import { findRequest, orFail, withApprovals, withSigner } from "./open-approvals.ts";

export const define: Define = (answer, act) => {
  answer
    .argument("<id>", "a request or a suggestion, or the beginning of its id")
    .option("--option <value>", "choose this option of a question")
    .option("--text <words>", "answer a question in words of your own, where it takes them")
    .option("--approve", "approve a draft as it is")
    .option("--edit <file>", "approve the text of this file in place of a draft")
    .option("--again <note>", "ask for another draft, and say what should be different")
    .option("--reject", "decide nothing, or reject a draft: its run ends")
    .option("--do-it", "take a suggestion up: it asks you for a decision")
    .option("--not-now", "put a suggestion off for a while")
    .option("--not-again", "hear no more of a suggestion")
    .option("--hash <hash>", "approve exactly the draft with this hash, without being asked")
    .option("--json", "print JSON")
    .action(act(answerRequest));
};

type Options = Said & SuggestionFlags & { readonly hash?: string; readonly json?: boolean };

/** Answers what a step of a run asks. The answer is signed together with the question; to reject it needs no signature. */
const answerRequest: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const suggested = saidToSuggestion(options);
  if (suggested !== null) return answerSuggestion(call, suggested);
  const request = await withApprovals(call, async (approvals) => {
    const { requestId } = await findRequest(approvals, call.args[0] ?? "");
    return orFail(await approvals.show(requestId));
  });
  const question = questionIn(request);
  if (question === null) throw usage("This asks for no answer. `silas approve ID` and `silas decline ID` decide it.");
  if (request.state !== "pending") {
    throw new CommandFailure({ what: stateWords(request), kept: "That stays as it is." });
  }
  const { requestId } = request;
  const answer = (await saidAnswer(question, options)) ?? (await askAnswer(terminal, { requestId, question }));
  const given = await givenAnswer(call, { request, answer });
  const { verdict } = given;
  const open = verdict === "declined" ? withApprovals : withSigner;
  const done = await open(call, async (approvals) => orFail(await approvals.decide(given)));
  if (options.json) return terminal.line(safeJson(keptRequestToWire(done)));
  terminal.line(`${DONE[verdict]} ${requestId}, ${oneLine(done.card.intent)}`);
  terminal.note(afterWords(done));
};

type Answered = { readonly request: KeptRequest; readonly answer: OwnerReply };

/** Confirmed with the care its risk demands, as any other decision; what declines needs none. */
export async function givenAnswer(call: Call<{ readonly hash?: string }>, { request, answer }: Answered) {
  const { requestId, planHash, riskLevel } = request;
  const verdict = verdictOf(answer);
  const actor = { kind: "terminal" } as const;
  if (verdict === "declined") return { requestId, verdict, shownHash: planHash, friction: [], actor };
  // Choosing an option is the tap that a decision of low risk takes.
  const tapped: Confirmed = { shownHash: planHash, friction: ["tap"] };
  const confirmed = riskLevel === "low" ? tapped : await confirmRequest(call, request);
  return { requestId, verdict, ...confirmed, actor, answer };
}

const DONE = { approved: "Answered", declined: "Declined" } as const;
const afterWords = ({ state }: KeptRequest): string =>
  state === "approved" ? "Its run goes on in a running Silas, or with the next `silas start`." : "Its run ends.";
