import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LIMITS, ok, type Result } from "#base";
import { doubtToWire, runSettlementToWire, settleRunSchema } from "#model";
import type { Refusal } from "../refusals.ts";
import { readJsonBody } from "../request-body.ts";
import { actorOf, type WebContext } from "../web-context.ts";

/** Runs in doubt: what is to be decided, and the decision. The answer to `happened` comes when the checks have answered. */
export function addDoubtRoutes(app: FastifyInstance, context: WebContext): void {
  const { doubts } = context.work;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);

  app.get("/api/work/doubts", async (_request, reply) => {
    const listed = await doubts.list();
    return answer(reply, listed.ok ? ok({ doubts: listed.value.map(doubtToWire) }) : listed);
  });
  app.post("/api/work/:id/settle", async (request, reply) => {
    const body = await readJsonBody(request.raw, { schema: settleRunSchema, timers: context.timers });
    if (!body.ok) return answer(reply, body);
    const settled = await doubts.settle(idOf(request), { choice: body.value.choice, actor: actorOf(request) });
    return answer(reply, settled.ok ? ok({ settlement: runSettlementToWire(settled.value) }) : settled);
  });
}

const idOf = (request: FastifyRequest): string =>
  String((request.params as { readonly id?: unknown }).id ?? "").slice(0, LIMITS.idChars);
