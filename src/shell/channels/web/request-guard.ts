import type { FastifyReply, FastifyRequest } from "fastify";
import { err, ok, type Result } from "#base";
import type { Refusal } from "./refusals.ts";
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

/**
 * Headers of every answer. The page may load its own files only, open a socket to its own server only, and cannot be
 * framed; nothing else on the machine learns where it was. [T5]
 */
function securityHeaders(host: string): Readonly<Record<string, string>> {
  return {
    // `'self'` covers the socket in current browsers; older ones need its origin spelled out, plain and over TLS.
    "content-security-policy": [
      "default-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      `connect-src 'self' ws://${host} wss://${host}`,
      "worker-src 'self'",
      "manifest-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy":
      "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), bluetooth=(), midi=(), display-capture=()",
  };
}

/** Which `Host` and `Origin` values are this server's own. Everything else is someone else's page or name. */
export type AllowedCallers = {
  readonly isHost: (host: string | undefined) => boolean;
  readonly isOrigin: (origin: string) => boolean;
};

type OwnPlace = {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
  /** `channels.web.public_url`: the one further address people may open, e.g. behind their own proxy. */
  readonly publicUrl: string | null;
};

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"] as const;
/** Binding to every interface names no host; a client must still use a loopback name or the public address. */
const EVERY_INTERFACE = new Set(["0.0.0.0", "::", "[::]", ""]);
const OWN_PORT = { http: 80, https: 443 } as const;

/**
 * INVARIANT: values are compared whole. A prefix or suffix test would let `localhost:8420.evil.example` in, and a name
 * that an attacker rebinds to 127.0.0.1 is not in the list. [T1]
 */
export function createAllowedCallers({ scheme, host, port, publicUrl }: OwnPlace): AllowedCallers {
  const names = new Set<string>(LOOPBACK_NAMES);
  const configured = host.toLowerCase();
  if (!EVERY_INTERFACE.has(configured)) names.add(configured.includes(":") ? bracketed(configured) : configured);
  const hosts = new Set([...names].map((name) => `${name}:${port}`));
  // Clients leave the port out when it is the scheme's own.
  if (port === OWN_PORT[scheme]) for (const name of names) hosts.add(name);
  const origins = new Set([...hosts].map((value) => `${scheme}://${value}`));
  if (publicUrl !== null) {
    const { host: publicHost, origin } = new URL(publicUrl);
    hosts.add(publicHost);
    origins.add(origin);
  }
  return {
    isHost: (value) => value !== undefined && hosts.has(value.toLowerCase()),
    isOrigin: (origin) => origins.has(origin),
  };
}

function bracketed(host: string): string {
  return host.startsWith("[") ? host : `[${host}]`;
}
