import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createServer as createHttp, type RequestListener } from "node:http";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { parseHostRule, type EgressUse, type HostRule, type SearchGrant } from "#model";
import type { EgressCredential } from "#ports";
import type { GatewayOptions } from "./egress-gateway.ts";
import { createEgressGateway } from "./waiting-gateway.ts";
import type { Network } from "./network.ts";

export const CONFIG: GatewayOptions["config"] = {
  channels: { web: { publicUrl: "https://silas.example.org/" } },
  search: { provider: null, apiKey: null, timeoutSeconds: 8, maxResults: 5, maxQueryChars: 300, allowedDomains: [] },
  limits: { webSearchCallsPerMinutePerScope: 20 },
};

/** Nothing is given up for its time here, however long the machine takes; who tries that brings timers along. */
const timers = { after: () => () => undefined };

/** Names and their addresses as a made-up internet has them; all its servers are one on this machine. */
type Internet = Network & { readonly asked: string[]; readonly dialled: string[] };
export function internetOf(names: Readonly<Record<string, readonly string[]>>, port: number): Internet {
  const asked: string[] = [];
  const dialled: string[] = [];
  return {
    asked,
    dialled,
    resolve: async (name) => {
      asked.push(name);
      const found = names[name];
      if (found === undefined) throw new Error("ENOTFOUND");
      return found;
    },
    dial: (to) => {
      dialled.push(`${to.address}:${to.port}`);
      return connect({ host: "127.0.0.1", port });
    },
    secure: (socket) => ({ socket, proven: Promise.resolve(true) }),
    ownAddresses: () => ["127.0.0.1", "8.8.4.4", "2001:4860:4860:0::8844"],
  };
}

export async function serverOf(listener: RequestListener): Promise<number> {
  return listening(createHttp(listener));
}

/** Says back whatever it is told. */
export const echoServer = (): Promise<number> => listening(createServer((socket) => void socket.pipe(socket)));

/** Says nothing before the other side has said everything, and never ends a connection by itself. */
export const deafServer = (): Promise<number> =>
  listening(
    createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => {}).resume();
      socket.once("end", () => socket.write("last word"));
    }),
  );

/** Answers every request with exactly this. */
export const rawServer = (answer: string): Promise<number> =>
  listening(createServer((socket) => void socket.once("data", () => socket.end(answer)).on("error", () => {})));

async function listening(server: Server | ReturnType<typeof createHttp>): Promise<number> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => open.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export const rules = (...hosts: readonly string[]): readonly HostRule[] =>
  hosts.map((host) => {
    const rule = parseHostRule(host);
    if (rule === null) throw new Error(`${host} is no host`);
    return rule;
  });

type Opening = Partial<GatewayOptions> & {
  readonly hosts: readonly string[];
  readonly network: Network;
  readonly search?: SearchGrant;
  readonly credentials?: readonly EgressCredential[];
  readonly keeps?: (use: EgressUse) => boolean | Promise<boolean>;
};

/** A door with these hosts, what was told of its use, and a way to speak through it. */
export async function openDoor({ hosts, search, credentials = [], keeps = () => true, ...given }: Opening) {
  const folder = mkdtempSync(join(tmpdir(), "silas-gateway-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // Longer than the path of a socket may be.
  const place = join(folder, "x".repeat(120), "door");
  mkdirSync(dirname(place));
  symlinkSync(dirname(place), join(folder, "d"));
  const uses: EgressUse[] = [];
  const gateway = createEgressGateway({ timers, config: CONFIG, ...given });
  const searching = search === undefined ? {} : { search };
  const grant = {
    hosts: rules(...hosts),
    credentials,
    ...searching,
    onUse: async (use: EgressUse) => (uses.push(use), keeps(use)),
  };
  const opened = await gateway.open(place, grant);
  if (!opened.ok) throw new Error(String(opened.error.cause));
  onTestFinished(() => opened.value.close());
  return { door: opened.value, uses, say: (text: string) => sayAt(join(folder, "d", "door"), text) };
}

/** Everything that comes back on one connection, until it ends or has this in it. */
async function sayAt(path: string, text: string): Promise<Talk> {
  const socket = connect({ path });
  let heard = "";
  const waiting: (() => void)[] = [];
  socket.on("data", (chunk) => {
    heard += chunk.toString("latin1");
    for (const look of waiting) look();
  });
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => {});
  socket.write(text);
  return {
    socket,
    whole: async () => (await ended, heard),
    until: (part) =>
      new Promise((resolve) => {
        const look = (): void => void (heard.includes(part) && resolve(heard));
        waiting.push(look);
        look();
        void ended.then(() => resolve(heard));
      }),
  };
}
type Talk = {
  readonly socket: Socket;
  whole(): Promise<string>;
  until(part: string): Promise<string>;
};

export const tunnelTo = (authority: string): string => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
export const pageOf = (url: string): string =>
  `GET ${url} HTTP/1.1\r\nHost: elsewhere.example\r\nProxy-Authorization: x\r\nConnection: close\r\n\r\n`;

/** A certificate for the provider's name that nobody has signed but itself. */
export const IMPOSTOR_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLUkbSyLSikworFO4
pezU9H79GwhEGVUAUWfhP18Mzq2hRANCAAQeJxQM9zUraFEXT7hz3xhK2pBqOt+s
NM1Z5AqCduas3m6SQpLqVPPXFnqGf4STHfLhpubYWQysqJ0hQKvmi5gm
-----END PRIVATE KEY-----
`;
export const IMPOSTOR_CERT = `-----BEGIN CERTIFICATE-----
MIIBozCCAUqgAwIBAgIUByJt14vJamcotDc2suH7j+Ylsu0wCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOYXBpLnRhdmlseS5jb20wIBcNMjYxMTE2MDMxNjU0WhgPMjEy
NjEwMjMwMzE2NTRaMBkxFzAVBgNVBAMMDmFwaS50YXZpbHkuY29tMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEHicUDPc1K2hRF0+4c98YStqQajrfrDTNWeQKgnbm
rN5ukkKS6lTz1xZ6hn+Ekx3y4abm2FkMrKidIUCr5ouYJqNuMGwwHQYDVR0OBBYE
FGUCHVaivhle7HD4x6UPNOgsBIFKMB8GA1UdIwQYMBaAFGUCHVaivhle7HD4x6UP
NOgsBIFKMA8GA1UdEwEB/wQFMAMBAf8wGQYDVR0RBBIwEIIOYXBpLnRhdmlseS5j
b20wCgYIKoZIzj0EAwIDRwAwRAIgNqOdcEZV+SLnmvEZBHF5lV4+5fijSziW5Dwk
IVDCCJkCIFOKlRUd+0Kt623HT+h/TGz/zz4KecxqOcTUGrhDmILB
-----END CERTIFICATE-----
`;
