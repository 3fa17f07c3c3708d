import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LIMITS, ok, type Result } from "#base";
import { isIdPart, isRunStatus, workDetailToWire, workSummaryToWire, type WorkListBody } from "#model";
import type { Refusal } from "../refusals.ts";
import type { WebContext } from "../web-context.ts";
import { addDoubtRoutes } from "./doubt-routes.ts";

/** Runs of approved plans, to look at. Nothing is begun here; only an approval does that. */
export function addWorkRoutes(app: FastifyInstance, context: WebContext): void {
  const { work } = context;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);

  addDoubtRoutes(app, context);
  app.get("/api/work", async (request, reply) => {
    const { status, id } = request.query as { readonly status?: unknown; readonly id?: unknown };
    if (status !== undefined && !isRunStatus(status)) return context.refuse(reply, { code: "bad_request" });
    if (id !== undefined && !isIdPart(id)) return context.refuse(reply, { code: "bad_request" });
    const listed = await work.list({ status, idPart: id });
    const stopped = listed.ok ? await work.stops.current() : listed;
    if (!listed.ok || !stopped.ok) return answer(reply, stopped.ok ? listed : stopped);
    const runs = listed.value.map(workSummaryToWire);
    const body: WorkListBody = { runs, stopped: stopped.value, hold: context.hold.current() };
    return answer(reply, ok(body));
  });
  app.get("/api/work/:id", async (request, reply) => {
    const shown = await work.show(idOf(request));
    return answer(reply, shown.ok ? ok(workDetailToWire(shown.value)) : shown);
  });
}

const idOf = (request: FastifyRequest): string =>
  String((request.params as { readonly id?: unknown }).id ?? "").slice(0, LIMITS.idChars);
