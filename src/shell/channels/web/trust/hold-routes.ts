import type { FastifyInstance } from "fastify";
import { acceptHoldSchema } from "#model";
import { readJsonBody } from "../request-body.ts";
import { actorOf, callerOf, type WebContext } from "../web-context.ts";
import { takeTry } from "./signing-tries.ts";

/** Accepting an older database. A page needs the signature of its own key for it. */
export function addHoldRoutes(app: FastifyInstance, context: WebContext): void {
  app.post("/api/hold/accept", async (request, reply) => {
    const may = takeTry(context, callerOf(request));
    const body = may.ok ? await readJsonBody(request.raw, { schema: acceptHoldSchema, timers: context.timers }) : may;
    if (!body.ok) return context.refuse(reply, body.error);
    const { seq, hash, signed } = body.value;
    const accepted = await context.hold.accept({
      seq,
      hash,
      actor: actorOf(request),
      signed: signed === null ? null : { keyId: signed.key_id, signature: signed.signature },
    });
    if (!accepted.ok) return context.refuse(reply, accepted.error);
    return reply.header("cache-control", "no-store").send({ hold: context.hold.current() });
  });
}
