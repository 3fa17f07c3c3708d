import { oneLine, type Sha256Hex } from "#base";
import {
  isAskingKind,
  isRunKind,
  keptRequestToWire,
  MOVE_FILES,
  type EscalationReply,
  type Friction,
  type KeptRequest,
} from "#model";
import { isQuestion, withChoice, type Choice } from "../batches/choose-items.ts";
import { chosenWay } from "../batches/choose-way.ts";
import { safeJson } from "../plan/safe-json.ts";
import { requirePerson } from "../terminal/ask.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT, usage } from "../terminal/failure.ts";
import { describeRequest, stateWords } from "./card-lines.ts";
import { confirmByHand } from "./confirm.ts";
import { findRequest, orFail, withApprovals, withSigner } from "./open-approvals.ts";

export const define: Define = (approve, act) => {
  approve
    .argument("<id>", "a request, or the beginning of its id")
    .option("--hash <hash>", "approve exactly the plan with this hash, without being asked")
    .option("--only <items>", "of a batch only these items, such as 1,2; that is asked about anew")
    .option("--without <items>", "a batch without these items; that is asked about anew")
    .option("--choose <place>", "of a question about one file this place; that is asked about anew, as a batch of one")
    .option("--once", "of a wider permission only this one call; the connection stays as it is")
    .option("--json", "print JSON")
    .action(act(approveRequest));
};

type Options = Choice & { readonly hash?: string; readonly once?: boolean; readonly json?: boolean };
export type Confirmed = { readonly shownHash: Sha256Hex; readonly friction: readonly Friction[] };

const TERMINAL = { kind: "terminal" } as const;

/**
 * Shows everything that would be signed, asks with the care its risk demands, and approves exactly what was shown.
 * While a person reads nothing is held open, so that other commands go on; what happened meanwhile shows at the end.
 */
const approveRequest: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const asked = await withApprovals(call, async (approvals) => {
    const { requestId } = await findRequest(approvals, call.args[0] ?? "");
    return withChoice(approvals, { request: orFail(await approvals.show(requestId)), choice: options });
  });
  if (isAskingKind(asked.kind)) throw asksForAnswer(asked);
  const isOpen = asked.state === "pending" && isQuestion(asked);
  const choice = isOpen ? await chosenWay(call, asked) : {};
  const request = isOpen
    ? await withApprovals(call, (approvals) => withChoice(approvals, { request: asked, choice }))
    : asked;
  const { requestId } = request;
  if (request.state !== "pending") {
    throw new CommandFailure({ what: stateWords(request), kept: "That stays as it is." });
  }
  const reply = options.once === true ? onceOnly(request) : {};
  const confirmed = await confirmRequest(call, request);
  const answer = { requestId, verdict: "approved", actor: TERMINAL, ...confirmed, ...reply } as const;
  const approved = await withSigner(call, async (approvals) => orFail(await approvals.decide(answer)));
  if (options.json) return terminal.line(safeJson(keptRequestToWire(approved)));
  terminal.line(`Approved ${requestId}, ${oneLine(approved.card.intent)}`);
  const granted = grantedWords(request);
  terminal.note(`${granted} \`silas approvals export ${requestId}\` gives the receipt.`);
};

/** Said before anybody is asked for their care; the engine judges it again. [PERM-05] */
function onceOnly({ card }: KeptRequest): { readonly answer: EscalationReply } {
  if (card.ctas.some(({ action }) => action === "approve_once")) return { answer: { duration: "once" } };
  throw new CommandFailure({
    what:
      card.cardType === "permission_escalation"
        ? "This service gives no permission for one call alone."
        : "--once is for a wider permission of a connection.",
    kept: "Nothing was decided; the request waits on.",
    next: "",
  });
}

const asksForAnswer = ({ requestId }: KeptRequest): CommandFailure =>
  new CommandFailure({
    what: "A step of a run asks for an answer here, and yes is none.",
    kept: "Nothing was decided; the question waits on.",
    next: `\`silas answer ${requestId}\` shows it and asks you.`,
    exit: EXIT.needsDecision,
  });

/** A plan with steps, or of a model, needs nobody else; the others wait for a part of Silas that does not exist yet. */
export const saysSteps = ({ projection }: Pick<KeptRequest, "projection">): boolean =>
  isRunKind((JSON.parse(projection) as { readonly executor_kind?: unknown }).executor_kind);

function grantedWords(request: KeptRequest): string {
  const isBatch = request.kind === "batch_review" && JSON.parse(request.projection).action === MOVE_FILES;
  if (request.kind === "permission_escalation")
    return "A running Silas signs in again, then its run goes on; `silas connections list` shows how that stands.";
  if (request.kind === "step_approval") return "Its run goes on in a running Silas, or with the next `silas start`.";
  if (request.kind !== "plan_approval" && !isBatch) return "It is signed.";
  if (!isBatch && !saysSteps(request)) return "Its attempt is granted and waits to be run.";
  return `It runs now in a running Silas, else with the next \`silas start\`; \`silas work show ${request.requestId}\` follows it.`;
}

/** By hand with everything shown, or by the hash of what was read. */
export async function confirmRequest(call: Call<{ readonly hash?: string }>, request: KeptRequest): Promise<Confirmed> {
  const { hash } = call.options;
  return hash === undefined ? confirmShown(call, request) : byHash(hash, request);
}

/** By hand, with everything that would be signed shown before. */
export async function confirmShown({ terminal }: Call<object>, request: KeptRequest): Promise<Confirmed> {
  for (const line of describeRequest(request)) terminal.note(line);
  requirePerson(terminal, {
    what: "An approval needs your decision, and nobody can be asked here.",
    kept: "Nothing was approved; the request waits on.",
    next: needsPerson(request)
      ? `A plan of ${request.riskLevel} risk is approved by a person: run this in a terminal.`
      : `When you have read it, approve exactly this plan with --hash ${request.planHash}`,
  });
  return { shownHash: request.planHash, friction: await confirmByHand(terminal, request) };
}

/** A script may repeat what was read and found harmless enough; it can never stand for a person's care. [RISK-01] */
function byHash(hash: string, request: KeptRequest): Confirmed {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw usage("--hash takes the 64 characters of the plan's hash.");
  if (needsPerson(request)) {
    throw new CommandFailure({
      what: `A plan of ${request.riskLevel} risk is not approved by its hash alone.`,
      kept: "Nothing was approved; the request waits on.",
      next: `Run \`silas approve ${request.requestId}\` in a terminal.`,
      exit: EXIT.needsDecision,
    });
  }
  return { shownHash: hash as Sha256Hex, friction: ["tap", "confirm"] };
}

const needsPerson = ({ riskLevel }: KeptRequest): boolean => riskLevel !== "low" && riskLevel !== "medium";
