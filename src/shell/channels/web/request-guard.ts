import type { FastifyReply, FastifyRequest } from "fastify";
import { err, ok, type Result } from "#base";
import { type Refusal } from "./refusals.ts";
import { securityHeaders } from "./security-headers.ts";
import { bearerProtocol } from "./socket-protocol.ts";
import { rememberCaller, type WebContext } from "./web-context.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Set on the few routes that answer without a session: health, enrolment, the page, the socket's handshake. */
    readonly open?: true;
  }
}

const METHODS = new Set(["GET", "HEAD", "POST", "DELETE"]);

/**
 * Runs before every route, known or unknown. A route without `open` is refused without a session, so a forgotten
 * setting closes a route and never opens one. [T1]
 */
export function createRequestGuard(context: WebContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> => {
    const host = request.headers.host;
    reply.headers(securityHeaders(context.place().callers.isHost(host) ? (host ?? "") : "localhost"));
    const verdict = await judge(context, request);
    if (verdict.ok) return;
    const { code } = verdict.error;
    // Another page or another name for this server is no mistake of the owner's: it is in the chain. [T1]
    if (code === "foreign_host" || code === "foreign_origin") context.refusals.callerRefused(code);
    return context.refuse(reply, verdict.error);
  };
}

async function judge(context: WebContext, request: FastifyRequest): Promise<Result<void, Refusal>> {
  const place = judgePlace(context, request);
  if (!place.ok) return place;
  if (request.routeOptions.config.open === true) return ok();
  const token = bearerToken(request.headers.authorization);
  if (token === null) return err({ code: "unauthorized" });
  const caller = await context.devices.authenticate(token);
  if (!caller.ok) return caller;
  rememberCaller(request, caller.value);
  context.openConnections.recognised(request.raw.socket);
  const rate = context.limits.requests.take(caller.value.sessionId);
  return rate.allowed ? ok() : err({ code: "rate_limited", retry_after_ms: rate.retryAfterMs });
}

/** Where the request came from and was sent to; no secret is looked at before this holds. */
function judgePlace(context: WebContext, request: FastifyRequest): Result<void, Refusal> {
  const { callers } = context.place();
  const { host, origin } = request.headers;
  if (!METHODS.has(request.method)) return err({ code: "method_not_allowed" });
  // Node reads a request line without a version as HTTP/0.9, which nobody speaks who means well.
  if (!request.raw.httpVersion.startsWith("1.")) return err({ code: "bad_request" });
  // An absolute target names a host of its own, beside the Host header that was checked.
  if (request.raw.url?.startsWith("/") !== true) return err({ code: "bad_request" });
  // Of two names Node reads the first; a proxy in between may have gone by the other.
  if (!callers.isHost(host) || request.raw.headersDistinct.host?.length !== 1) return err({ code: "foreign_host" });
  if (origin !== undefined && !callers.isOrigin(origin)) return err({ code: "foreign_origin" });
  return request.ws === true ? judgeHandshake(context, request) : ok();
}

function judgeHandshake(context: WebContext, request: FastifyRequest): Result<void, Refusal> {
  if (request.routeOptions.url !== "/ws") return err({ code: "route_not_found" });
  // A browser always sends its Origin; only a program may come without one, and it must bring its token at once.
  const hasToken = bearerProtocol(request.headers["sec-websocket-protocol"]) !== null;
  if (request.headers.origin === undefined && !hasToken) return err({ code: "foreign_origin" });
  return context.sockets.makeRoom() ? ok() : err({ code: "too_many_sockets" });
}

function bearerToken(header: string | undefined): string | null {
  const match = /^Bearer ([\x21-\x7e]{1,512})$/.exec(header ?? "");
  return match?.[1] ?? null;
}
