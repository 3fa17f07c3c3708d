import { canonicalDigest, assert, sha256Hex, type Result, type Sha256Hex } from "#base";
import {
  payloadProjection,
  type Gate,
  type GateOutcome,
  type KeptMessage,
  type MessageRefusal,
  type Payload,
  type Settlement,
  type StoreFault,
  type Stream,
  type Taint,
} from "#model";
import { conversationGates, openingGates, taintWithSources } from "#policy";
import type { Connections } from "./connections.ts";
import type { MessagesDeps } from "./deps.ts";

type GatingDeps = Pick<
  MessagesDeps,
  "store" | "gates" | "systemGates" | "approvals" | "audit" | "customers" | "stream" | "clock" | "onChanged"
> & { readonly connections: Connections };
type Judged = Result<KeptMessage, MessageRefusal | StoreFault>;

/** What a turn begins with: the gates of its message. */
export type Gating = {
  /** Asks the gates about a message that was kept, and keeps what they decided. Doing it again after a crash is no harm. */
  judge(message: KeptMessage): Promise<Judged>;
  /** Stops a message that nobody could judge, so that it does not seem to wait. */
  giveUp(message: KeptMessage, reason: string): Promise<Judged>;
};

export function createGating(deps: GatingDeps): Gating {
  const told = async (judged: Promise<Judged>): Promise<Judged> => {
    const answer = await judged;
    deps.onChanged();
    return answer;
  };
  return {
    judge: (message) => told(judge(deps, message)),
    giveUp: (message, reason) =>
      told(block(deps, { message, gate: { name: "gates", reason, plan_hash: null, told: NOT_JUDGED } })),
  };
}

const SYSTEM = { kind: "system" } as const;
const NOT_JUDGED = "This message could not be checked. It is kept and not used; say it again.";

/** Gates of the configuration first, then those of the goal that is in force. [GATE-10] */
async function judge(deps: GatingDeps, message: KeptMessage): Promise<Judged> {
  // Once for the whole message: what is approved while it is looked at concerns the next one. [TURN-04]
  const looked = await lookAtStream(deps);
  if (!looked.ok) return looked;
  const stream = looked.value;
  const { scopeId, connectionId } = message;
  // Gates were approved that nobody can verify, so nothing passes: neither the message nor a word about it.
  if (stream.kind === "unverified") return block(deps, { message, gate: UNVERIFIED });
  const itemGates = stream.kind === "in_force" ? conversationGates(stream.item) : [];
  const outcome = await deps.gates.run({
    trigger: "every_user_message",
    context: { message: message.text, values: { sender_id: message.senderId, taint: broughtAs(message) } },
    itemGates,
    actor: SYSTEM,
    scopeId,
  });
  const settlement = await settlementOf(deps, { message, outcome });
  const { evaluations } = outcome;
  const settled = await deps.store.settle(await withWords(deps, { settlement, itemGates, evaluations, scopeId }));
  if (!settled.ok || settled.value.state !== "accepted") return settled;
  const customerId = outcome.context.values?.["customer_id"];
  await deps.connections.passed({
    connectionId,
    taint: message.taint,
    at: settlement.at,
    gateNames: openingGates([...deps.systemGates, ...itemGates], outcome.policy),
    customerId: typeof customerId === "string" ? customerId : null,
  });
  return settled;
}

export async function lookAtStream({
  stream,
  connections,
}: Pick<GatingDeps, "stream" | "connections">): Promise<Result<Stream, StoreFault>> {
  const looked = await stream.look();
  connections.follow(looked.ok ? looked.value : { kind: "none" });
  return looked;
}

const HELD_BACK = "An answer was held back by a gate.";
const UNVERIFIED = {
  name: "goal",
  reason: "The goal that is in force for messages cannot be verified.",
  plan_hash: null,
  told: HELD_BACK,
};

type Blocking = { readonly message: KeptMessage; readonly gate: NonNullable<KeptMessage["gate"]> };

const block = ({ store, clock }: GatingDeps, { message: { messageId, text }, gate }: Blocking): Promise<Judged> =>
  store.settle({ messageId, text, state: "blocked", gate, at: clock.now(), actor: SYSTEM });

/** A gate is told of the least trusted thing in the message, be it what is attached. */
const broughtAs = ({ taint, sources }: KeptMessage): Taint => taintWithSources(taint, sources);

type Decided = { readonly message: KeptMessage; readonly outcome: GateOutcome };

/** What gates leave is used; what they stop is kept and not used; what they cannot decide waits for the owner. */
async function settlementOf(deps: GatingDeps, { message, outcome }: Decided): Promise<Settlement> {
  const { messageId, text } = message;
  const made = { messageId, text, at: deps.clock.now(), actor: SYSTEM };
  const changed = outcome.context.message ?? text;
  switch (outcome.verdict) {
    case "continue": {
      const by = outcome.policy.findLast(({ modifiedContext }) => modifiedContext?.["message"] !== undefined);
      const gate =
        changed === text || by === undefined ? null : { name: by.gateName, reason: by.reason, plan_hash: null };
      return { ...made, state: "accepted", text: changed, gate };
    }
    case "require_approval": {
      const asking = outcome.policy.find(({ action }) => action === "require_approval");
      // What is asked about, kept and used after it is what the other gates left of it. [GATE-18]
      const left = { ...message, text: changed };
      const payload = gatePayload(left, { gate: asking?.gateName ?? "gate", value: asking?.value ?? changed });
      const asked = await deps.approvals.proposePayload(payload, SYSTEM);
      const reason = asking?.reason ?? "";
      // What cannot be asked is not let through.
      if (!asked.ok)
        return { ...made, state: "blocked", gate: { name: payload.gate, reason: asked.error.code, plan_hash: null } };
      const planHash = sha256Hex(payloadProjection(payload));
      return { ...made, text: changed, state: "waiting", gate: { name: payload.gate, reason, plan_hash: planHash } };
    }
    case "block": {
      const { firstBlock } = outcome;
      const gate = { name: firstBlock?.gateName ?? "gate", reason: firstBlock?.reason ?? "", plan_hash: null };
      return { ...made, state: "blocked", gate };
    }
  }
}

type GatePayload = Extract<Payload, { readonly kind: "gate_approval" }>;

/** The message is part of what is approved, so that letting one through lets no other through. */
function gatePayload(
  message: KeptMessage,
  { gate, value }: { readonly gate: string; readonly value: string | number },
): GatePayload {
  return {
    kind: "gate_approval",
    scope_id: message.scopeId,
    gate,
    trigger: "every_user_message",
    value,
    context_digest: messageDigest(message),
  };
}

/** What an approval at a gate is bound to: this message with this text. */
export function messageDigest({ messageId, text }: KeptMessage): Sha256Hex {
  const digest = canonicalDigest({ message_id: messageId, text });
  assert(digest.ok, "a kept text has canonical bytes");
  return digest.value;
}

type Telling = {
  readonly settlement: Settlement;
  readonly itemGates: readonly Gate[];
  readonly evaluations: number;
  readonly scopeId: string;
};

/** With words for the sender of a message that did not pass as it was. They pass the gates for answers. [GATE-18] */
async function withWords(deps: GatingDeps, { settlement, ...telling }: Telling): Promise<Settlement> {
  const { gate } = settlement;
  if (gate === null) return settlement;
  const outcome = await deps.gates.run({
    trigger: "every_agent_response",
    context: { response: wordsFor(settlement.state, gate) },
    itemGates: telling.itemGates,
    evaluationsBefore: telling.evaluations,
    actor: SYSTEM,
    scopeId: telling.scopeId,
  });
  const told = outcome.verdict === "continue" ? (outcome.context.response ?? HELD_BACK) : HELD_BACK;
  return { ...settlement, gate: { ...gate, told } };
}

function wordsFor(state: Settlement["state"], { name, reason }: NonNullable<Settlement["gate"]>): string {
  switch (state) {
    case "blocked":
      return `A gate stopped this message (${name}): ${reason} It is kept and not used.`;
    case "waiting":
      return `A gate needs your decision about this message (${name}). It waits until then.`;
    case "accepted":
      return `A gate changed this message (${name}): ${reason}`;
  }
}
