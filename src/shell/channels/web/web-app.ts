import type { Socket } from "node:net";
import type { FastifyInstance, FastifyServerFactory } from "fastify";
import { LIMITS } from "#base";
import { addActivityRoute } from "./activity-route.ts";
import { addConnectionRoutes } from "./connections/connection-routes.ts";
import { addJournalRoutes } from "./journal-routes.ts";
import { type ChannelRefusal } from "./refusals.ts";
import { createRequestGuard } from "./request-guard.ts";
import { addPasskeyRoutes } from "./passkeys/passkey-routes.ts";
import { addMemoryRoutes } from "./memory/memory-routes.ts";
import { addMessageRoutes } from "./messages/message-routes.ts";
import { addSecretRoutes } from "./secrets/secret-routes.ts";
import { addSessionRoutes } from "./session-routes.ts";
import { SOCKET_PROTOCOL } from "./socket-protocol.ts";
import { addSocketRoute } from "./socket-route.ts";
import { addStatusRoutes } from "./status-routes.ts";
import { addApprovalRoutes } from "./trust/approval-routes.ts";
import { addDeviceKeyRoutes } from "./trust/device-key-routes.ts";
import { addHoldRoutes } from "./trust/hold-routes.ts";
import { addKeyRoutes } from "./trust/key-routes.ts";
import type { WebContext } from "./web-context.ts";
import { addBatchRoutes } from "./work/batch-routes.ts";
import { addAutonomyRoutes } from "./work/autonomy-routes.ts";
import { addGoalRoutes } from "./work/goal-routes.ts";
import { addTimerRoutes } from "./work/timer-routes.ts";
import { addSkillRoutes } from "./work/skill-routes.ts";
import { addSteerRoutes } from "./work/steer-routes.ts";
import { addSuggestionRoutes } from "./work/suggestion-routes.ts";
import { addWorkRoutes } from "./work/work-routes.ts";

// Asked of Node directly: an import of `node:http` reads its every export, and one of them loads a whole HTTP client,
// which costs a third of the time until the server is ready.
const { createServer: createPlainServer } = process.getBuiltinModule("node:http");

/** The routes behind their guard, not yet listening. */
export async function createWebApp(context: WebContext): Promise<FastifyInstance> {
  const { fastify } = await import("fastify");
  const { trustedProxies } = context.settings;
  const createServer = serverFactory(context);
  const app = fastify({
    logger: false,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    forceCloseConnections: "idle",
    serverFactory: createServer,
    routerOptions: { maxParamLength: LIMITS.idChars },
    clientErrorHandler: (error, socket) => refuseUnreadable(context, { error, socket }),
    schemaController: { compilersFactory: NO_COMPILERS },
    frameworkErrors: (_error, _request, reply) => void context.refuse(reply, { code: "bad_request" }),
  });
  app.server.maxConnections = LIMITS.connectionsMax;
  context.openConnections.watch(app.server);
  await addSockets(app, context);
  closeAfterAnswer(app);
  addParsers(app);
  app.addHook("onRequest", createRequestGuard(context));
  app.setNotFoundHandler((_request, reply) => context.refuse(reply, { code: "route_not_found" }));
  app.setErrorHandler((error, _request, reply) => context.refuse(reply, refusalOf(error)));
  addStatusRoutes(app, context);
  addSessionRoutes(app, context);
  addJournalRoutes(app, context);
  addActivityRoute(app, context);
  addHoldRoutes(app, context);
  addKeyRoutes(app, context);
  addDeviceKeyRoutes(app, context);
  addApprovalRoutes(app, context);
  addPasskeyRoutes(app, context);
  addSecretRoutes(app, context);
  addMessageRoutes(app, context);
  addWorkRoutes(app, context);
  addSteerRoutes(app, context);
  addSuggestionRoutes(app, context);
  addAutonomyRoutes(app, context);
  addGoalRoutes(app, context);
  addTimerRoutes(app, context);
  addBatchRoutes(app, context);
  addSkillRoutes(app, context);
  addConnectionRoutes(app, context);
  addMemoryRoutes(app, context);
  addSocketRoute(app, context);
  return app;
}

/** A connection that is kept open behind the last answer would hold up the stop until the grace is over. */
function closeAfterAnswer(app: FastifyInstance): void {
  let isStopping = false;
  app.addHook("preClose", async () => void (isStopping = true));
  app.addHook("onSend", async (_request, reply) => void (isStopping && reply.header("connection", "close")));
}

/**
 * Bodies are parsed by the schemas of `#model`, answers are serialised as they are. Without these two the framework
 * loads its own schema compilers at every start, 150 files that nobody calls; a route with a schema of its own fails.
 */
const NO_COMPILERS = { buildValidator: refuseCompiling, buildSerializer: refuseCompiling };

function refuseCompiling(): never {
  throw new Error("routes have no schemas of the framework; parse with those of #model");
}

/** Bodies stay streams: each route reads its own, with its own size and time. Other media types are refused. */
function addParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  for (const type of ["application/json", "application/x-ndjson"]) {
    app.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
  }
}

function refusalOf(error: unknown): ChannelRefusal {
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode;
  if (status === 415) return { code: "json_only", expected: "application/json" };
  if (status === 413) return { code: "body_too_large", max: LIMITS.bodyBytes };
  if (status === 503) return { code: "shutting_down" };
  if (typeof status === "number" && status >= 400 && status < 500) return { code: "bad_request" };
  return { code: "internal", cause: error };
}

type Unreadable = { readonly error: Error & { readonly code?: string }; readonly socket: Socket };

/** What is not HTTP, or too slow or too large to become a request, gets one short answer and no second chance. */
function refuseUnreadable({ timers }: WebContext, { error, socket }: Unreadable): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const status =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : "400 Bad Request";
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  // One that neither reads the answer nor closes its side would stay open for as long as it likes.
  socket.once(
    "close",
    timers.after(LIMITS.socketCloseMs, () => socket.destroy()),
  );
}

async function addSockets(app: FastifyInstance, context: WebContext): Promise<void> {
  const { fastifyWebsocket } = await import("@fastify/websocket");
  await app.register(fastifyWebsocket, {
    // Compression would let a small frame become a large one in memory.
    options: {
      maxPayload: LIMITS.socketFrameBytes,
      perMessageDeflate: false,
      handleProtocols: (offered: Set<string>) => (offered.has(SOCKET_PROTOCOL) ? SOCKET_PROTOCOL : false),
    },
    errorHandler: (error, socket) => {
      context.log.info("socket_broken", { cause: error });
      socket.terminate();
    },
    preClose: (done) => {
      context.sockets.closeAll();
      done();
    },
  });
}

const SERVER_OPTIONS = {
  headersTimeout: LIMITS.requestHeadersMs,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: LIMITS.connectionIdleMs,
  maxHeaderSize: 16_384,
} as const;

function serverFactory({ settings }: WebContext): FastifyServerFactory {
  if (settings.tls === null) return (handler) => createPlainServer(SERVER_OPTIONS, handler);
  const { cert, key } = settings.tls;
  const { createServer } = process.getBuiltinModule("node:https");
  const handshakeTimeout = LIMITS.requestHeadersMs;
  return (handler) => createServer({ ...SERVER_OPTIONS, handshakeTimeout, cert, key }, handler);
}
