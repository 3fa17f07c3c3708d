import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KeptMessage, Turn } from "#model";
import type { Queue } from "#engine";
import type { AuditLog, MessageStore, TurnStore } from "#ports";
import { openInMemory } from "../stores-in-memory.ts";
import { at, must } from "./journal-fixture.ts";
import { BY, messageNamed, openFile } from "./message-fixture.ts";

type Opened = {
  readonly turns: TurnStore;
  readonly messages: MessageStore;
  readonly queue: Queue;
  readonly audit: AuditLog;
};

/** A message that was accepted and is to be answered. */
async function accepted({ messages }: Pick<Opened, "messages">, name: string, over: Partial<KeptMessage> = {}) {
  const message = messageNamed(name, over);
  must(await messages.receive({ first: message, replay: null, actor: BY }));
  const { messageId, text } = message;
  must(await messages.settle({ messageId, text, state: "accepted", gate: null, at: at(1), actor: BY }));
  return messageId;
}

const found = async ({ turns }: Pick<Opened, "turns">, messageId: string): Promise<Turn> => {
  const turn = must(await turns.find(messageId));
  if (turn === null) throw new Error("there is a turn");
  return turn;
};

const waitingIn = async ({ queue }: Pick<Opened, "queue">) => {
  const asked = { kinds: ["user_message"], holder: "test", countMax: 9, at: at(2), leaseMs: 1000 } as const;
  return (await queue.lease({ ...asked, deliveriesMax: 3 })).map(({ message }) => message.payload);
};

describe.each([
  ["in memory", async (): Promise<Opened> => openInMemory()],
  ["on disk", async (): Promise<Opened> => openFile()],
])("turns %s", (_name, open) => {
  test("[TURN-43] a message that is accepted begins its turn and puts its question on the queue in the same commit", async () => {
    const stores = await open();
    const messageId = await accepted(stores, "one");
    expect(await found(stores, messageId)).toMatchObject({
      state: "waiting",
      turnNumber: 1,
      answer: null,
      tokensUsed: 0,
    });
    expect((await found(stores, await accepted(stores, "two"))).turnNumber).toBe(2);
    expect((await found(stores, await accepted(stores, "far", { scopeId: "chat" }))).turnNumber).toBe(1);
    expect(await waitingIn(stores)).toContainEqual({ messageId });
    expect(must(await stores.turns.find("nobody"))).toBeNull();
    expect(must(await stores.turns.of(["nobody", messageId]))).toHaveLength(1);
  });

  test("a turn moves on from where it is and never from elsewhere, and its end is on record and stays", async () => {
    const stores = await open();
    const messageId = await accepted(stores, "one");
    const turn = await found(stores, messageId);
    const asking: Turn = { ...turn, state: "asking", askedAt: at(2), tokensUsed: 70 };
    expect(await stores.turns.move({ from: "asking", turn: asking, at: at(2) })).toMatchObject({
      error: { code: "turn_moved_on", state: "waiting" },
    });
    must(await stores.turns.move({ from: "waiting", turn: asking, at: at(2) }));
    expect(await found(stores, messageId)).toEqual(asking);
    const again = await stores.turns.move({ from: "waiting", turn: asking, at: at(2) });
    expect(again).toMatchObject({ error: { code: "turn_moved_on", state: "asking" } });
    const plan = { request_id: "0123456789abcdef", refused: null };
    const ended: Turn = { ...asking, state: "ended", endedAt: at(3), reply: "Yes.", taint: "auth", plan };
    must(await stores.turns.move({ from: "asking", turn: ended, at: at(3) }));
    expect(await found(stores, messageId)).toEqual(ended);
    const late = await stores.turns.move({ from: "ended", turn: { ...ended, reply: "No." }, at: at(4) });
    expect(late).toMatchObject({ error: { code: "turn_moved_on" } });
    const [newest] = must(await stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 1 }));
    expect(newest).toMatchObject({ event: "turn_ended", data: { message_id: messageId, taint: "auth" } });
    const unknown = await stores.turns.move({ from: "waiting", turn: { ...turn, messageId: "x" as never }, at: at(4) });
    expect(unknown).toMatchObject({ error: { code: "turn_unknown" } });
  });

  test("[TURN-43] a turn without a reply says why, and so does the chain", async () => {
    const stores = await open();
    const turn = await found(stores, await accepted(stores, "one"));
    const failed: Turn = { ...turn, state: "failed", failure: "model_timeout", endedAt: at(2) };
    must(await stores.turns.move({ from: "waiting", turn: failed, at: at(2) }));
    const [newest] = must(await stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 1 }));
    expect(newest).toMatchObject({ event: "turn_failed", data: { reason: "model_timeout" } });
    expect((await found(stores, await accepted(stores, "two"))).turnNumber).toBe(2);
  });
});

test("a reply is trusted no further than the chain tells, whatever its row says", async () => {
  const stores = await openFile();
  const messageId = await accepted(stores, "one");
  const turn = await found(stores, messageId);
  const ended: Turn = { ...turn, state: "ended", endedAt: at(3), reply: "Yes.", taint: "external" };
  must(await stores.turns.move({ from: "waiting", turn: ended, at: at(3) }));
  const database = new DatabaseSync(join(stores.dataDir, "silas.db"));
  expect(() => database.exec(`UPDATE turns SET turn = '{}'`)).toThrow("never changed");
  database.exec("DROP TRIGGER turns_stay");
  database.exec(`UPDATE turns SET turn = replace(turn, '"taint":"external"', '"taint":"owner"')`);
  database.close();
  expect((await found(stores, messageId)).taint).toBe("external");
});
