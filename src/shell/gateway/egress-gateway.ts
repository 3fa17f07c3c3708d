import { closeSync, constants, openSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { basename, dirname } from "node:path";
import type { Duplex } from "node:stream";
import { err, ok, type Result } from "#base";
import { egressWords, SEARCH_DOOR, searchWords, type Config, type EgressRefusalReason, type HostRule } from "#model";
import type { EgressFault, EgressGateway, EgressGrant, Timers } from "#ports";
import { createAccount, type Account, type AccountLimits } from "./account.ts";
import { forward } from "./forward.ts";
import { systemNetwork, type Network } from "./network.ts";
import { createReach, type Reach } from "./reach.ts";
import { createSearch, type Search, type SearchConfig } from "./search.ts";
import { readAuthority, readPlainTarget } from "./target.ts";

export type GatewayLimits = AccountLimits & {
  /** Connections of one run at the same time. */
  readonly connections: number;
  readonly connectMs: number;
  /** A connection on which nothing moves for so long is ended. */
  readonly idleMs: number;
};

export type GatewayOptions = {
  readonly timers: Timers;
  readonly config: SearchConfig & {
    /** Where Silas itself is known outside; no plan reaches that. */
    readonly channels: { readonly web: Pick<Config["channels"]["web"], "publicUrl"> };
  };
  readonly network?: Network;
  readonly limits?: GatewayLimits;
};

/** The time of a run is bounded by its own limit; these keep one run from taking the machine's network for itself. */
const LIMITS_OF_RUN: GatewayLimits = {
  requests: 2_000,
  // Twice what a run may write.
  bytes: 512 * 1024 * 1024,
  connections: 64,
  connectMs: 10_000,
  idleMs: 60_000,
};

export function createServingGateway(options: GatewayOptions): EgressGateway {
  const { timers, config, network = systemNetwork, limits = LIMITS_OF_RUN } = options;
  const { publicUrl } = config.channels.web;
  const ownNames = publicUrl === null ? [] : [new URL(publicUrl).hostname];
  const search = createSearch({ config, network, timers });
  return {
    async open(socketPath, grant) {
      const reach = createReach({ timers, ownNames, network, grant, connectMs: limits.connectMs });
      const account = createAccount(grant, limits);
      const open = new Set<Duplex>();
      let closing: Promise<void> | null = null;
      const server = serve({ reach, account, limits, open, grant, search, isOpen: () => closing === null });
      const listening = await listenAt(server, socketPath);
      if (!listening.ok) return listening;
      return ok({ close: () => (closing ??= close({ server, open, account })) });
    },
  };
}

type Serving = {
  readonly reach: Reach;
  readonly account: Account;
  readonly limits: GatewayLimits;
  readonly isOpen: () => boolean;
  readonly grant: EgressGrant;
  readonly search: Search;
  /** Every connection of the run, to be ended with it. */
  readonly open: Set<Duplex>;
};

function serve(serving: Serving): Server {
  const server = createServer({ maxHeaderSize: 32 * 1024 });
  server.maxConnections = serving.limits.connections;
  server.on("connection", (socket) => keep(serving, socket));
  // Whatever a program says, it loses its connection at most.
  server.on("connect", (request, socket, head) => {
    tunnel(serving, { request, socket, head }).catch(() => socket.destroy());
  });
  server.on("request", (request, response) => {
    response.on("error", () => response.destroy());
    answer(serving, { request, response }).catch(() => response.destroy());
  });
  server.on("clientError", (_cause, socket) => socket.destroy());
  return server;
}

/** Counts, judges and connects; every refusal is told before the program hears of it. */
async function connectTo({ reach, account, limits, open, isOpen }: Serving, target: HostRule | null) {
  const refuse = async (reason: EgressRefusalReason) => {
    await account.refused(target, reason);
    return err(reason);
  };
  if (target === null) return refuse("target_unreadable");
  if (!account.begin()) return refuse("too_many_requests");
  const reached: Result<Socket, EgressRefusalReason> = await reach(target);
  if (!reached.ok) return refuse(reached.error);
  // Its run ended while the connection was made.
  if (!isOpen()) {
    reached.value.destroy();
    return err("unreachable" as const);
  }
  account.follow(reached.value, target);
  keep({ limits, open }, reached.value);
  return reached;
}

function keep({ limits, open }: Pick<Serving, "limits" | "open">, socket: Socket): void {
  open.add(socket);
  socket.setTimeout(limits.idleMs, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.once("close", () => open.delete(socket));
}

type Tunnel = { readonly request: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

/** Bytes go through as they are: what is encrypted stays so between the program and the host. */
async function tunnel(serving: Serving, { request, socket, head }: Tunnel): Promise<void> {
  const target = readAuthority(request.url ?? "", null);
  const reached = await connectTo(serving, target);
  if (!reached.ok) return void socket.end(refusalText(target, reached.error));
  const onward = reached.value;
  const count = counter(serving, { target, ends: [socket, onward] });
  socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (head.length > 0) onward.write(head);
  socket.on("data", count).pipe(onward);
  onward.on("data", count).pipe(socket);
  socket.once("close", () => onward.destroy());
  onward.once("close", () => socket.destroy());
}

type Plain = { readonly request: IncomingMessage; readonly response: ServerResponse };

async function answer(serving: Serving, { request, response }: Plain): Promise<void> {
  const asked = readPlainTarget(request.url ?? "");
  const target = asked?.rule ?? null;
  if (target?.host === SEARCH_DOOR) return answerSearch(serving, response);
  const reached = await connectTo(serving, target);
  if (!reached.ok || asked === null) {
    const reason = reached.ok ? "target_unreadable" : reached.error;
    return void response.writeHead(STATUS, { "content-type": "text/plain" }).end(`${egressWords(target, reason)}\n`);
  }
  const socket = reached.value;
  const count = counter(serving, { target, ends: [request.socket, socket] });
  forward({ request, response, socket, ...asked, target: asked.rule, onBytes: (bytes) => count({ length: bytes }) });
}

/** Whatever is asked, the approved query is searched, and nothing where none was approved. */
async function answerSearch({ grant, account, search }: Serving, response: ServerResponse): Promise<void> {
  const isAllowed = grant.search !== undefined && account.begin();
  const found = isAllowed ? await search(grant.search, grant.onUse) : err("search_not_set_up" as const);
  if (!found.ok) {
    return void response.writeHead(STATUS, { "content-type": "text/plain" }).end(`${searchWords(found.error)}\n`);
  }
  response.writeHead(200, { "content-type": "application/json" }).end(`${JSON.stringify(found.value, null, 2)}\n`);
}

type Counting = { readonly target: HostRule | null; readonly ends: readonly Duplex[] };

function counter({ account }: Serving, { target, ends }: Counting) {
  return ({ length }: { readonly length: number }): void => {
    if (account.carry(length)) return;
    void account.refused(target, "too_many_bytes");
    for (const end of ends) end.destroy();
  };
}

const STATUS = 403;

function refusalText(target: HostRule | null, reason: EgressRefusalReason): string {
  const body = `${egressWords(target, reason)}\n`;
  const head = [`HTTP/1.1 ${STATUS} ${reason}`, "Content-Type: text/plain", `Content-Length: ${body.length}`];
  return `${[...head, "Connection: close"].join("\r\n")}\r\n\r\n${body}`;
}

/** A socket's path may have 107 bytes only; opened, its folder has a short name. */
async function listenAt(server: Server, socketPath: string): Promise<Result<void, EgressFault>> {
  try {
    const folder = openSync(dirname(socketPath), constants.O_RDONLY | constants.O_DIRECTORY);
    server.once("close", () => closeSync(folder));
    return await new Promise((resolve) => {
      server.once("error", (cause) => resolve(err({ code: "egress_not_opened", cause })));
      server.listen(`/proc/self/fd/${folder}/${basename(socketPath)}`, () => resolve(ok(undefined)));
    });
  } catch (cause) {
    return err({ code: "egress_not_opened", cause });
  }
}

type Closing = Pick<Serving, "open" | "account"> & { readonly server: Server };

async function close({ server, open, account }: Closing): Promise<void> {
  const ended = [...open].map((end) => new Promise((resolve) => end.once("close", resolve)));
  for (const end of open) end.destroy();
  await Promise.all([...ended, new Promise((resolve) => server.close(resolve))]);
  await account.end();
}
