/** A process that ends between a decision and its effect: the next start carries it out, once. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { Instant } from "#base";
import { decidedOf, orderKeyOf, queueMessageText, type KeptRequest } from "#model";
import type { Sender } from "#ports";
import { eventsOf, homeDir, openDesk, TERMINAL, type Desk } from "./batch-fixture.ts";
import { askedToConnect, installed, openConnectionDesk, until } from "./connection-fixture.ts";
import { must } from "./journal-fixture.ts";
import { decide, skillFolder } from "./skill-fixture.ts";

type Scene = {
  /** The effect is a row here; the first process cannot write one. */
  readonly table: string;
  /** The audit entry that says so. */
  readonly event: string;
  readonly ask: (desk: Desk) => Promise<KeptRequest>;
};

const STRANGER: Sender = {
  connectionId: "chat-7",
  channel: "webhook",
  senderId: "chat-7",
  identity: "unknown",
  actor: { kind: "system" },
};

const SCENES: { readonly [name: string]: Scene } = {
  "an installation": {
    table: "skill_installs",
    event: "skill_installed",
    ask: async ({ app }) => must(await app.skills.install(skillFolder(), TERMINAL)).request,
  },
  "the promotion of a memory": {
    table: "memory_promotions",
    event: "memory_promoted",
    ask: async ({ app }) => {
      const about = { memory_type: "fact", semantic_tags: [] } as { memory_type: "fact"; semantic_tags: string[] };
      const wanted = { ...about, from: "foreign", content: "Keys are under the mat" } as const;
      const { memoryId } = must(await app.memory.remember(wanted, TERMINAL));
      return must(await app.memory.promote(memoryId, TERMINAL)).request;
    },
  },
  "the endorsement of a message": {
    table: "message_endorsements",
    event: "message_endorsed",
    ask: async ({ app }) => {
      const sent = { text: "The office moves in May.", attachments: [], reply_to: null, quotes: [], signed: null };
      const { message } = must(await app.messages.receive(sent, STRANGER));
      const { messageId, scopeId } = message;
      must(await app.messages.talk.answered(messageId));
      return must(await app.messages.endorse({ messageId, scopeId, actor: TERMINAL })).request;
    },
  },
};

const told = async (desk: Desk, event: string): Promise<number> =>
  (await eventsOf(desk)).filter((entry) => entry.event === event).length;

function cut({ dataDir }: Desk, table: string): () => void {
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  database.exec(`CREATE TRIGGER cut BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'cut'); END`);
  return () => {
    database.exec("DROP TRIGGER cut");
    database.close();
  };
}

/** As if its message had never been settled. */
function deliverAgain({ dataDir }: Pick<Desk, "dataDir">, { requestId, kind, decidedAt: at }: KeptRequest): void {
  const message = decidedOf({ requestId, kind, at: at as Instant, actor: TERMINAL });
  const text = queueMessageText(message);
  if (!text.ok) throw new Error(text.error.code);
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  database.prepare("DELETE FROM sent_messages WHERE message_id = ?").run(message.id);
  database
    .prepare("INSERT INTO queue (message_id, kind, order_key, ready_at, message) VALUES (?, 'decided', ?, '', ?)")
    .run(message.id, orderKeyOf(message), text.value);
  database.close();
}

test.each(Object.entries(SCENES))(
  "%s that was decided and not carried out is carried out by the next start, once however often it is settled",
  async (_, { table, event, ask }) => {
    const home = homeDir();
    const first = await openDesk({}, home);
    const request = await ask(first);
    const mend = cut(first, table);
    await decide(first, request);
    expect(await told(first, event)).toBe(0);
    await first.app.close();
    mend();
    const second = await openDesk({}, home);
    const decided = must(await second.app.approvals.show(request.requestId));
    expect(decided.state).toBe("approved");
    await second.app.work.decisions.start();
    await expect.poll(() => told(second, event)).toBe(1);
    deliverAgain(second, decided);
    await second.app.work.decisions.follow(decided);
    expect(await told(second, event)).toBe(1);
  },
);

test("a setup that was approved in a verb begins with the next start, once however often it is settled", async () => {
  const first = await openConnectionDesk({ as: "verb" });
  await installed(first);
  const request = await askedToConnect(first);
  await decide(first, request);
  expect(must(await first.app.connections.list())).toMatchObject([{ record: { status: "proposed" }, setup: null }]);
  await first.app.close();
  const second = await openConnectionDesk({ home: first.home, service: first.service });
  await until(second.app, ({ setup }) => setup !== null);
  const decided = must(await second.app.approvals.show(request.requestId));
  deliverAgain(second, decided);
  await second.app.work.decisions.follow(decided);
  expect(await told(second, "connection_setup_begun")).toBe(1);
});
