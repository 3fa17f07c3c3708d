import type { FastifyInstance, FastifyRequest } from "fastify";
import { err, LIMITS, ok } from "#base";
import { removeSkillSchema, skillCheckToWire, skillPlaceSchema, skillViewToWire } from "#model";
import { readJsonBody } from "../request-body.ts";
import { proposedBody } from "../trust/approval-bodies.ts";
import { actorOf, callerOf, type WebContext } from "../web-context.ts";
import { answer, type Route } from "./answered.ts";

/**
 * Skills: how they stand, and asking for one. Nothing here installs anything: that is decided like every request. Only
 * the terminal has a folder looked at or removed, since it names places of this machine.
 */
export function addSkillRoutes(app: FastifyInstance, context: WebContext): void {
  const { skills } = context;
  const post = <T>(path: string, route: Route<T>) =>
    app.post(path, async (request, reply) => {
      if (callerOf(request).kind !== "terminal") return context.refuse(reply, { code: "terminal_only" });
      const body = await readJsonBody(request.raw, { schema: route.schema, timers: context.timers });
      return answer(context, { reply, result: body.ok ? await route.work(request, body.value) : body });
    });
  app.get("/api/skills", async (_request, reply) => {
    const listed = await skills.list();
    const result = listed.ok ? ok({ skills: listed.value.map(skillViewToWire) }) : listed;
    return answer(context, { reply, result });
  });
  app.get("/api/skills/:name", async (request, reply) => {
    const shown = await skills.show(nameOf(request));
    if (!shown.ok) return answer(context, { reply, result: err(shown.error) });
    const { view, check } = shown.value;
    const body = { view: skillViewToWire(view), check: check === null ? null : skillCheckToWire(check) };
    return answer(context, { reply, result: ok(body) });
  });
  post("/api/skills/check", {
    schema: skillPlaceSchema,
    work: async (_request, { place }) => {
      const checked = await skills.check(place);
      return checked.ok ? ok(skillCheckToWire(checked.value)) : checked;
    },
  });
  post("/api/skills/install", {
    schema: skillPlaceSchema,
    work: async (request, { place }) => proposedBody(await skills.install(place, actorOf(request))),
  });
  post("/api/skills/:name/remove", {
    schema: removeSkillSchema,
    work: async (request) => {
      const removed = await skills.remove(nameOf(request), actorOf(request));
      return removed.ok ? ok({}) : removed;
    },
  });
}

const nameOf = (request: FastifyRequest): string =>
  String((request.params as { readonly name?: unknown }).name ?? "").slice(0, LIMITS.idChars);
