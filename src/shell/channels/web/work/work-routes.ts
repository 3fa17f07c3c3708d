import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LIMITS, ok, type Result } from "#base";
import { cancelRunSchema, runRecordToWire, workDetailToWire, workSummaryToWire } from "#model";
import type { Refusal } from "../refusals.ts";
import { readJsonBody } from "../request-body.ts";
import { actorOf, type WebContext } from "../web-context.ts";
import { addDoubtRoutes } from "./doubt-routes.ts";

/** Runs of approved plans: to look at and to end. Nothing is begun here; only an approval does that. */
export function addWorkRoutes(app: FastifyInstance, context: WebContext): void {
  const { work } = context;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);

  addDoubtRoutes(app, context);
  app.get("/api/work", async (_request, reply) => {
    const listed = await work.list();
    return answer(reply, listed.ok ? ok({ runs: listed.value.map(workSummaryToWire) }) : listed);
  });
  app.get("/api/work/:id", async (request, reply) => {
    const shown = await work.show(idOf(request));
    return answer(reply, shown.ok ? ok(workDetailToWire(shown.value)) : shown);
  });
  app.post("/api/work/:id/cancel", async (request, reply) => {
    const body = await readJsonBody(request.raw, { schema: cancelRunSchema, timers: context.timers });
    const ended = body.ok ? await work.cancel(idOf(request), actorOf(request)) : body;
    return answer(reply, ended.ok ? ok({ run: runRecordToWire(ended.value) }) : ended);
  });
}

const idOf = (request: FastifyRequest): string =>
  String((request.params as { readonly id?: unknown }).id ?? "").slice(0, LIMITS.idChars);
