import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { err, ok, type Result } from "#base";
import {
  endorseMessageSchema,
  keptMessageToWire,
  keptRequestToWire,
  messagesQuerySchema,
  nothingSchema,
  ownWordsSchema,
  sentMessageSchema,
  toldTurnToWire,
  type Acknowledged,
  type AcknowledgedBody,
  type AuditActor,
  type ModelTriedBody,
} from "#model";
import type { Sender, TalkDoor } from "#ports";
import type { Caller } from "../device-sessions.ts";
import type { Refusal } from "../refusals.ts";
import { parseInput, readJsonBody, type BodySchema } from "../request-body.ts";
import { addTurnRoutes } from "./turn-routes.ts";
import { callerOf, type WebContext } from "../web-context.ts";

const LIMIT_DEFAULT = 100;

/**
 * Messages to Silas. Who sends is what the session says and never what the body says; a page may sign with its own key,
 * and only the terminal of this machine may have its words signed here. [MSG-07] [T6]
 */
export function addMessageRoutes(app: FastifyInstance, context: WebContext): void {
  const { messages } = context;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);
  const post = <T>(
    path: string,
    schema: BodySchema<T>,
    work: (body: T, caller: Caller) => Promise<Result<object, Refusal>>,
  ) =>
    app.post(path, async (request: FastifyRequest, reply) => {
      const body = await readJsonBody(request.raw, { schema, timers: context.timers });
      return answer(reply, body.ok ? await work(body.value, callerOf(request)) : body);
    });

  app.get("/api/messages", async (request, reply) => {
    const asked = parseInput(messagesQuerySchema, { ...(request.query as object) });
    if (!asked.ok) return answer(reply, asked);
    const { before = null, limit = LIMIT_DEFAULT } = asked.value;
    const listed = await messages.list({ scopeId: context.settings.ownerId, before, limit });
    if (!listed.ok) return answer(reply, listed);
    const last = listed.value.length < limit ? null : (listed.value.at(-1)?.messageId ?? null);
    const turns = await messages.talk.turnsOf(listed.value.map(({ messageId }) => messageId));
    if (!turns.ok) return answer(reply, turns);
    const shown = { messages: listed.value.map(keptMessageToWire), turns: turns.value.map(toldTurnToWire) };
    return answer(reply, ok({ ...shown, next_before: last }));
  });

  addTurnRoutes(app, context);

  post("/api/models/test", nothingSchema, async (_nothing, caller) => {
    const rate = context.limits.framesPerScope.take(caller.scopeId);
    if (!rate.allowed) return err({ code: "rate_limited", retry_after_ms: rate.retryAfterMs });
    return ok(triedBody(await messages.talk.tryModel()));
  });

  post("/api/messages", sentMessageSchema, async (sent, caller) => {
    const rate = context.limits.framesPerScope.take(caller.scopeId);
    if (!rate.allowed) return err({ code: "rate_limited", retry_after_ms: rate.retryAfterMs });
    return acknowledgedBody(await messages.receive(sent, senderOf(caller)));
  });

  post("/api/messages/say", ownWordsSchema, async (words, caller) => {
    if (caller.kind !== "terminal") return err({ code: "terminal_only" });
    return acknowledgedBody(await messages.say(words, senderOf(caller)));
  });

  post("/api/messages/endorse", endorseMessageSchema, async ({ message_id: messageId }, caller) => {
    const asked = await messages.endorse({ messageId, scopeId: context.settings.ownerId, actor: actorOf(caller) });
    if (!asked.ok) return asked;
    return ok({ request: keptRequestToWire(asked.value.request), is_new: asked.value.isNew });
  });
}

/** Every session there is today was opened by the owner. */
const senderOf = (caller: Caller): Sender => ({
  connectionId: caller.sessionId,
  channel: caller.kind === "terminal" ? "cli" : "web",
  senderId: caller.sessionId,
  identity: "owner",
  actor: actorOf(caller),
});

const actorOf = ({ kind, sessionId }: Caller): AuditActor =>
  kind === "terminal" ? { kind: "terminal" } : { kind: "owner", session_id: sessionId };

/** That a model does not answer is an answer, and no failure of the one who asks. */
function triedBody(tried: Awaited<ReturnType<TalkDoor["tryModel"]>>): ModelTriedBody {
  if (!tried.ok) return { answered: false, failure: tried.error.code };
  const { bytesReceived: bytes_received, tokens, saidSo: understood } = tried.value;
  return { answered: true, bytes_received, tokens, understood };
}

function acknowledgedBody<E>(result: Result<Acknowledged, E>): Result<AcknowledgedBody, E> {
  if (!result.ok) return result;
  const { message, reply } = result.value;
  return ok({ outcome: "accepted", message: keptMessageToWire(message), reply });
}
