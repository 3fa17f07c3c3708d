import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import { LIMITS, ok, type Result } from "#base";
import {
  isExchangeOver,
  keptMessageToWire,
  stopTurnSchema,
  toldTurnToWire,
  turnNewsToWire,
  turnQuerySchema,
  type Exchange,
  type StoppedTurnBody,
  type StoreFault,
  type TurnAnswerBody,
} from "#model";
import { LINES_TYPE } from "../journal-routes.ts";
import type { Refusal } from "../refusals.ts";
import { parseInput, readJsonBody } from "../request-body.ts";
import { callerOf, type WebContext } from "../web-context.ts";

/** Answers to messages: the stored turn, the reply while it is written, and its end. */
export function addTurnRoutes(app: FastifyInstance, context: WebContext): void {
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);

  app.get("/api/messages/turn", async (request, reply) => {
    const asked = parseInput(turnQuerySchema, { ...(request.query as object) });
    const found = asked.ok ? await exchangeOf(context, asked.value.message_id) : asked;
    return answer(reply, found.ok ? ok(exchangeBody(found.value)) : found);
  });

  app.post("/api/messages/stop", async (request, reply) => {
    const body = await readJsonBody(request.raw, { schema: stopTurnSchema, timers: context.timers });
    return answer(reply, body.ok ? await stopTurn(context, body.value.message_id) : body);
  });

  addStreamRoute(app, context);
}

/** Null also for a message of another scope: conversations of other connections are not this caller's. */
async function exchangeOf(
  { messages, settings }: WebContext,
  messageId: string,
): Promise<Result<Exchange | null, StoreFault>> {
  const found = await messages.talk.exchangeOf(messageId);
  if (!found.ok) return found;
  return ok(found.value?.message.scopeId === settings.ownerId ? found.value : null);
}

function exchangeBody(exchange: Exchange | null): TurnAnswerBody {
  if (exchange === null) return { message: null, turn: null };
  const { message, turn } = exchange;
  return { message: keptMessageToWire(message), turn: turn === null ? null : toldTurnToWire(turn) };
}

async function stopTurn(context: WebContext, messageId: string): Promise<Result<StoppedTurnBody, StoreFault>> {
  const found = await exchangeOf(context, messageId);
  if (!found.ok) return found;
  const outcome = found.value === null ? ok("not_answering" as const) : await context.messages.talk.stop(messageId);
  return outcome.ok ? ok({ outcome: outcome.value }) : outcome;
}

/**
 * `GET /api/messages/stream?message_id=`: one reply while it is written, a frame per line, until the turn has ended. A
 * page has its socket for this; the terminal has none, and its token holds as long as this process.
 */
function addStreamRoute(app: FastifyInstance, context: WebContext): void {
  const { talk } = context.messages;
  const open = new Set<Readable>();
  const end = (lines: Readable): void => void (open.delete(lines) && lines.push(null));
  // A stop of the server would wait for every answer otherwise.
  app.addHook("preClose", async () => open.forEach(end));

  app.get("/api/messages/stream", async (request, reply) => {
    if (callerOf(request).kind !== "terminal") return context.refuse(reply, { code: "terminal_only" });
    if (open.size >= LIMITS.socketsMax) return context.refuse(reply, { code: "too_many_sockets" });
    const asked = parseInput(turnQuerySchema, { ...(request.query as object) });
    if (!asked.ok) return context.refuse(reply, asked.error);
    const { message_id: messageId } = asked.value;
    const lines = new Readable({ read: () => {} });
    open.add(lines);
    const unsubscribe = talk.subscribe((news) => {
      if (news.messageId !== messageId || !open.has(lines)) return;
      // One that does not read is not buffered for: it reads the stored turn. [T22]
      if (lines.readableLength > LIMITS.socketBufferBytes) return void lines.destroy();
      lines.push(`${JSON.stringify(turnNewsToWire(news))}\n`);
      if (news.kind === "ended") end(lines);
    });
    lines.once("close", () => {
      unsubscribe();
      open.delete(lines);
    });
    // Asked after the subscription, so that an end in between is not missed.
    const found = await exchangeOf(context, messageId);
    if (!found.ok) {
      lines.destroy();
      return context.refuse(reply, found.error);
    }
    if (found.value === null || isExchangeOver(found.value)) end(lines);
    return reply.header("cache-control", "no-store").type(LINES_TYPE).send(lines);
  });
}
