import { ok, type Result } from "#base";
import {
  decidedWords,
  ON_TELEGRAM,
  wordsFor,
  type Friction,
  type KeptRequest,
  type StoreFault,
  type TelegramNotice,
} from "#model";
import { buttonNonce, type ButtonData, type WrittenAnswer } from "./button-data.ts";
import { cardText, codeOf, isDecidedHere } from "./card-text.ts";
import { rewrite, type Chat, type Work } from "./chat.ts";
import { requestNotice, requestOf } from "./desk.ts";

export interface Answers {
  /** A button was pressed; answers with a word for the person who did. */
  pressed(pressed: ButtonData & { readonly messageId: number }): Promise<Result<string, StoreFault>>;
  /** The same in words. */
  written(answer: WrittenAnswer): Promise<Result<string, StoreFault>>;
}

type Said = Promise<Result<string, StoreFault>>;

/**
 * Decisions in the chat. They go the way of every decision: the engine judges what was done, the key in the vault signs,
 * and the store takes one answer. Nothing here mints or signs. [FLOW-18]
 */
export function createAnswers(chat: Chat, desk: Work): Answers {
  return {
    pressed: async ({ verb, requestId, nonce, messageId }) => {
      const taken = await chat.store.press({ place: chat.place, noticeId: requestNotice(requestId), nonce, messageId });
      if (!taken.ok) return taken;
      const notice = taken.value;
      if (notice === null) return stale(chat, requestId);
      return act(chat, { verb, notice, requestId, desk });
    },
    written: async ({ verb, code }) => {
      const open = await chat.store.notices(chat.place);
      if (!open.ok) return open;
      const meant = open.value.filter(({ buttons }) => buttons?.planHash.startsWith(code) === true);
      const [notice] = meant;
      const requestId = notice === undefined ? null : requestOf(notice);
      const nonce = notice?.buttons?.nonce ?? null;
      if (notice === undefined || requestId === null || meant.length > 1 || nonce === null) return ok(NO_SUCH(code));
      // The same as a press: it uses the buttons up.
      const taken = await chat.store.press({ place: chat.place, noticeId: notice.noticeId, nonce, messageId: null });
      if (!taken.ok) return taken;
      return taken.value === null ? stale(chat, requestId) : act(chat, { verb, notice: taken.value, requestId, desk });
    },
  };
}

const NO_SUCH = (code: string): string => `No open card here begins with ${code}. Nothing was decided.`;

/** A button of yesterday: says what became of what it was for. */
async function stale(chat: Chat, requestId: string): Said {
  const found = await chat.requests.find(requestId);
  if (!found.ok) return found;
  const request = found.value;
  if (request === null || request.decidedAt === null) return ok("This button is used up. Nothing was decided by it.");
  const { state, decidedAt, decidedBy, replacedBy } = request;
  return ok(decidedWords({ state, decidedAt, decidedBy, replacedBy }));
}

type Acting = {
  readonly verb: ButtonData["verb"];
  readonly notice: TelegramNotice;
  readonly requestId: string;
  readonly desk: Work;
};

async function act(chat: Chat, acting: Acting): Said {
  const { notice, requestId, verb, desk } = acting;
  // Now it is looked at, and its time runs.
  const shown = await chat.approvals.show(requestId);
  if (!shown.ok) return again(chat, { ...acting, request: null, words: wordsFor(shown.error) });
  const request = shown.value;
  if (request.state !== "pending" || request.planHash !== notice.buttons?.planHash || !isDecidedHere(request)) {
    desk.look();
    return stale(chat, requestId);
  }
  const { stage } = notice.buttons;
  if (verb === "back") return again(chat, { ...acting, request, words: "Nothing was decided." });
  const needsConfirm = request.card.friction.includes("confirm");
  if (verb !== "decline" && needsConfirm && !(verb === "confirm" && stage === "confirm")) {
    return again(chat, { ...acting, request, stage: "confirm", words: `Not yet: confirm ${codeOf(request)}.` });
  }
  const friction: readonly Friction[] = verb === "decline" ? [] : needsConfirm ? ["tap", "confirm"] : ["tap"];
  const verdict = verb === "decline" ? "declined" : "approved";
  const shownHash = notice.buttons.planHash;
  const decided = await chat.approvals.decide({ requestId, verdict, shownHash, friction, actor: ON_TELEGRAM });
  desk.look();
  if (decided.ok) return ok(verdict === "approved" ? "Approved and signed." : "Declined. Nothing runs.");
  return again(chat, { ...acting, request, words: wordsFor(decided.error) });
}

type Again = Acting & {
  readonly request: KeptRequest | null;
  readonly words: string;
  readonly stage?: "ask" | "confirm";
};

/** Nothing was decided: the card gets buttons of its own again, and the ones before stay used up. */
async function again(chat: Chat, { notice, request, words, stage = "ask" }: Again): Said {
  const { buttons, messageId } = notice;
  if (buttons === null) return ok(words);
  const renewed = { planHash: buttons.planHash, nonce: buttonNonce(chat.randomness), stage };
  const kept = await chat.store.saveNotice(chat.place, { ...notice, buttons: renewed });
  if (!kept.ok) return kept;
  if (request !== null && messageId !== null) await rewrite(chat, { messageId, written: cardText(request, renewed) });
  return ok(words);
}
