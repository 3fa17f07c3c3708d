import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert } from "#base";
import { createMemoryModels } from "#gateway";
import type { Gate, KeptRequest, Stream } from "#model";
import type { Log, ModelGateway, Sender, Timers, Vault } from "#ports";
import { createMessages, createSigner, systemTimers, type GateCallables, type Messages } from "#runtime";
import { createMemoryVault } from "#stores";
import { answerTo, BY, RUNTIME_FILE } from "./approval-world.ts";
import type { World } from "./disk-run.ts";
import { closeWork, openWork, playSandboxes, type Played, type Script, type Working } from "./work-world.ts";

export const OWNER: Sender = {
  connectionId: "session-1",
  channel: "web",
  senderId: "session-1",
  identity: "owner",
  actor: { kind: "owner", session_id: "session-1" },
};
export const STRANGER: Sender = {
  connectionId: "chat-7",
  channel: "webhook",
  senderId: "chat-7",
  identity: "unknown",
  actor: { kind: "system" },
};

export type Conversation = Working & {
  readonly messages: Messages;
  readonly sandboxes: Played;
  readonly vault: Vault;
  /** Keeps a decision about a message without carrying it out, as when Silas ends in between. */
  readonly cutOff: Working["trust"]["approvals"];
  readonly world: World;
  /** The file itself, as somebody with access to it sees it. */
  readonly database: DatabaseSync;
  close(): Promise<void>;
};
type Opening = {
  readonly system?: readonly Gate[];
  readonly callables?: GateCallables;
  readonly script?: Script;
  /** The model that answers; none is set up where it is left out. */
  readonly models?: ModelGateway;
  readonly limits?: { readonly tokensPerDay: number };
  readonly timers?: Timers;
  /** Of a Silas that ran in this world before. */
  readonly vault?: Vault;
};

const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} };
const SHARES = { chroniclePct: 0.45, memoryPct: 0.2, workspacePct: 0.15 };
const NO_MODEL = createMemoryModels(() => "", { kind: "absent", reason: "key_missing" });

/** Messages and work on one real file, wired as in a running Silas. */
export async function openConversation(world: World, opening: Opening = {}): Promise<Conversation> {
  const { system = [], callables = {}, script = () => 0, vault = createMemoryVault(), models = NO_MODEL } = opening;
  const dataDir = join(world.root, "data");
  const sandboxes = playSandboxes(join(world.root, "spaces"), script);
  const follow = (decision: KeptRequest): Promise<void> => working.work.decisions.follow(decision);
  const others = () => ({ messages });
  const working: Working = await openWork(world, { dataDir, vault, sandboxes, system, callables, follow, others });
  const { trust, work, gates } = working;
  const { stores } = trust;
  const { clock, seeded: randomness } = world;
  const messages = createMessages({
    stores,
    models,
    review: working.review,
    timers: opening.timers ?? systemTimers,
    log: SILENT,
    registry: stores.keys,
    audit: stores.audit,
    approvals: trust.approvals,
    customers: { load: async () => null },
    signer: createSigner({ vault, registry: stores.keys, clock }),
    stream: work.stream,
    gates,
    clock,
    randomness,
    config: {
      ownerId: "owner",
      gates: { system, llmDefaults: { timeoutSeconds: 1 } },
      nonceStore: { ttlMinutes: 40, pruneIntervalMinutes: 10 },
      messages: { freshnessMinutes: 5 },
      bus: { leaseSeconds: 60, heartbeatSeconds: 20, deliveriesMax: 5 },
      models: { maxOutputTokens: 1000, tokensPerDay: 1_000_000, ...opening.limits },
      context: { totalTokens: 20_000, systemMax: 8000, defaultProfile: "talk", profiles: { talk: SHARES } },
      memory: { retrievalMaxResults: 5 },
      personality: { constitution: ["Never fabricate information"] },
    },
  });
  const database = new DatabaseSync(join(dataDir, RUNTIME_FILE));
  return {
    ...working,
    messages,
    sandboxes,
    vault,
    cutOff: trust.cutOff,
    world,
    database,
    async close() {
      database.close();
      await messages.talk.close();
      await closeWork(working);
    },
  };
}

/** What was said, and what came of it. The reply is that of the gates, or else of the turn. */
export async function say({ messages }: Conversation, text: string, sender = OWNER) {
  const sent = { text, attachments: [], reply_to: null, quotes: [], signed: null };
  const received = await messages.receive(sent, sender);
  assert(received.ok, `a message is received: ${JSON.stringify(received)}`);
  const answered = await messages.talk.answered(received.value.message.messageId);
  assert(answered.ok && answered.value !== null, "what came of it can be read");
  const { message, turn } = answered.value;
  const reply = message.gate?.told ?? turn?.reply ?? null;
  return {
    state: message.state,
    text: message.text,
    level: message.accessLevel,
    gate: message.gate?.name ?? null,
    reply,
  };
}

export async function approvePlan({ trust }: Pick<Conversation, "trust">, text: string): Promise<KeptRequest> {
  const proposed = await trust.approvals.propose(text, BY);
  assert(proposed.ok, `a plan is proposed: ${JSON.stringify(proposed)}`);
  const decided = await trust.approvals.decide(answerTo(proposed.value.request, "approved"));
  assert(decided.ok, `a plan is approved: ${JSON.stringify(decided)}`);
  return decided.value;
}

export async function lookAt({ work }: Pick<Conversation, "work">): Promise<Stream> {
  const looked = await work.stream.look();
  assert(looked.ok, "what is in force can be found out");
  return looked.value;
}

/** What the chain says of this kind of event, oldest first. */
export async function toldOf({ trust }: Pick<Conversation, "trust">, prefix: string): Promise<readonly string[]> {
  const entries = await trust.stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 });
  assert(entries.ok, "the chain can be read");
  const about = entries.value.filter(({ event }) => event.startsWith(prefix)).toReversed();
  return about.map(({ event, data }) =>
    [event, data["goal_id"], data["reason"] ?? data["replaced_goal_id"]].filter((part) => part !== undefined).join(" "),
  );
}
