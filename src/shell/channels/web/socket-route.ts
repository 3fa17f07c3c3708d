import type { Duplex } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { WebSocket } from "@fastify/websocket";
import { LIMITS, ok, parseStrictJson, err, type Result } from "#base";
import {
  clientFrameSchema,
  turnNewsToWire,
  wordsFor,
  type ClientFrame,
  type NotificationBatch,
  type ServerFrame,
} from "#model";
import { createMutex } from "#ports";
import type { Caller } from "./device-sessions.ts";
import { createBatchWriter, type BatchWriter } from "./batch-frame.ts";
import { bearerProtocol } from "./socket-protocol.ts";
import type { CloseReason } from "./open-sockets.ts";
import type { WebContext } from "./web-context.ts";

export function addSocketRoute(app: FastifyInstance, context: WebContext): void {
  const writeBatch = createBatchWriter();
  app.get("/ws", { websocket: true, config: { open: true } }, (socket, request) => {
    serveSocket({ context, socket, request, writeBatch });
  });
}

type Opened = Pick<Connection, "context" | "socket" | "writeBatch"> & { readonly request: FastifyRequest };

type Connection = {
  readonly context: WebContext;
  readonly socket: WebSocket;
  /** What the socket stands on: TCP, or TLS over it. */
  readonly stream: Duplex;
  readonly writeBatch: BatchWriter;
  readonly address: string;
  caller: Caller | null;
  framesWaiting: number;
  isAlive: boolean;
  readonly cleanups: (() => void)[];
};

/**
 * One socket from handshake to close. INVARIANT: until a token was accepted no frame but `auth` is looked at, and every
 * other one closes the socket with 4001. [WEB-04]
 */
function serveSocket({ context, socket, request, writeBatch }: Opened): void {
  const connection: Connection = {
    context,
    socket,
    stream: request.raw.socket,
    writeBatch,
    address: request.ip,
    caller: null,
    framesWaiting: 0,
    isAlive: true,
    cleanups: [],
  };
  const { timers, sockets } = context;
  sockets.add(socket);
  connection.cleanups.push(timers.after(LIMITS.socketAuthMs, () => closeUnauthenticated(connection)));
  // Frames are handled strictly one after the other: the second never overtakes the first one's token check.
  const inTurn = createMutex();
  const queue = (work: () => Promise<void> | void) => {
    connection.framesWaiting += 1;
    void inTurn(async () => {
      try {
        await work();
      } catch (thrown) {
        failSocket(connection, thrown);
      } finally {
        connection.framesWaiting -= 1;
      }
    });
  };
  const token = bearerProtocol(request.headers["sec-websocket-protocol"]);
  if (token !== null) queue(() => authenticate(connection, token));
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    if (connection.framesWaiting >= LIMITS.socketFramesWaiting) return socket.terminate();
    queue(() => receive(connection, { data, isBinary }));
  });
  socket.on("pong", () => void (connection.isAlive = true));
  socket.on("close", () => {
    sockets.remove(socket);
    for (const cleanup of connection.cleanups.splice(0)) cleanup();
  });
}

type RawFrame = { readonly data: Buffer; readonly isBinary: boolean };

async function receive(connection: Connection, raw: RawFrame): Promise<void> {
  const { socket } = connection;
  if (socket.readyState !== socket.OPEN) return;
  if (!takeRate(connection)) return;
  const frame = parseFrame(raw);
  if (connection.caller === null) {
    if (frame.ok && frame.value.type === "auth") return authenticate(connection, frame.value.token);
    connection.context.refusals.callerRefused("unauthenticated_frame");
    return closeUnauthenticated(connection);
  }
  if (!frame.ok) {
    sendError(connection, { code: frame.error.code });
    return close(connection, { code: frame.error.close, reason: frame.error.code });
  }
  // A second `auth` changes nothing: a socket belongs to one session from its first token to its end.
  if (frame.value.type === "ping") send(connection, { type: "pong" });
}

type FrameError = { readonly code: "invalid_frame" | "invalid_json"; readonly close: 1003 | 1007 | 1008 };

function parseFrame({ data, isBinary }: RawFrame): Result<ClientFrame, FrameError> {
  if (isBinary) return err({ code: "invalid_frame", close: 1003 });
  const json = parseStrictJson(data.toString("utf8"));
  if (!json.ok) return err({ code: "invalid_json", close: 1007 });
  const frame = clientFrameSchema.safeParse(json.value);
  return frame.success ? ok(frame.data) : err({ code: "invalid_frame", close: 1008 });
}

async function authenticate(connection: Connection, token: string): Promise<void> {
  const { context, socket } = connection;
  const caller = await context.devices.authenticate(token);
  if (socket.readyState !== socket.OPEN) return;
  if (!caller.ok) return closeUnauthenticated(connection);
  connection.caller = caller.value;
  for (const cleanup of connection.cleanups.splice(0)) cleanup();
  context.sockets.authenticated(socket, caller.value.sessionId);
  context.openConnections.recognised(connection.stream);
  send(connection, { type: "auth_ok", session_id: caller.value.sessionId, version: context.settings.version });
  const unsubscribe = context.feed.subscribe(
    (batch) => sendBatch(connection, batch),
    () => closeSlow(connection),
  );
  const unreview = context.review.subscribe(({ pendingCount }) =>
    send(connection, { type: "review_changed", pending_count: pendingCount }),
  );
  const unrun = context.work.subscribeRuns(({ runId, workItemId, news }) =>
    send(connection, { type: "run_news", run_id: runId, work_item_id: workItemId, news }),
  );
  const unturn = context.messages.talk.subscribe((news) => send(connection, turnNewsToWire(news)));
  connection.cleanups.push(unsubscribe, unreview, unrun, unturn, keepAlive(connection));
}

/** Per address always, per scope once it is known; over the limit the frame is not processed. [LIM-01] */
function takeRate(connection: Connection): boolean {
  const { limits } = connection.context;
  const perAddress = limits.framesPerAddress.take(connection.address);
  const perScope = connection.caller === null ? perAddress : limits.framesPerScope.take(connection.caller.scopeId);
  const refused = [perAddress, perScope].find((verdict) => !verdict.allowed);
  if (refused === undefined || refused.allowed) return true;
  sendError(connection, { code: "rate_limited", retry_after_ms: refused.retryAfterMs });
  return false;
}

function sendError(connection: Connection, error: { readonly code: string; readonly retry_after_ms?: number }): void {
  const { code, retry_after_ms = null } = error;
  send(connection, { type: "error", code, message: wordsFor(error), retry_after_ms });
}

/**
 * The same bytes for every socket, past the library, which would frame them anew for each. It keeps nothing half-sent
 * that these could fall into: compression is off, and it hands every frame whole to the same stream.
 */
function sendBatch(connection: Connection, batch: NotificationBatch): void {
  const { socket, stream } = connection;
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > LIMITS.socketBufferBytes) return closeSlow(connection);
  connection.writeBatch(stream, batch);
}

function send(connection: Connection, frame: ServerFrame): void {
  sendText(connection, JSON.stringify(frame));
}

function sendText(connection: Connection, text: string): void {
  const { socket } = connection;
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > LIMITS.socketBufferBytes) return closeSlow(connection);
  socket.send(text);
}

/** A socket that does not read is closed and not buffered for; it loads afresh when it comes back. [T22] */
function closeSlow(connection: Connection): void {
  connection.context.log.warn("socket_too_slow", { session_id: connection.caller?.sessionId ?? null });
  close(connection, { code: 1013, reason: "too slow" });
}

function close({ socket, context }: Connection, why: CloseReason): void {
  context.sockets.close(socket, why);
}

function closeUnauthenticated(connection: Connection): void {
  if (connection.caller === null) close(connection, { code: 4001, reason: "not authenticated" });
}

function failSocket(connection: Connection, thrown: unknown): void {
  connection.context.log.error("socket_failed", { cause: thrown });
  close(connection, { code: 1011, reason: "internal error" });
}

function keepAlive(connection: Connection): () => void {
  const { timers } = connection.context;
  const later = () => timers.after(LIMITS.socketPingMs, beat);
  const beat = () => {
    if (!connection.isAlive) return connection.socket.terminate();
    connection.isAlive = false;
    connection.socket.ping();
    cancel = later();
  };
  let cancel = later();
  return () => cancel();
}
