import type { FastifyInstance, FastifyReply } from "fastify";
import { ok, type Result } from "#base";
import { autonomyViewToWire, checkAutonomySchema, keptRequestToWire, tightenSchema } from "#model";
import type { Refusal } from "../refusals.ts";
import { readJsonBody } from "../request-body.ts";
import { takeAct } from "../trust/signing-tries.ts";
import { proposedBody } from "../trust/approval-bodies.ts";
import { actorOf, callerOf, type WebContext } from "../web-context.ts";

/** Limits of autonomy: to look at, to have counted now, and to ask to have tightened. Nothing here changes one. [AUTO-13] */
export function addAutonomyRoutes(app: FastifyInstance, context: WebContext): void {
  const { autonomy } = context.work;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);

  app.get("/api/autonomy", async (_request, reply) => {
    const shown = await autonomy.show();
    return answer(reply, shown.ok ? ok(autonomyViewToWire(shown.value)) : shown);
  });
  app.post("/api/autonomy/check", async (request, reply) => {
    const may = takeAct(context, callerOf(request));
    const body = may.ok
      ? await readJsonBody(request.raw, { schema: checkAutonomySchema, timers: context.timers })
      : may;
    const checked = body.ok ? await autonomy.check() : body;
    if (!checked.ok) return answer(reply, checked);
    const proposed = checked.value.map((one) => ({ request: keptRequestToWire(one.request), is_new: one.isNew }));
    return answer(reply, ok({ proposed }));
  });
  app.post("/api/autonomy/tighten", async (request, reply) => {
    const may = takeAct(context, callerOf(request));
    const body = may.ok ? await readJsonBody(request.raw, { schema: tightenSchema, timers: context.timers }) : may;
    if (!body.ok) return answer(reply, body);
    const { request_id: requestId } = body.value;
    return answer(reply, proposedBody(await autonomy.tighten({ requestId, actor: actorOf(request) })));
  });
}
