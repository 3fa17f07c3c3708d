import { closeSync, constants, openSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { basename, dirname } from "node:path";
import type { Duplex } from "node:stream";
import { err, ok, type Result } from "#base";
import { egressWords, SEARCH_DOOR, searchWords, type Config, type EgressRefusalReason, type HostRule } from "#model";
import type { EgressFault, EgressGateway, EgressGrant, Timers } from "#ports";
import { createAccount, type Account, type AccountLimits } from "./account.ts";
import { credentialedTarget, isMeantInClear, prepareCredentials } from "./credentialed.ts";
import { forward } from "./forward.ts";
import { systemNetwork, type Network } from "./network.ts";
import { createReach, type Reach } from "./reach.ts";
import { createSearch, type Search, type SearchConfig } from "./search.ts";
import { readAuthority, readPlainTarget, type PlainTarget } from "./target.ts";

// Asked of Node directly: an import of `node:http` reads its every export, and one of them loads a whole HTTP client.
const { createServer } = process.getBuiltinModule("node:http");

type GatewayLimits = AccountLimits & {
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
      const server = serve({
        reach,
        account,
        limits,
        open,
        grant,
        network,
        search,
        inClear: new WeakMap(),
        isOpen: () => closing === null,
      });
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
  readonly network: Network;
  readonly search: Search;
  /** Tunnels in which nothing is encrypted, and where they go. */
  readonly inClear: WeakMap<Duplex, HostRule>;
  /** Every connection of the run, to be ended with it. */
  readonly open: Set<Duplex>;
};

function serve(serving: Serving): Server {
  // Node would end a connection between two requests much sooner, under the hands of a program that sends the next.
  const server = createServer({ maxHeaderSize: 32 * 1024, keepAliveTimeout: serving.limits.idleMs });
  server.maxConnections = serving.limits.connections;
  server.on("connection", (socket) => keep(serving, socket));
  // Whatever a program says, it loses its connection at most.
  server.on("connect", (request, socket, head) => {
    const target = readAuthority(request.url ?? "", null);
    // Many programs ask for a tunnel also where nothing is encrypted; a secret can be added only to what is read.
    if (target !== null && isMeantInClear(target, serving.grant.credentials ?? [])) {
      serving.inClear.set(socket, target);
      socket.write(ESTABLISHED);
      socket.unshift(head);
      return void server.emit("connection", socket);
    }
    tunnel(serving, { target, socket, head }).catch(() => socket.destroy());
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

type Tunnel = { readonly target: HostRule | null; readonly socket: Duplex; readonly head: Buffer };
const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";

/** Bytes go through as they are: what is encrypted stays so between the program and the host. */
async function tunnel(serving: Serving, { target, socket, head }: Tunnel): Promise<void> {
  const reached = await connectTo(serving, target);
  if (!reached.ok) return void socket.end(refusalText(target, reached.error));
  const onward = reached.value;
  const count = counter(serving, { target, ends: [socket, onward] });
  socket.write(ESTABLISHED);
  // Bytes sent together with CONNECT pass through and count like all others.
  socket.unshift(head);
  socket.on("data", count).pipe(onward);
  onward.on("data", count).pipe(socket);
  socket.once("close", () => onward.destroy());
  onward.once("close", () => socket.destroy());
}

type Plain = { readonly request: IncomingMessage; readonly response: ServerResponse };

async function answer(serving: Serving, { request, response }: Plain): Promise<void> {
  const { network, grant, account } = serving;
  const asked = askedFor(serving, request);
  if (asked?.rule.host === SEARCH_DOOR) return answerSearch(serving, response);
  const meant = asked === null ? null : credentialedTarget(asked.rule, grant.credentials ?? []);
  const target = meant?.target ?? null;
  const reached = await connectTo(serving, target);
  if (!reached.ok || asked === null || meant === null) {
    return say(response, { target, reason: reached.ok ? "target_unreadable" : reached.error });
  }
  const prepared = await prepareCredentials(reached.value, { ...meant, network });
  if (!prepared.ok) {
    reached.value.destroy();
    await account.refused(meant.target, prepared.error);
    return say(response, { target, reason: prepared.error });
  }
  const count = counter(serving, { target, ends: [request.socket, reached.value] });
  forward({
    request,
    response,
    ...prepared.value,
    path: asked.path,
    target: meant.target,
    traces: meant.credentials.flatMap(({ traces }) => traces),
    onBytes: (bytes) => count({ length: bytes }),
    onWithheld: () => {
      void account.refused(target, "credential_withheld");
      say(response, { target, reason: "credential_withheld" });
    },
  });
}

/** In a tunnel that is read a request names its path alone, and goes where the tunnel does. */
function askedFor({ inClear }: Serving, { url = "", socket }: IncomingMessage): PlainTarget | null {
  const rule = inClear.get(socket);
  if (rule === undefined) return readPlainTarget(url);
  return url.startsWith("/") ? { rule, path: url } : null;
}

type Said = { readonly target: HostRule | null; readonly reason: EgressRefusalReason };

/** In place of an answer; one that was begun is cut off. */
function say(response: ServerResponse, { target, reason }: Said): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(STATUS, { "content-type": "text/plain" }).end(`${egressWords(target, reason)}\n`);
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
    const listening = await new Promise<Result<void, EgressFault>>((resolve) => {
      server.once("error", (cause) => resolve(err({ code: "egress_not_opened", cause })));
      server.listen(`/proc/self/fd/${folder}/${basename(socketPath)}`, () => resolve(ok(undefined)));
    });
    // A server that never listened never closes.
    if (listening.ok) server.once("close", () => closeSync(folder));
    else closeSync(folder);
    return listening;
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
