import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LIMITS, ok, type Result } from "#base";
import { goalActSchema, goalDetailToWire, goalSummaryToWire } from "#model";
import type { Refusal } from "../refusals.ts";
import { readJsonBody } from "../request-body.ts";
import { takeAct } from "../trust/signing-tries.ts";
import { actorOf, callerOf, type WebContext } from "../web-context.ts";

/** Goals that are looked after: to look at, to check now, to pause. None is added here; only an approval does that. */
export function addGoalRoutes(app: FastifyInstance, context: WebContext): void {
  const { goals } = context.work;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);

  app.get("/api/goals", async (_request, reply) => {
    const listed = await goals.list();
    return answer(reply, listed.ok ? ok({ goals: listed.value.map(goalSummaryToWire) }) : listed);
  });
  app.get("/api/goals/:id", async (request, reply) => {
    const shown = await goals.show(idOf(request));
    return answer(reply, shown.ok ? ok(goalDetailToWire(shown.value)) : shown);
  });
  for (const verb of ["check", "leave", "pause", "resume"] as const) {
    app.post(`/api/goals/:id/${verb}`, async (request, reply) => {
      const may = verb === "pause" ? ok() : takeAct(context, callerOf(request));
      const body = may.ok ? await readJsonBody(request.raw, { schema: goalActSchema, timers: context.timers }) : may;
      const done = body.ok ? await goals[verb](idOf(request), actorOf(request)) : body;
      return answer(reply, done.ok ? ok(goalDetailToWire(done.value)) : done);
    });
  }
}

const idOf = (request: FastifyRequest): string =>
  String((request.params as { readonly id?: unknown }).id ?? "").slice(0, LIMITS.idChars);
