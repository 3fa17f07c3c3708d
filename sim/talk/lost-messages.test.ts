/** A message whose place on the queue was lost: to what nobody can read, or to another process. */
import { expect, test } from "vitest";
import { assert, err, msOfInstant } from "#base";
import { createMemoryModels } from "#gateway";
import type { ModelGateway } from "#ports";
import { BY } from "../approval-world.ts";
import { openConversation, OWNER, type Conversation } from "../conversation.fixture.ts";
import { inWorld } from "../disk-run.ts";
import { createVirtualTimers } from "../seeded.ts";
import { until } from "../work-world.ts";

const sent = (text: string) => ({ text, attachments: [], reply_to: null, quotes: [], signed: null });

async function receive({ messages }: Conversation, text: string): Promise<string> {
  const received = await messages.receive(sent(text), OWNER);
  assert(received.ok, "it is received");
  return received.value.message.messageId;
}

async function exchangeOf({ messages }: Conversation, messageId: string) {
  const found = await messages.talk.answered(messageId);
  assert(found.ok && found.value !== null, "it can be read");
  return found.value;
}

const ANOTHER_VERSION =
  "DROP TRIGGER queue_stays; UPDATE queue SET message = json_set(message, '$.payload.version', 2)";
const models = () => createMemoryModels(() => JSON.stringify({ message: "Well." }));

test("[BUS-13] a message that this version cannot read on the queue is blocked in the same process, and the next one is answered", () =>
  inWorld(51, async (world) => {
    const silas = await openConversation(world, { models: models() });
    const lost = await receive(silas, "call Ana");
    silas.database.exec(ANOTHER_VERSION);
    const next = await receive(silas, "and Ben");
    silas.messages.talk.start();
    const { message, turn } = await exchangeOf(silas, lost);
    expect([message.state, turn]).toEqual(["blocked", null]);
    expect(message.gate?.told).toContain("say it again");
    expect((await exchangeOf(silas, next)).turn).toMatchObject({ state: "ended", reply: "Well." });
    await silas.close();
  }));

test("[BUS-13] a turn that waits for its answer fails when its message cannot be read any more", () =>
  inWorld(52, async (world) => {
    const silas = await openConversation(world, { models: models() });
    silas.messages.talk.start();
    assert((await silas.work.stops.stop(BY)).ok, "everything is stopped");
    const messageId = await receive(silas, "call Ana");
    expect((await exchangeOf(silas, messageId)).turn).toMatchObject({ state: "waiting" });
    await silas.messages.talk.close();
    silas.database.exec(ANOTHER_VERSION);
    await silas.close();
    const again = await openConversation(world, { models: models(), vault: silas.vault });
    assert((await again.work.stops.startAgain(BY)).ok, "the stop is taken back");
    again.messages.talk.start();
    expect((await exchangeOf(again, messageId)).turn).toMatchObject({ state: "failed", failure: "turn_given_up" });
    await again.close();
  }));

test("[BUS-12] a turn whose message another process took is left where it is: its question ends, and it writes nothing more", () =>
  inWorld(53, async (world) => {
    const begun = Promise.withResolvers<AbortSignal>();
    const endless: ModelGateway = {
      ...models(),
      async ask({ signal }) {
        begun.resolve(signal);
        const ended = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => ended.resolve());
        await ended.promise;
        return err({ code: "model_interrupted" });
      },
    };
    const timers = createVirtualTimers(world.clock);
    const silas = await openConversation(world, { models: endless, timers });
    silas.messages.talk.start();
    const messageId = await receive(silas, "call Ana");
    const signal = await begun.promise;
    const turnOf = () => silas.database.prepare("SELECT turn FROM turns WHERE message_id = ?").get(messageId);
    const before = turnOf();
    silas.database.exec("UPDATE queue_leases SET fence = fence + 1, holder = 'another'");
    await until(() => timers.next(msOfInstant(world.clock.now()) + 60_000));
    await until(() => signal.aborted);
    await silas.messages.talk.close();
    expect(turnOf()).toEqual(before);
    await silas.close();
  }));
