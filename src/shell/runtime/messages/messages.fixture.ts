import { ok, sha256Hex, type Instant, type Result } from "#base";
import { parseYaml } from "#config";
import {
  messageSigningText,
  signatureFromHex,
  signatureToBase64,
  type AccessLadder,
  type Acknowledged,
  type CustomerContext,
  type Gate,
  type GateContext,
  type GateFiring,
  type GateResult,
  type KeptRequest,
  type KeyId,
  type OwnWords,
  type SentMessage,
  type StoreFault,
  type Stream,
  type WorkItem,
} from "#model";
import { createAuditRules } from "#policy";
import type { GateRunner, Sender } from "#ports";
import { createSeeded, createVirtualClock, NO_PASSKEYS, NO_SKILLS, NOTHING_FOLLOWS } from "#sim";
import { createMemoryVault } from "#stores";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { createApprovalsDoor } from "../approvals/door.ts";
import { SETTINGS } from "../approvals/page.fixture.ts";
import { createKeysDoor } from "../keys/door.ts";
import { keyIdOf, publicKeyOf, signWith } from "../keys/ed25519.ts";
import { createSigner } from "../keys/signer.ts";
import { must } from "../must.fixture.ts";
import type { MessagesDeps } from "./deps.ts";
import { createConnections } from "./connections.ts";
import { createMessagesDoor } from "./door.ts";
import { createGating } from "./gating.ts";

export const TERMINAL = { kind: "terminal" } as const;
export const OWNER: Sender = {
  connectionId: "session-1",
  channel: "web",
  senderId: "session-1",
  identity: "owner",
  actor: { kind: "owner", session_id: "session-1" },
};
export const stranger = (name: string): Sender => ({
  connectionId: name,
  channel: "webhook",
  senderId: name,
  identity: "unknown",
  actor: { kind: "system" },
});
export const sent = (text: string, over: Partial<SentMessage> = {}): SentMessage => ({
  text,
  attachments: [],
  reply_to: null,
  quotes: [],
  signed: null,
  ...over,
});

/** Gates that do what a test says; the default lets everything pass. */
export type Script = (firing: GateFiring) => {
  readonly results?: readonly Partial<GateResult>[];
  readonly context?: GateContext;
};

type Options = {
  readonly script?: Script;
  /** The levels of a goal that is in force. */
  readonly ladder?: AccessLadder;
  /** What is in force at the next message. */
  readonly stream?: () => Promise<Result<Stream, StoreFault>>;
  readonly talk?: MessagesDeps["talk"];
  /** Those of the configuration. */
  readonly gates?: readonly Gate[];
};

/** No model is set up. */
const NOBODY: MessagesDeps["talk"] = {
  setting: { kind: "absent", reason: "key_missing" },
};

/** A goal that is in force, by its so many-th approval. */
export const inForce = (over: Partial<WorkItem> = {}, time = 1): Stream => ({
  kind: "in_force",
  goal: {
    goalId: "goal-shop",
    requestId: `request-${time}`,
    tokenId: `tok_${time}`,
    runId: `run-${time}`,
    planHash: sha256Hex(`plan ${time}`),
  },
  item: { gates: [], accessLevels: {}, ...over } as Partial<WorkItem> as WorkItem,
});
export const levelsOf = (ladder: AccessLadder): WorkItem["accessLevels"] =>
  Object.fromEntries(ladder.map(({ name, level }) => [name, level]));

/** Around approvals that are about messages alone. */
const QUIET = {
  ...NOTHING_FOLLOWS,
  passkeys: NO_PASSKEYS,
  skills: NO_SKILLS,
  readYaml: parseYaml,
  runs: { executions: async () => ok([]) },
  settings: SETTINGS,
};

export async function setUp(options: Options = {}) {
  const clock = createVirtualClock(1_794_729_600_000);
  const opened = openInMemory(
    createAuditRules(sha256Hex, () => true),
    clock,
  );
  const { audit, keys: registry, sessions, approvals: decisions, nonces, messages: store, handle } = opened;
  const parts = { clock, randomness: createSeeded(1), vault: createMemoryVault(), registry };
  const signer = createSigner(parts);
  const keys = createKeysDoor({ ...parts, signer, audit });
  must(await keys.prepare());
  const trust = { ...parts, ...QUIET, signer, store: decisions, audit };
  const approvals = createApprovalsDoor(trust);
  const firings: GateFiring[] = [];
  const loaded: string[] = [];
  const customers = { load: async (id: string): Promise<CustomerContext> => ({ id: loaded.push(id) && id }) };
  const own = {
    ...parts,
    store,
    gates: scripted(options.script ?? (() => ({})), firings),
    systemGates: options.gates ?? GATES,
    approvals,
    decisions,
    signer,
    audit,
    customers,
    suggestions: { saying: async () => ok(null) },
    stream: { look: options.stream ?? (async () => ok(inForce({ accessLevels: levelsOf(options.ladder ?? []) }))) },
    talk: options.talk ?? NOBODY,
    onChanged: () => {},
    settings: {
      ownerId: "owner",
      window: { ttlMs: 2_400_000, freshnessMs: 300_000 },
    },
  };
  const judging = { ...own, connections: createConnections(own) };
  const gating = createGating(judging);
  const inner = createMessagesDoor(judging);
  const door = withVerdicts({ inner, store, gating });
  const events = async (): Promise<readonly string[]> =>
    must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 300 }))
      .toReversed()
      .map(({ event, data }) => ("reason" in data ? `${event} ${String(data["reason"])}` : event))
      .filter((event) => event.startsWith("message_") || event.startsWith("access_"));
  const approve = (request: KeptRequest, verdict: "approved" | "declined" = "approved") =>
    createApprovalsDoor({ ...trust, follow: async (decision) => void (await door.decided(decision)) }).decide({
      requestId: request.requestId,
      verdict,
      shownHash: request.planHash,
      friction: ["tap", "confirm", "slide"],
      actor: TERMINAL,
    });
  const kept = { registry, sessions, store, nonces, decisions, handle };
  return { ...kept, clock, keys, approvals, door, inner, gating, events, approve, firings, loaded };
}

type Judging = {
  readonly inner: ReturnType<typeof createMessagesDoor>;
  readonly store: MessagesDeps["store"];
  readonly gating: ReturnType<typeof createGating>;
};

/** Each message is judged at once, as its turn begins. The reply is what its sender is told of the gates, if anything. */
function withVerdicts({ inner, store, gating }: Judging) {
  const judged = async <E>(received: Promise<Result<Acknowledged, E>>) => {
    const kept = await received;
    if (!kept.ok) return kept;
    const message = must(await store.find(kept.value.message.messageId));
    if (message === null) throw new Error("it is kept");
    const settled = await gating.judge(message);
    return settled.ok ? ok({ message: settled.value, reply: settled.value.gate?.told ?? null }) : settled;
  };
  return {
    ...inner,
    receive: (given: SentMessage, sender: Sender) => judged(inner.receive(given, sender)),
    say: (words: OwnWords, sender: Sender) => judged(inner.say(words, sender)),
  };
}

const GATES = ["who", "badge"].map((name) => ({ name, on: "every_user_message", type: "custom_check" }) as Gate);

function scripted(script: Script, firings: GateFiring[]): GateRunner {
  const runner: GateRunner = {
    peek: (firing) => runner.run(firing),
    async run(firing) {
      firings.push(firing);
      const { results = [], context } = script(firing);
      const policy = results.map((result) => ({ ...PASSED, ...result }));
      const firstBlock = policy.find(({ action }) => action === "block") ?? null;
      const asks = policy.some(({ action }) => action === "require_approval");
      return {
        policy,
        quality: Promise.resolve([]),
        context: { ...firing.context, ...context },
        verdict: firstBlock === null ? (asks ? "require_approval" : "continue") : "block",
        firstBlock,
        escalation: null,
        evaluations: policy.length,
      };
    },
  };
  return runner;
}

const PASSED: GateResult = {
  gateName: "gate",
  lane: "policy",
  action: "continue",
  code: "passed",
  reason: "",
  value: null,
  score: null,
  flags: [],
  modifiedContext: null,
};

/** A key that is somewhere else, such as in a browser. */
export function otherKey(seed: number) {
  const bytes = new Uint8Array(32).fill(seed);
  const publicKey = publicKeyOf(bytes);
  const keyId: KeyId = keyIdOf(publicKey);
  const sign = (claim: { readonly text: string; readonly timestamp: Instant; readonly nonce: string }) => ({
    key_id: keyId,
    timestamp: claim.timestamp,
    nonce: claim.nonce,
    signature: signatureToBase64(signatureFromHex(signWith(bytes, Buffer.from(messageSigningText(claim))))),
  });
  return { publicKey, keyId, sign };
}
