/**
 * One side of the fan-out measurement, in a process of its own so that its CPU time and memory are its own: the product's
 * web server with its change feed, or a plain TCP server that writes the same bytes. Told what to do over the IPC channel.
 */
import { createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createWebServer } from "../src/shell/channels/index.ts";
import type { HostId, NotificationBatch } from "../src/core/model/index.ts";
import { ok, sha256Hex } from "../src/core/base/index.ts";
import { createAuditRules } from "../src/core/policy/index.ts";
import { parseYaml } from "../src/config/index.ts";
import {
  createChangeFeed,
  createDeviceKeys,
  createHoldDoor,
  createActivityDoor,
  createApprovalsDoor,
  createJournalDoor,
  createKeysDoor,
  createPasskeysDoor,
  createReviewFeed,
  createSecretsDoor,
  createSigner,
  systemSha256,
  systemClock,
  systemRandomness,
  systemTimers,
} from "../src/shell/runtime/index.ts";
import type { MessagesDoor, RunFeed, Timers, WorkDoor } from "../src/shell/ports.ts";
import { createMemoryVault, openJournalInMemory, openRuntimeInMemory } from "../src/shell/stores/index.ts";
import { NOTHING_FOLLOWS } from "../sim/index.ts";

/** Hears of a number of batches to send, or of the wish to know what was used since the last time. */
export type Order =
  | { readonly kind: "publish"; readonly count: number; readonly arriving: Arriving }
  | { readonly kind: "usage" };
/** All changes in one window of the feed, or each in a window of its own. */
export type Arriving = "together" | "apart";
export type Report =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "usage"; readonly cpuMicros: number; readonly heapBytes: number };

export const BENCH_TOKEN = "bench-token-bench-token-bench-token";
/** Also what the raw side writes, so that its readers know when they have everything. */
export const frameOf = (batch: NotificationBatch): string => JSON.stringify({ type: "change_batch", batch });

/** Batches as one created task gives them: three tokens and a key. */
export function batchesOf(count: number): readonly NotificationBatch[] {
  return Array.from({ length: count }, (_, index) => {
    const key = sha256Hex(`change ${index}`);
    const id = `0192f0c1-7a3b-7c11-9e55-${String(index).padStart(12, "0")}`;
    return {
      localBatchId: `local-${id}`,
      logicalChangeKey: key,
      changeUnitKeys: [key],
      typedTokens: [
        { tokenClass: "semanticKey", tokenValue: "task" },
        { tokenClass: "subtypeToken", tokenValue: "TaskStatus.OPEN", tokenNamespace: "task" },
        { tokenClass: "entityId", tokenValue: id },
      ],
    };
  });
}

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** What waits besides requests. */
const none = async () => ok([]);
const NOTHING_ELSE = {
  work: { countInDoubt: async () => ok(0) },
  goals: { list: none },
  secureInputs: { list: none },
  connections: { list: none },
};

const NOT_HELD = { store: { current: () => null, accept: () => ok() }, onChanged: () => {} };

type Publish = (batches: readonly NotificationBatch[]) => void;

async function serveProduct(): Promise<{ readonly port: number; readonly publish: Publish }> {
  const machine = { clock: systemClock, randomness: systemRandomness, timers: systemTimers };
  // The window is a wait and costs nothing; without it the measurement is over sooner.
  const soon: Timers = { after: (_delayMs, work) => systemTimers.after(0, work) };
  const feed = createChangeFeed({ timers: soon, log: SILENT, coalesce: (batches) => batches });
  const store = openJournalInMemory({ hostId: "bench" as HostId, clock: systemClock });
  const stores = openRuntimeInMemory({ auditRules: createAuditRules(systemSha256), clock: systemClock });
  const { audit: log, sessions, approvals } = stores;
  const keys = { vault: createMemoryVault(), registry: stores.keys, ...machine };
  const signer = createSigner(keys);
  const review = createReviewFeed({ stores: { approvals, ...NOTHING_ELSE }, clock: machine.clock, log: SILENT });
  const passkeys = createPasskeysDoor({ ...keys, store: stores.passkeys, audit: log, isOwnOrigin: () => false });
  const server = await createWebServer({
    keys: createKeysDoor({ ...keys, signer, audit: log }),
    approvals: createApprovalsDoor({ ...keys, signer, store: approvals, audit: log, passkeys, ...QUIET }),
    journal: createJournalDoor({ store, feed, ...machine }),
    feed,
    secrets: createSecretsDoor({ ...keys, inputs: stores.secureInputs, onChanged: () => {} }),
    passkeys,
    review,
    deviceKeys: createDeviceKeys({ ...keys, signer, audit: log, review }),
    hold: createHoldDoor({ ...keys, ...NOT_HELD }),
    messages: SILENT_MESSAGES,
    work: { ...NO_WORK, timesOf: async () => ({ timeZone: "UTC", nextDue: null }) },
    ...NO_DOORS,
    sessions,
    activity: createActivityDoor({
      audit: log,
      whole: { verify: () => log.verify("genesis") },
      titles: approvals,
      gates: [],
    }),
    refusals: { enrolmentRefused: () => {}, callerRefused: () => {} },
    ...machine,
    log: SILENT,
    settings: {
      host: "127.0.0.1",
      port: 0,
      configuredToken: BENCH_TOKEN,
      terminalToken: `${BENCH_TOKEN}-terminal`,
      publicUrl: null,
      tls: null,
      trustedProxies: [],
      version: "0.0.0",
      dataDir: "",
      ownerId: "owner",
      pageDir: "",
      wsMessagesPerMinutePerScope: 1_000_000,
      wsMessagesPerMinutePerIp: 1_000_000,
      approvalTtlMs: 1,
      shutdownGraceMs: 1_000,
    },
  });
  const listening = await server.listen();
  if (!listening.ok) throw new Error(listening.error.code);
  return { port: listening.value.port, publish: (batches) => feed.publish(batches, "local") };
}

const SETTINGS = {
  timeoutMs: 1,
  ttlMs: 1,
  maxExecutions: 1,
  standingUsesMax: 1,
  fatigueDecisions: 1,
  undoWindowSeconds: 1,
};
const NONE = { ok: false, error: { code: "store_failed", retryable: false } } as const;
const QUIET = {
  ...NOTHING_FOLLOWS,
  skills: { factsFor: async () => NONE },
  readYaml: parseYaml,
  runs: { executions: async () => ({ ok: true, value: [] }) as const },
  settings: SETTINGS,
};

/** Nobody writes here while changes are measured. */
const NOTHING = async () => NONE;
const NO_BATCHES = { tidy: NOTHING, next: NOTHING, undo: NOTHING, proposeUndo: NOTHING };
const NO_DOORS = {
  skills: { list: NOTHING, show: NOTHING, check: NOTHING, install: NOTHING, remove: NOTHING },
  connections: {
    list: NOTHING,
    show: NOTHING,
    connect: NOTHING,
    answer: NOTHING,
    cancel: NOTHING,
    check: NOTHING,
    recover: NOTHING,
    remove: NOTHING,
  },
  memory: {
    remember: NOTHING,
    list: NOTHING,
    search: NOTHING,
    show: NOTHING,
    change: NOTHING,
    forget: NOTHING,
    promote: NOTHING,
    exportLines: async function* () {},
  },
};
const NO_STOPS = { current: NOTHING, stop: NOTHING, startAgain: NOTHING };
const NO_GOALS = { list: NOTHING, show: NOTHING, check: NOTHING, leave: NOTHING, pause: NOTHING, resume: NOTHING };
const NO_WORK: WorkDoor & RunFeed = {
  subscribeRuns: () => () => {},
  goals: NO_GOALS,
  timers: { list: NOTHING },
  autonomy: { show: NOTHING, check: NOTHING, tighten: NOTHING },
  batches: NO_BATCHES,
  doubts: { list: NOTHING, settle: NOTHING },
  suggestions: { list: NOTHING, missed: NOTHING, answer: NOTHING },
  list: NOTHING,
  show: NOTHING,
  cancel: NOTHING,
  pause: NOTHING,
  resume: NOTHING,
  stops: NO_STOPS,
};
const NO_MODEL = async () => ({ ok: false, error: { code: "model_absent" } }) as const;
const SILENT_MESSAGES: MessagesDoor = {
  talk: {
    setting: { kind: "absent", reason: "key_missing" },
    turnsOf: NOTHING,
    answered: NOTHING,
    exchangeOf: NOTHING,
    stop: NOTHING,
    subscribe: () => () => {},
    tryModel: NO_MODEL,
  },
  receive: NOTHING,
  say: NOTHING,
  list: NOTHING,
  endorse: NOTHING,
  decided: NOTHING,
};

function serveRaw(): Promise<{ readonly port: number; readonly publish: Publish }> {
  const clients = new Set<Socket>();
  const server = createServer((socket) => {
    clients.add(socket.setNoDelay(true));
    socket.once("close", () => clients.delete(socket)).on("error", () => socket.destroy());
  });
  const publish: Publish = (batches) => {
    for (const batch of batches) {
      const bytes = Buffer.from(frameOf(batch));
      for (const client of clients) client.write(bytes);
    }
  };
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address !== null && typeof address === "object") resolve({ port: address.port, publish });
    });
  });
}

async function publishApart(batches: readonly NotificationBatch[], publish: Publish): Promise<void> {
  for (const batch of batches) {
    publish([batch]);
    await wait(2);
  }
}

const report = (message: Report): void => void process.send?.(message);

async function main(mode: string): Promise<void> {
  const { port, publish } = mode === "product" ? await serveProduct() : await serveRaw();
  let used = process.cpuUsage();
  process.on("message", (order: Order) => {
    if (order.kind === "publish") {
      const batches = batchesOf(order.count);
      used = process.cpuUsage();
      return order.arriving === "together" ? publish(batches) : void publishApart(batches, publish);
    }
    const { user, system } = process.cpuUsage(used);
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return report({ kind: "usage", cpuMicros: user + system, heapBytes: heapUsed + external });
  });
  report({ kind: "listening", port });
}

if (process.send !== undefined && process.argv[2] !== undefined) await main(process.argv[2]);
