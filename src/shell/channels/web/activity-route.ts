import type { FastifyInstance } from "fastify";
import { activityQuerySchema, auditBreakWords, chainQuerySchema, type AuditVerdict, type ChainBody } from "#model";
import type { WebContext } from "./web-context.ts";

const LIMIT_DEFAULT = 100;

/** What happened, newest first, and whether the chain it is read from holds. */
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

  app.get("/api/activity/chain", async (request, reply) => {
    const asked = chainQuerySchema.safeParse({ ...(request.query as object) });
    if (!asked.success) return context.refuse(reply, { code: "invalid_input", path: "whole", reason: "not_true" });
    const verdict = await context.activity.chain(asked.data.whole === undefined ? "since_checkpoint" : "whole");
    if (!verdict.ok) return context.refuse(reply, verdict.error);
    return reply.header("cache-control", "no-store").send(chainBody(verdict.value));
  });
}

function chainBody(verdict: AuditVerdict): ChainBody {
  const { entriesChecked: entries_checked } = verdict;
  if (verdict.valid) {
    const { head, headsChecked: kept, headsSigned: signed, lastSignedAt: last_signed_at } = verdict;
    return { ok: true, entries_checked, head, heads: { kept, signed, last_signed_at } };
  }
  return { ok: false, entries_checked, broken: verdict.broken, message: auditBreakWords(verdict.broken) };
}
