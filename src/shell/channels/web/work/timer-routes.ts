import type { FastifyInstance } from "fastify";
import { timerToWire } from "#model";
import type { WebContext } from "../web-context.ts";

/** What is due at a time. Each part sets its own timers; none is set here. */
export function addTimerRoutes(app: FastifyInstance, context: WebContext): void {
  app.get("/api/timers", async (_request, reply) => {
    const listed = await context.work.timers.list();
    if (!listed.ok) return context.refuse(reply, listed.error);
    return reply.header("cache-control", "no-store").send({ timers: listed.value.map(timerToWire) });
  });
}
