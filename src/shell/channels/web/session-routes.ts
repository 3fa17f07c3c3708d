import type { FastifyInstance, FastifyReply } from "fastify";
import { enrolRequestSchema, type AuditActor } from "#model";
import type { Session } from "#ports";
import { readJsonBody } from "./request-body.ts";
import { actorOf, callerOf, type WebContext } from "./web-context.ts";

/** Signing a device in and out. Codes and tokens travel in bodies and headers, never in an address. */
export function addSessionRoutes(app: FastifyInstance, context: WebContext): void {
  const { devices, sockets, clock } = context;
  addEnrolment(app, context);

  app.post("/session/links", async (request, reply) => {
    // Otherwise whoever copied the token of a browser would still be in after that browser was signed out.
    if (callerOf(request).kind === "device") return context.refuse(reply, { code: "terminal_only" });
    const { code, expiresAt } = devices.createCode();
    return noStore(reply).send({ url: `${context.place().url}/enrol#${code}`, expires_at: expiresAt });
  });

  app.get("/session", async (request, reply) => {
    const { kind, sessionId, deviceName, createdAt, lastSeenAt } = callerOf(request);
    const body = {
      session_id: sessionId,
      device_name: deviceName,
      created_at: createdAt,
      last_seen_at: lastSeenAt,
      kind,
    };
    return noStore(reply).send(body);
  });

  const revoke = async (reply: FastifyReply, { sessionId, actor }: Revocation) => {
    const revoked = await context.sessions.revoke(sessionId, { at: clock.now(), actor });
    if (!revoked.ok) return context.refuse(reply, revoked.error);
    sockets.closeSession(sessionId);
    // Its key went with it: what others show of it is not true any more.
    context.review.changed();
    context.log.info("device_revoked", { session_id: sessionId });
    return reply.code(204).send();
  };

  app.delete("/session", async (request, reply) => {
    const { kind, sessionId } = callerOf(request);
    // The terminal's token ends with the process and a configured one with its setting; neither can sign itself out.
    const actor = actorOf(request);
    return kind === "device"
      ? revoke(reply, { sessionId, actor })
      : context.refuse(reply, { code: "method_not_allowed" });
  });

  app.delete<{ Params: { id: string } }>("/sessions/:id", async (request, reply) =>
    revoke(reply, { sessionId: request.params.id, actor: actorOf(request) }),
  );

  app.get("/sessions", async (request, reply) => {
    const listed = await context.sessions.list();
    if (!listed.ok) return context.refuse(reply, listed.error);
    const current = callerOf(request).sessionId;
    const rows = listed.value.filter((session) => session.revokedAt === null).map((each) => rowOf(each, current));
    return noStore(reply).send({ sessions: rows });
  });
}

function addEnrolment(app: FastifyInstance, context: WebContext): void {
  const { devices, limits, timers } = context;
  app.post("/session/enrol", { config: { open: true } }, async (request, reply) => {
    const rate = limits.enrolment.take(request.ip);
    if (!rate.allowed) {
      context.refusals.enrolmentRefused("rate_limited");
      return context.refuse(reply, { code: "rate_limited", retry_after_ms: rate.retryAfterMs });
    }
    const body = await readJsonBody(request.raw, { schema: enrolRequestSchema, timers });
    if (!body.ok) return context.refuse(reply, body.error);
    const enrolled = await devices.enrol(body.value);
    if (!enrolled.ok) {
      if (enrolled.error.code === "enrolment_invalid") context.refusals.enrolmentRefused("invalid");
      return context.refuse(reply, enrolled.error);
    }
    context.log.info("device_enrolled", { session_id: enrolled.value.session_id });
    return noStore(reply).send(enrolled.value);
  });
}

type Revocation = { readonly sessionId: string; readonly actor: AuditActor };

function rowOf(session: Session, current: string) {
  return {
    session_id: session.sessionId,
    device_name: session.deviceName,
    created_at: session.createdAt,
    last_seen_at: session.lastSeenAt,
    current: session.sessionId === current,
  };
}

function noStore(reply: FastifyReply): FastifyReply {
  return reply.header("cache-control", "no-store");
}
