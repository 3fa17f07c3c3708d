import type { FastifyInstance } from "fastify";
import { activityQuerySchema } from "#model";
import type { WebContext } from "./web-context.ts";

const LIMIT_DEFAULT = 100;

/** What happened, newest first. */
export function addActivityRoute(app: FastifyInstance, context: WebContext): void {
  app.get("/api/activity", async (request, reply) => {
    const asked = activityQuerySchema.safeParse({ ...(request.query as object) });
    if (!asked.success) {
      const [issue] = asked.error.issues;
      const path = issue?.path.join(".") ?? "";
      return context.refuse(reply, { code: "invalid_input", path, reason: issue?.message ?? "invalid" });
    }
    const { from = null, to = null, before_seq: beforeSeq = null, limit = LIMIT_DEFAULT } = asked.data;
    const page = await context.activity.read({ from, to, beforeSeq, limit });
    if (!page.ok) return context.refuse(reply, page.error);
    return reply.header("cache-control", "no-store").send(page.value);
  });
}
