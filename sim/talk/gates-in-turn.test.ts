/** Receiving a message is one commit; its gates are the beginning of its turn, whenever that is. */
import { expect, test } from "vitest";
import { assert } from "#base";
import { createMemoryModels } from "#gateway";
import type { Gate } from "#model";
import { BY } from "../approval-world.ts";
import { openConversation, OWNER, type Conversation } from "../conversation.fixture.ts";
import { inWorld, type World } from "../disk-run.ts";
import { until } from "../work-world.ts";

const REDACTING: Gate = {
  name: "phones",
  on: "every_user_message",
  afterStep: null,
  provider: "custom",
  type: "custom_check",
  check: "redact",
  config: {},
  extract: null,
  autoApprove: null,
  requireApproval: null,
  block: null,
  allowedValues: null,
  approvalValues: null,
  onBlock: "report",
  checkCommand: null,
  checkExpect: null,
  promoteToPolicy: false,
};

const sent = (text: string) => ({ text, attachments: [], reply_to: null, quotes: [], signed: null });

/** A gate that takes out a number, and a model that answers. */
function scene(world: World) {
  const models = createMemoryModels(() => JSON.stringify({ message: "Well." }));
  const judged: string[] = [];
  const callables = {
    redact: (_gate: Gate, { message = "" }: { readonly message?: string }) => {
      judged.push(message);
      const modified_context = { message: message.replace("112", "[phone]") };
      return { action: "continue", reason: "Phone numbers (taken out)", modified_context };
    },
  };
  const open = (vault?: Conversation["vault"]): Promise<Conversation> =>
    openConversation(world, { models, callables, system: [REDACTING], ...(vault && { vault }) });
  const receive = async (silas: Conversation, text: string) => {
    const received = await silas.messages.receive(sent(text), OWNER);
    assert(received.ok, "it is received");
    return received.value.message;
  };
  const exchangeOf = async (silas: Conversation, messageId: string) => {
    const answered = await silas.messages.talk.answered(messageId);
    assert(answered.ok && answered.value !== null, "it can be read");
    return answered.value;
  };
  return { models, judged, open, receive, exchangeOf };
}

test("[TURN-02] [BUS-10] a message that was received when Silas ended is judged and answered by the next start, once", () =>
  inWorld(41, async (world) => {
    const { models, judged, open, receive, exchangeOf } = scene(world);
    const first = await open();
    await first.messages.talk.close();
    const { messageId, text, state } = await receive(first, "call 112");
    // A gate may take words out of it, so they are not shown before it did.
    expect([text, state, judged]).toEqual(["", "received", []]);
    const listed = await first.messages.list({ scopeId: "owner", before: null, limit: 5 });
    expect(listed.ok && listed.value.map((one) => one.text)).toEqual([""]);
    await first.close();
    const second = await open(first.vault);
    second.messages.talk.start();
    await until(() => models.asked.length === 1);
    const { message, turn } = await exchangeOf(second, messageId);
    expect(message).toMatchObject({ state: "accepted", text: "call [phone]", gate: { name: "phones" } });
    expect(message.gate?.told).toBe("A gate changed this message (phones): Phone numbers (taken out)");
    expect(turn).toMatchObject({ state: "ended", reply: "Well." });
    expect(models.asked[0]?.prompt).not.toContain("112");
    await second.close();
    const third = await open(first.vault);
    third.messages.talk.start();
    expect(await exchangeOf(third, messageId)).toMatchObject({ turn: { state: "ended" } });
    expect([models.asked.length, judged]).toEqual([1, ["call 112"]]);
    await third.close();
  }));

test("[TURN-02] [TURN-43] while everything is stopped a message is judged, and its answer waits for the stop to be taken back", () =>
  inWorld(42, async (world) => {
    const { models, open, receive, exchangeOf } = scene(world);
    const silas = await open();
    silas.messages.talk.start();
    assert((await silas.work.stops.stop(BY)).ok, "everything is stopped");
    const { messageId } = await receive(silas, "call 112");
    const { message, turn } = await exchangeOf(silas, messageId);
    expect([message.state, message.text, turn?.state, models.asked]).toEqual([
      "accepted",
      "call [phone]",
      "waiting",
      [],
    ]);
    assert((await silas.work.stops.startAgain(BY)).ok, "the stop is taken back");
    await until(() => models.asked.length === 1);
    expect((await exchangeOf(silas, messageId)).turn).toMatchObject({ state: "ended", turnNumber: 1 });
    await silas.close();
  }));

test("[TURN-02] what a gate stops has no turn and reaches no model, and the next message is answered", () =>
  inWorld(43, async (world) => {
    const models = createMemoryModels(() => JSON.stringify({ message: "Well." }));
    const callables = {
      redact: (_gate: Gate, { message = "" }: { readonly message?: string }) =>
        message === "no" ? { action: "block", reason: "Not this." } : { action: "continue", reason: "" },
    };
    const silas = await openConversation(world, { models, callables, system: [REDACTING] });
    silas.messages.talk.start();
    const { exchangeOf, receive } = scene(world);
    const { messageId } = await receive(silas, "no");
    const { message, turn } = await exchangeOf(silas, messageId);
    expect(turn).toBeNull();
    expect(message).toMatchObject({ state: "blocked" });
    expect(message.gate?.told).toBe("A gate stopped this message (phones): Not this. It is kept and not used.");
    const next = await exchangeOf(silas, (await receive(silas, "yes")).messageId);
    expect(next.turn).toMatchObject({ state: "ended", turnNumber: 1 });
    expect(models.asked.map(({ prompt }) => prompt.includes("no\n"))).toEqual([false]);
    await silas.close();
  }));
