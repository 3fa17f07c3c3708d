import { expect, test } from "vitest";
import { assert } from "#base";
import { createMemoryModels } from "#gateway";
import type { Gate, KeptRequest } from "#model";
import { answerTo } from "../approval-world.ts";
import { openConversation, OWNER, type Conversation } from "../conversation.fixture.ts";
import { inWorld, type World } from "../disk-run.ts";
import { until } from "../work-world.ts";

const WORDS = "hello there";
const ASKING: Gate = {
  name: "ask first",
  on: "every_user_message",
  afterStep: null,
  provider: "custom",
  type: "custom_check",
  check: "ask",
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

type Waiting = { readonly silas: Conversation; readonly messageId: string; readonly request: KeptRequest };

/** A model that answers, and a message that waits for the owner because of a gate. */
async function scene(world: World) {
  const models = createMemoryModels(() => JSON.stringify({ message: "Well." }));
  const callables = { ask: () => ({ action: "require_approval", reason: "Always asks." }) };
  const open = (vault?: Conversation["vault"]) =>
    openConversation(world, { models, callables, system: [ASKING], ...(vault && { vault }) });
  const wait = async (): Promise<Waiting> => {
    const silas = await open();
    silas.messages.talk.start();
    const sent = { text: WORDS, attachments: [], reply_to: null, quotes: [], signed: null };
    const received = await silas.messages.receive(sent, OWNER);
    assert(received.ok, "the message is received");
    const { messageId } = received.value.message;
    const asked = await silas.messages.talk.answered(messageId);
    assert(asked.ok && asked.value?.message.state === "waiting", "the message waits");
    const requests = await silas.trust.approvals.all();
    const request = requests.ok ? requests.value[0] : undefined;
    assert(request !== undefined, "the owner is asked");
    expect(models.asked).toEqual([]);
    return { silas, messageId, request };
  };
  const reopen = async (before: Conversation): Promise<Conversation> => {
    await before.close();
    const silas = await open(before.vault);
    silas.messages.talk.start();
    return silas;
  };
  /** As a start does. */
  const restart = async (before: Conversation): Promise<Conversation> => {
    const silas = await reopen(before);
    await silas.work.start();
    return silas;
  };
  const answersTo = async ({ messages }: Conversation, messageId: string): Promise<readonly unknown[]> => {
    const answered = await messages.talk.answered(messageId);
    assert(answered.ok, "a turn can be read");
    return [answered.value?.turn?.state, models.asked.length];
  };
  return { models, wait, reopen, restart, answersTo };
}

test("[TURN-08] a message that the owner lets through is answered once, whatever happens after that", async () => {
  await inWorld(21, async (world) => {
    const { models, wait, restart, answersTo } = await scene(world);
    const { silas, messageId, request } = await wait();
    const decided = await silas.trust.approvals.decide(answerTo(request, "approved"));
    assert(decided.ok, "it is approved");
    // Asking for the answer would look at the queue as well; the decision alone has to.
    await until(() => models.asked.length === 1);
    expect(await answersTo(silas, messageId)).toEqual(["ended", 1]);
    assert((await silas.messages.decided(decided.value)).ok, "it is carried out again");
    expect(await answersTo(silas, messageId)).toEqual(["ended", 1]);
    const again = await restart(silas);
    expect(await answersTo(again, messageId)).toEqual(["ended", 1]);
    await again.close();
  });
});

test("[TURN-08] a message that was let through is answered once after a restart, wherever Silas ended: before the message was passed on, or before it was taken up", async () => {
  for (const [seed, isPassedOn] of [
    [22, false],
    [23, true],
  ] as const) {
    await inWorld(seed, async (world) => {
      const { wait, restart, answersTo } = await scene(world);
      const { silas, messageId, request } = await wait();
      // Nothing is taken up from the queue any more.
      await silas.messages.talk.close();
      const approvals = isPassedOn ? silas.trust.approvals : silas.cutOff;
      assert((await approvals.decide(answerTo(request, "approved"))).ok, "it is approved");
      const kept = await silas.trust.stores.messages.find(messageId);
      expect(kept).toMatchObject({ value: { state: isPassedOn ? "accepted" : "waiting" } });
      const second = await restart(silas);
      expect(await answersTo(second, messageId)).toEqual(["ended", 1]);
      const third = await restart(second);
      expect(await answersTo(third, messageId)).toEqual(["ended", 1]);
      await third.close();
    });
  }
});

test("[TURN-08] a decision about a waiting message that was not carried out is settled by the start of decisions, once", async () => {
  for (const [seed, verdict, state] of [
    [24, "approved", "accepted"],
    [25, "declined", "blocked"],
  ] as const) {
    await inWorld(seed, async (world) => {
      const { wait, reopen } = await scene(world);
      const { silas, messageId, request } = await wait();
      assert((await silas.cutOff.decide(answerTo(request, verdict))).ok, "it is decided");
      const second = await reopen(silas);
      const { work, trust } = second;
      const kept = () => trust.stores.messages.find(messageId);
      expect(await kept()).toMatchObject({ value: { state: "waiting" } });
      await work.start();
      await until(async () => {
        const found = await kept();
        return found.ok && found.value?.state === state;
      });
      const decided = await trust.stores.approvals.find(request.requestId);
      assert(decided.ok && decided.value !== null, "the decision is kept");
      const settlements = async () => {
        const entries = await trust.stores.audit.entries(EVERY);
        return entries.ok ? entries.value.filter(({ event }) => event.startsWith("message_")).length : null;
      };
      const before = await settlements();
      assert((await second.messages.decided(decided.value)).ok, "it is carried out again");
      expect(await settlements()).toBe(before);
      await second.close();
    });
  }
});
const EVERY = { beforeSeq: null, from: null, to: null, limit: 500 };
