import { canonicalDigest, assert, ok, sha256Hex, type Result, type Sha256Hex } from "#base";
import {
  payloadProjection,
  type Acknowledged,
  type AuditActor,
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

export type GatingDeps = MessagesDeps & { readonly connections: Connections };

type Arrived = { readonly message: KeptMessage; readonly stream: Stream; readonly actor: AuditActor };

/**
 * Runs the gates of a message that was kept, and keeps what they decided: those of the configuration first, then those of
 * the goal that is in force. [GATE-10]
 */
export async function settleByGates(
  deps: GatingDeps,
  { message, stream, actor }: Arrived,
): Promise<Result<Acknowledged, MessageRefusal | StoreFault>> {
  const { scopeId, connectionId } = message;
  if (stream.kind === "unverified") return holdBack(deps, { message, actor });
  const itemGates = stream.kind === "in_force" ? conversationGates(stream.item) : [];
  const outcome = await deps.gates.run({
    trigger: "every_user_message",
    context: { message: message.text, values: { sender_id: message.senderId, taint: broughtAs(message) } },
    itemGates,
    actor,
    scopeId,
  });
  const settlement = await settlementOf(deps, { message, outcome, actor });
  const question = settlement.state === "accepted" ? deps.talk.questionFor(message) : undefined;
  const settled = await deps.store.settle({ ...settlement, question });
  if (!settled.ok) return settled;
  if (settled.value.state === "accepted") {
    deps.talk.look();
    const customerId = outcome.context.values?.["customer_id"];
    await deps.connections.passed({
      connectionId,
      taint: message.taint,
      at: settlement.at,
      gateNames: openingGates([...deps.systemGates, ...itemGates], outcome.policy),
      customerId: typeof customerId === "string" ? customerId : null,
    });
  }
  return ok(await acknowledge(deps, { message: settled.value, itemGates, actor, evaluations: outcome.evaluations }));
}

/** Gates were approved that nobody can verify, so nothing passes: neither the message nor a word about it. */
async function holdBack(
  { store, clock }: GatingDeps,
  { message: { messageId, text }, actor }: Pick<Arrived, "message" | "actor">,
): Promise<Result<Acknowledged, MessageRefusal | StoreFault>> {
  const gate = { name: "goal", reason: UNVERIFIED, plan_hash: null };
  const settled = await store.settle({ messageId, text, state: "blocked", gate, at: clock.now(), actor });
  return settled.ok ? ok({ message: settled.value, reply: HELD_BACK }) : settled;
}

const UNVERIFIED = "The goal that is in force for messages cannot be verified.";

/** A gate is told of the least trusted thing in the message, be it what is attached. */
const broughtAs = ({ taint, sources }: KeptMessage): Taint => taintWithSources(taint, sources);

type Decided = { readonly message: KeptMessage; readonly outcome: GateOutcome; readonly actor: AuditActor };

/** What gates leave is used; what they stop is kept and not used; what they cannot decide waits for the owner. */
async function settlementOf(deps: GatingDeps, { message, outcome, actor }: Decided): Promise<Settlement> {
  const { messageId, text } = message;
  const made = { messageId, text, at: deps.clock.now(), actor };
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
      const asked = await deps.approvals.proposePayload(payload, actor);
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
  readonly message: KeptMessage;
  readonly itemGates: readonly Gate[];
  readonly actor: AuditActor;
  readonly evaluations: number;
};

/** Words for the sender. They pass the gates for answers, like every word that goes out. [GATE-18] */
async function acknowledge(
  deps: GatingDeps,
  { message, itemGates, actor, evaluations }: Telling,
): Promise<Acknowledged> {
  const outcome = await deps.gates.run({
    trigger: "every_agent_response",
    context: { response: replyTo(message, deps.talk) },
    itemGates,
    evaluationsBefore: evaluations,
    actor,
    scopeId: message.scopeId,
  });
  const reply = outcome.verdict === "continue" ? (outcome.context.response ?? HELD_BACK) : HELD_BACK;
  return { message, reply };
}

const HELD_BACK = "An answer was held back by a gate.";

function replyTo(message: KeptMessage, talk: MessagesDeps["talk"]): string {
  const { state, gate, taint, scrubbed, origin } = message;
  switch (state) {
    case "blocked":
      return `A gate stopped this message (${gate?.name ?? "gate"}): ${gate?.reason ?? ""} It is kept and not used.`;
    case "waiting":
      return `A gate needs your decision about this message (${gate?.name ?? "gate"}). It waits until then.`;
    default: {
      const trust = taint === "owner" || origin === "identity" ? "" : ` It does not count as yours (${origin}).`;
      const clean = scrubbed.length === 0 ? "" : " Signs in it that could mislead were made visible.";
      return `Kept.${trust}${clean} ${whoAnswers(talk, message)}`;
    }
  }
}

function whoAnswers({ setting, questionFor }: MessagesDeps["talk"], message: KeptMessage): string {
  if (setting.kind === "absent") return "No AI model is connected, so nobody answers it yet.";
  if (questionFor(message) === undefined) return "It is not answered: it is not of your own conversation.";
  return `${setting.place.model} is asked for an answer.`;
}
