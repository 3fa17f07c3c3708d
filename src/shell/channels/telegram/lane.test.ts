/** What a crash leaves in the middle, and what a model answers: handled with the parts around it in the plainest form. */
import { describe, expect, test } from "vitest";
import { err, ok, sha256Hex, type Instant } from "#base";
import type { Exchange, KeptMessage, KeptRequest, TelegramNotice } from "#model";
import type { MessagesDoor } from "#ports";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import type { Written } from "./bot-api.ts";
import type { Chat } from "./chat.ts";
import { reviveNotices } from "./desk.ts";
import { createLane } from "./lane.ts";

const PLACE = "123:4711";
const AT = "2026-11-16T08:00:00.000Z" as Instant;

type Talk = Awaited<ReturnType<MessagesDoor["talk"]["answered"]>>;

/** A chat whose conversation is a list, and whose model answers so. */
function createPlainChat(answer: Talk = ok(null)) {
  const { telegram: store } = openInMemory();
  const kept: string[] = [];
  const said: string[] = [];
  const message = (messageId: string) => ({ messageId, channel: "telegram" }) as KeptMessage;
  const parts: Partial<Chat> = {
    store,
    place: PLACE,
    chatId: "4711",
    scopeId: "owner",
    ending: new AbortController().signal,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    messages: {
      list: async () => ok(kept.map((_text, index) => message(`m-${index}`)).toReversed()),
      receive: async ({ text }) => {
        kept.push(text);
        return ok({ message: message(`m-${kept.length - 1}`), reply: `Kept: ${text}` });
      },
      talk: { answered: async () => answer } as Partial<MessagesDoor["talk"]> as MessagesDoor["talk"],
    },
    api: {
      send: async (_chatId: string, { text }: Written) => ok({ messageId: said.push(text) }),
    } as Partial<Chat["api"]> as Chat["api"],
  };
  return { chat: parts as Chat, store, kept, said };
}

async function runLane(chat: Chat): Promise<void> {
  const lane = createLane(chat);
  lane.look();
  await lane.settled();
}

describe("words after a crash", () => {
  test("words whose handling began and that were not kept are kept, once", async () => {
    const { chat, store, kept, said } = createPlainChat();
    await store.keep({ place: PLACE, updateId: 1, at: AT, text: "first" });
    await store.begin({ place: PLACE, updateId: 1, after: null });
    await runLane(chat);
    expect(kept).toEqual(["first"]);
    expect(said).toEqual(["Kept: first"]);
    expect(await store.oldest(PLACE)).toEqual(ok(null));
  });

  test("words that were kept before the crash are not kept again, and those behind them are", async () => {
    const { chat, store, kept, said } = createPlainChat();
    kept.push("older", "first");
    await store.keep({ place: PLACE, updateId: 1, at: AT, text: "first" });
    await store.begin({ place: PLACE, updateId: 1, after: "m-0" });
    await store.keep({ place: PLACE, updateId: 2, at: AT, text: "second" });
    await runLane(chat);
    expect(kept).toEqual(["older", "first", "second"]);
    expect(said).toEqual(["Your last message was kept before Silas ended.", "Kept: second"]);
  });
});

describe("what a model answers", () => {
  const turn = { state: "ended", reply: "Four\u202e plants.", failure: null };
  const answer = (over: object, message: object = { gate: null }): Talk =>
    ok({ message, turn: { ...turn, ...over } } as Partial<Exchange> as Exchange);

  test("is said behind the acknowledgement, made safe to show, and its failure in words", async () => {
    const answered = createPlainChat(answer({}));
    await answered.store.keep({ place: PLACE, updateId: 1, at: AT, text: "How many?" });
    await runLane(answered.chat);
    expect(answered.said).toEqual(["Kept: How many?", "Four\uFFFD plants."]);
    const failed = createPlainChat(answer({ state: "failed", reply: null, failure: "turn_given_up" }));
    await failed.store.keep({ place: PLACE, updateId: 1, at: AT, text: "How many?" });
    await runLane(failed.chat);
    expect(failed.said.at(-1)).toMatch(/^No answer: it failed again and again/);
    const told = "A gate changed this message (pii): Personal data: email (taken out)";
    const changed = createPlainChat(answer({}, { gate: { told } }));
    await changed.store.keep({ place: PLACE, updateId: 1, at: AT, text: "How many?" });
    await runLane(changed.chat);
    expect(changed.said).toEqual(["Kept: How many?", told, "Four\uFFFD plants."]);
    const faulty = createPlainChat(err({ code: "store_busy", retryable: true }));
    await faulty.store.keep({ place: PLACE, updateId: 1, at: AT, text: "How many?" });
    await runLane(faulty.chat);
    expect(faulty.said).toEqual(["Kept: How many?"]);
  });
});

test("a card whose buttons were used up by a press that decided nothing is told again; any other stays", async () => {
  const { chat, store } = createPlainChat();
  const buttons = { planHash: sha256Hex("plan"), nonce: null, stage: "ask" } as const;
  const notice = (noticeId: string, over: Partial<TelegramNotice> = {}) => ({
    noticeId,
    messageId: 1,
    buttons,
    ...over,
  });
  await store.saveNotice(PLACE, notice("request r-1"));
  await store.saveNotice(PLACE, notice("request r-2", { buttons: { ...buttons, nonce: "live" } }));
  await store.saveNotice(PLACE, notice("request r-3"));
  await store.saveNotice(PLACE, notice("secret mail", { buttons: null }));
  const find = async (requestId: string) =>
    ok({ requestId, state: requestId === "r-3" ? "approved" : "pending" } as KeptRequest);
  await reviveNotices({ ...chat, requests: { find } });
  const left = await store.notices(PLACE);
  expect(left.ok && left.value.map(({ noticeId }) => noticeId)).toEqual(["request r-2", "request r-3", "secret mail"]);
});
