import { ok, sha256Hex, type Instant } from "#base";
import { createMemoryModels, type ModelScript } from "#gateway";
import type {
  AuditActor,
  GateFiring,
  GateOutcome,
  KeptMessage,
  KeptRequest,
  LedgerEntry,
  ModelSetting,
  RunRecord,
  Taint,
  Turn,
} from "#model";
import type { Clock, MessageStore } from "#ports";
import { createSeeded, createVirtualClock } from "#sim";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { must } from "../must.fixture.ts";
import { createTalk, type TalkParts } from "./create.ts";

const AT = "2026-11-15T08:00:00.000Z" as Instant;

/** A run with the ledger it left. */
type PlayedRun = { readonly run: Partial<RunRecord>; readonly ledger: readonly Partial<LedgerEntry>[] };
type Opening = {
  readonly says: ModelScript;
  readonly runs?: readonly PlayedRun[];
  /** What a gate makes of a text; the default lets everything pass. */
  readonly gate?: (firing: GateFiring) => Partial<GateOutcome>;
  readonly done?: readonly string[];
  readonly tokensPerDay?: number;
  /** What is set up; a model that answers unless a test says otherwise. */
  readonly setting?: ModelSetting;
};

const entryOf = (over: Partial<LedgerEntry>): LedgerEntry => ({
  executionId: "exec-1",
  runId: "run-1",
  attempt: 1,
  stepIndex: 0,
  stepName: "look",
  tool: "shell_exec",
  state: "ended",
  success: true,
  returnValue: "printed",
  artifacts: {},
  error: null,
  taint: "external",
  startedAt: AT,
  endedAt: AT,
  durationMs: 1,
  exit: { kind: "exit", code: 0 },
  tokensUsed: 0,
  costUsd: 0,
  ...over,
});

/** Talk on stores in memory, with a model that says what it is told to. */
export function openTalk(opening: Opening) {
  const clock = createVirtualClock(1_794_729_600_000);
  const { audit, queue, turns, calls, messages, memories } = openInMemory();
  const models = createMemoryModels(opening.says, opening.setting);
  const played = play(opening, clock);
  const { stops, work, ...rest } = played.parts;
  const stores = { turns, calls, messages, memories, queue, stops, work };
  const settle = ({ messageId, text }: KeptMessage, state: "accepted" | "blocked") =>
    messages.settle({
      messageId,
      text,
      state,
      gate: state === "accepted" ? null : STOPPED,
      at: clock.now(),
      actor: BY,
    });
  const gating: TalkParts["gating"] = {
    judge: (message) => settle(message, "accepted"),
    giveUp: (message) => settle(message, "blocked"),
  };
  const parts: TalkParts = { ...QUIET, ...rest, gating, models, clock, randomness: createSeeded(3), stores };
  const create = (over: Partial<TalkParts> = {}) => createTalk({ ...parts, ...over });
  const talk = create();
  const receive = createReceiving(messages);
  const accept = async (text: string, taint?: Taint): Promise<string> => {
    const message = await receive(text, taint);
    must(await gating.judge(message));
    return message.messageId;
  };
  const turnOf = async (messageId: string): Promise<Turn> => {
    const turn = must(await talk.answered(messageId))?.turn ?? null;
    if (turn === null) throw new Error("there is a turn");
    return turn;
  };
  return {
    ...played,
    talk,
    create,
    models,
    audit,
    queue,
    turns,
    calls,
    messages,
    memories,
    clock,
    gating,
    receive,
    accept,
    turnOf,
    say: async (text: string, taint?: Taint): Promise<Turn> => turnOf(await accept(text, taint)),
    events: async (): Promise<readonly string[]> =>
      must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 300 }))
        .toReversed()
        .map(({ event }) => event),
  };
}

type Listeners = Set<Parameters<TalkParts["review"]["onStopChanged"]>[0]>;

const reviewOf = (listeners: Listeners): TalkParts["review"] => ({
  shownChanged: () => {},
  onStopChanged(listener) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
});

const QUIET: Pick<TalkParts, "timers" | "log" | "stream"> = {
  timers: { after: () => () => {} },
  log: { info: () => {}, warn: () => {}, error: () => {} },
  stream: { look: async () => ok({ kind: "none" }) },
};

/** What stands around it, as the opening says. */
function play({ runs = [], gate, done = [], tokensPerDay = 1_000_000 }: Opening, clock: Clock) {
  const proposed: string[] = [];
  const authors: AuditActor[] = [];
  const firings: GateFiring[] = [];
  let isStopped = false;
  const listeners: Listeners = new Set();
  const approvals: TalkParts["approvals"] = {
    async propose(text, author) {
      authors.push(author);
      return ok({ request: { requestId: `req${proposed.push(text)}` } as KeptRequest, isNew: true });
    },
    all: async () =>
      ok(
        proposed.map(
          (markdown, at) => ({ markdown, requestId: `req${at + 1}`, createdAt: clock.now() }) as KeptRequest,
        ),
      ),
  };
  const gates: TalkParts["gates"] = {
    peek: (firing) => gates.run(firing),
    async run(firing) {
      firings.push(firing);
      const passed = { policy: [], context: firing.context, verdict: "continue", firstBlock: null } as const;
      return { ...passed, escalation: null, evaluations: 0, ...gate?.(firing), quality: Promise.resolve([]) };
    },
  };
  const work: TalkParts["stores"]["work"] = {
    list: async () => ok(runs.map(({ run }) => run as RunRecord)),
    ledger: async (runId) =>
      ok(runs.filter(({ run }) => run.runId === runId).flatMap(({ ledger }) => ledger.map(entryOf))),
    doneBefore: async (id) => ok(done.includes(id) ? ({ workItemId: id } as RunRecord) : null),
  };
  const stops = {
    current: async () => ok(isStopped ? { at: clock.now(), actor: { kind: "terminal" } } : null),
  } as TalkParts["stores"]["stops"];
  return {
    proposed,
    authors,
    firings,
    stop: (): void => void (isStopped = true),
    startAgain(): void {
      isStopped = false;
      for (const listener of listeners) listener();
    },
    parts: { approvals, gates, work, stops, review: reviewOf(listeners), config: configOf(tokensPerDay) },
  };
}

const configOf = (tokensPerDay: number): TalkParts["config"] => ({
  ownerId: "owner",
  bus: { leaseSeconds: 60, heartbeatSeconds: 20, deliveriesMax: 3 },
  models: { maxOutputTokens: 100, tokensPerDay },
  context: {
    totalTokens: 20_000,
    systemMax: 8000,
    defaultProfile: "talk",
    profiles: { talk: { chroniclePct: 0.45, memoryPct: 0.2, workspacePct: 0.15 } },
  },
  memory: { retrievalMaxResults: 2 },
  personality: { constitution: ["Never fabricate information"] },
  gates: { system: [] },
});

const BY = { kind: "terminal" } as const;
const STOPPED = { name: "gates", reason: "given up", plan_hash: null };

/** Messages that came, each with an id of its own. */
function createReceiving(messages: MessageStore) {
  let count = 0;
  return async (text: string, taint: Taint = "owner"): Promise<KeptMessage> => {
    count += 1;
    const messageId = `m-${String(count).padStart(4, "0")}` as KeptMessage["messageId"];
    const message: KeptMessage = { ...KEPT, messageId, text, taint, origin: ORIGINS[taint] };
    must(await messages.receive({ first: message, replay: null, actor: BY }));
    return message;
  };
}

/** Where words of this trust come from. */
const ORIGINS = { owner: "signature", auth: "identity", external: "unknown_sender" } as const;

const KEPT: Omit<KeptMessage, "messageId" | "text" | "taint" | "origin"> = {
  scopeId: "owner",
  connectionId: "owner",
  channel: "cli",
  senderId: "terminal",
  receivedAt: AT,
  signed: null,
  originalDigest: sha256Hex("x"),
  scrubbed: [],
  sources: [],
  accessLevel: "owner",
  state: "received",
  gate: null,
  endorsed: null,
};

/** What a model without native calls answers with. */
export const answer = (message: string, plan?: object): string =>
  JSON.stringify({ message, ...(plan === undefined ? {} : { tool: "propose_plan", args: plan }) });
/** The same as it is kept. */
export const keptAnswer = (message: string, plan: object): string =>
  JSON.stringify({ message, plan_action: { action: "propose", ...plan } });
export const PLAN = `---
id: task-count
type: task
title: Count
budget: { max_attempts: 1 }
steps:
  - { name: count, run: wc -l page.txt }
---

# What to do

Count.
`;
export const proposal = (over: object = {}): object => ({ plan_markdown: PLAN, continuation_of: null, ...over });
