import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LIMITS, ok, type Result } from "#base";
import { nothingSchema, runRecordToWire, type StartAgainBody, type StopBody } from "#model";
import type { Refusal } from "../refusals.ts";
import { readJsonBody } from "../request-body.ts";
import { takeAct } from "../trust/signing-tries.ts";
import { actorOf, callerOf, type WebContext } from "../web-context.ts";

const VERBS = ["cancel", "pause", "resume"] as const;

/** What may be done with a run that was begun, and the one stop of everything. None of it begins anything new. */
export function addSteerRoutes(app: FastifyInstance, context: WebContext): void {
  const { work, timers } = context;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);

  for (const verb of VERBS) {
    app.post(`/api/work/:id/${verb}`, async (request, reply) => {
      const may = verb === "resume" ? takeAct(context, callerOf(request)) : ok();
      const body = may.ok ? await readJsonBody(request.raw, { schema: nothingSchema, timers }) : may;
      const steered = body.ok ? await work[verb](idOf(request), actorOf(request)) : body;
      return answer(reply, steered.ok ? ok({ run: runRecordToWire(steered.value) }) : steered);
    });
  }
  app.post("/api/stop", async (request, reply) => {
    const body = await readJsonBody(request.raw, { schema: nothingSchema, timers });
    const stopped = body.ok ? await work.stops.stop(actorOf(request)) : body;
    return answer(reply, stopped.ok ? ok<StopBody>(stopped.value) : stopped);
  });
  app.post("/api/start-again", async (request, reply) => {
    const may = takeAct(context, callerOf(request));
    const body = may.ok ? await readJsonBody(request.raw, { schema: nothingSchema, timers }) : may;
    const again = body.ok ? await work.stops.startAgain(actorOf(request)) : body;
    return answer(reply, again.ok ? ok<StartAgainBody>({ was_stopped: again.value }) : again);
  });
}

const idOf = (request: FastifyRequest): string =>
  String((request.params as { readonly id?: unknown }).id ?? "").slice(0, LIMITS.idChars);
