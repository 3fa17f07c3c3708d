import { ok, sha256Hex, type Instant, type Result } from "#base";
import { parseYaml } from "#config";
import {
  messageSigningText,
  signatureFromHex,
  signatureToBase64,
  type AccessLadder,
  type CustomerContext,
  type Gate,
  type GateContext,
  type GateFiring,
  type GateResult,
  type KeptMessage,
  type KeptRequest,
  type KeyId,
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
import { createMessagesDoor } from "./door.ts";

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

/** A message that was kept and whose gates have not run. */
export const messageNamedReceived = (name: string): KeptMessage => ({
  messageId: `message-${name}` as KeptMessage["messageId"],
  scopeId: "owner",
  connectionId: "owner",
  channel: "web",
  senderId: "session-1",
  receivedAt: "2026-11-15T08:00:00.000Z" as Instant,
  taint: "auth",
  origin: "identity",
  signed: null,
  text: name,
  originalDigest: sha256Hex(name),
  scrubbed: [],
  sources: [],
  accessLevel: "owner",
  state: "received",
  gate: null,
  endorsed: null,
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
};

/** No model is set up. */
const NOBODY: MessagesDeps["talk"] = {
  setting: { kind: "absent", reason: "key_missing" },
  questionFor: () => undefined,
  look: () => {},
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
  const create = () =>
    createMessagesDoor({
      ...parts,
      store,
      gates: scripted(options.script ?? (() => ({})), firings),
      systemGates: GATES,
      approvals,
      decisions,
      signer,
      audit,
      customers,
      suggestions: { saying: async () => ok(null) },
      stream: { look: options.stream ?? (async () => ok(inForce({ accessLevels: levelsOf(options.ladder ?? []) }))) },
      talk: options.talk ?? NOBODY,
      settings: {
        ownerId: "owner",
        window: { ttlMs: 2_400_000, freshnessMs: 300_000 },
      },
    });
  const door = create();
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
  return { ...kept, clock, keys, approvals, door, create, events, approve, firings, loaded };
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
