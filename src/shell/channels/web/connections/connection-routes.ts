import type { FastifyInstance, FastifyRequest } from "fastify";
import { LIMITS, ok, type Result } from "#base";
import {
  connectionViewToWire,
  connectSchema,
  keptRequestToWire,
  nothingSchema,
  recoverSchema,
  stepResponseSchema,
  type ConnectionView,
} from "#model";
import { readJsonBody } from "../request-body.ts";
import { actorOf, type WebContext } from "../web-context.ts";
import { answer, type Route } from "../work/answered.ts";

/**
 * Connections: how they stand, the step a setup has come to, and asking to connect. Nothing here connects anything: that
 * is decided like every request, and no secret ever comes this way. [SETUP-09]
 */
export function addConnectionRoutes(app: FastifyInstance, context: WebContext): void {
  const { connections } = context;
  const post = <T>(path: string, route: Route<T>) =>
    app.post(path, async (request, reply) => {
      const body = await readJsonBody(request.raw, { schema: route.schema, timers: context.timers });
      return answer(context, { reply, result: body.ok ? await route.work(request, body.value) : body });
    });
  app.get("/api/connections", async (_request, reply) => {
    const listed = await connections.list();
    const result = listed.ok ? ok({ connections: listed.value.map(connectionViewToWire) }) : listed;
    return answer(context, { reply, result });
  });
  app.get("/api/connections/:id", async (request, reply) =>
    answer(context, { reply, result: viewBody(await connections.show(idOf(request))) }),
  );
  post("/api/connections/connect", {
    schema: connectSchema,
    work: async (request, { skill, identity_hint: hint }) => {
      const asked = await connections.connect({ skill, hint, actor: actorOf(request) });
      if (!asked.ok) return asked;
      const { connectionId, request: kept, isNew } = asked.value;
      return ok({ connection_id: connectionId, request: keptRequestToWire(kept), is_new: isNew });
    },
  });
  post("/api/connections/:id/step", {
    schema: stepResponseSchema,
    work: async (request, response) => viewBody(await connections.answer(idOf(request), response)),
  });
  post("/api/connections/:id/cancel", {
    schema: nothingSchema,
    work: async (request) => viewBody(await connections.cancel(idOf(request))),
  });
  post("/api/connections/:id/check", {
    schema: nothingSchema,
    work: async (request) => viewBody(await connections.check(idOf(request))),
  });
  post("/api/connections/:id/recover", {
    schema: recoverSchema,
    work: async (request, { action }) =>
      viewBody(await connections.recover(idOf(request), { action, actor: actorOf(request) })),
  });
  post("/api/connections/:id/remove", {
    schema: nothingSchema,
    work: async (request) => {
      const removed = await connections.remove(idOf(request), actorOf(request));
      return removed.ok ? ok({}) : removed;
    },
  });
}

const viewBody = <E>(result: Result<ConnectionView, E>): Result<object, E> =>
  result.ok ? ok({ connection: connectionViewToWire(result.value) }) : result;

const idOf = (request: FastifyRequest): string =>
  String((request.params as { readonly id?: unknown }).id ?? "").slice(0, LIMITS.idChars);
