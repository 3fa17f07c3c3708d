import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LIMITS, ok, type Result } from "#base";
import { answerSuggestionSchema, suggestionToWire } from "#model";
import type { Refusal } from "../refusals.ts";
import { readJsonBody } from "../request-body.ts";
import { actorOf, type WebContext } from "../web-context.ts";

/** What Silas suggests, and the answer to it. Taking one up asks for a decision; it makes none. [SUGG-10] */
export function addSuggestionRoutes(app: FastifyInstance, context: WebContext): void {
  const { suggestions } = context.work;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);

  app.get("/api/suggestions", async (_request, reply) => {
    const listed = await suggestions.list();
    if (!listed.ok) return answer(reply, listed);
    const missed = await suggestions.missed();
    if (!missed.ok) return answer(reply, missed);
    const [waiting, gone] = [listed.value, missed.value].map((some) => some.map(suggestionToWire));
    return answer(reply, ok({ suggestions: waiting, missed: gone }));
  });
  app.post("/api/suggestions/:id/answer", async (request, reply) => {
    const body = await readJsonBody(request.raw, { schema: answerSuggestionSchema, timers: context.timers });
    if (!body.ok) return answer(reply, body);
    const given = { answer: body.value.answer, actor: actorOf(request) };
    const answered = await suggestions.answer(idOf(request), given);
    return answer(reply, answered.ok ? ok({ suggestion: suggestionToWire(answered.value) }) : answered);
  });
}

const idOf = (request: FastifyRequest): string =>
  String((request.params as { readonly id?: unknown }).id ?? "").slice(0, LIMITS.idChars);
