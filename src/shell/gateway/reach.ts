import type { Socket } from "node:net";
import { err, isPublicAddress, ok, parseIpAddress, type Result } from "#base";
import { hostWords, type EgressRefusalReason, type HostRule } from "#model";
import type { EgressGrant, Timers } from "#ports";
import type { Network, Secured } from "./network.ts";

type ReachOptions = {
  readonly network: Network;
  readonly timers: Timers;
  readonly grant: EgressGrant;
  /** Names under which Silas itself is known outside. */
  readonly ownNames: readonly string[];
  readonly connectMs: number;
  /** Ends it at once: nobody waits for a connection any more. */
  readonly signal?: AbortSignal | undefined;
};

/** A way to one host of the grant, or why there is none. */
export type Reach = (target: HostRule) => Promise<Result<Socket, EgressRefusalReason>>;

/** Tries of one connection: a name with many addresses is not worth more. */
const ADDRESSES_TRIED = 3;

/**
 * Judges first, connects last. A name is looked up once for the whole run, all its addresses must be of the open
 * internet, and only those addresses are connected to: who answers differently the second time changes nothing.
 */
export function createReach(options: ReachOptions): Reach {
  const { grant, ownNames } = options;
  const granted = new Set(grant.hosts.map(hostWords));
  const pinned = new Map<string, Promise<Result<readonly string[], EgressRefusalReason>>>();
  const recorded = new Map<string, Promise<boolean>>();
  return async (target) => {
    const name = hostWords(target);
    if (!granted.has(name)) return err("host_not_granted");
    if (ownNames.includes(target.host)) return err("address_refused");
    const pin = await remember(pinned, { name: target.host, make: () => addressesOf(target.host, options) });
    if (!pin.ok) return pin;
    const make = () => grant.onUse({ kind: "opened", ...target });
    if (!(await remember(recorded, { name, make }))) return err("not_recorded");
    return connectAny(pin.value, { ...options, port: target.port });
  };
}

type Making<T> = { readonly name: string; readonly make: () => Promise<T> };

function remember<T>(known: Map<string, Promise<T>>, { name, make }: Making<T>): Promise<T> {
  const found = known.get(name) ?? make();
  known.set(name, found);
  return found;
}

async function addressesOf(
  host: string,
  options: ReachOptions,
): Promise<Result<readonly string[], EgressRefusalReason>> {
  const { network } = options;
  const found = await lookUp(host, options);
  if (found.length === 0) return err("name_unknown");
  const own = new Set(network.ownAddresses().map(spelled));
  const isOpen = (text: string): boolean => {
    const address = parseIpAddress(text);
    return address !== null && isPublicAddress(address) && !own.has(spelled(text));
  };
  // One address of the wrong kind among good ones is how a name is made to point inside.
  return found.every(isOpen) ? ok(found) : err("address_refused");
}

type Waiting = Pick<ReachOptions, "timers" | "connectMs" | "signal">;

/** Every address of a host; none where nobody knows it in time. */
async function lookUp(
  host: string,
  { network, ...waiting }: Waiting & Pick<ReachOptions, "network">,
): Promise<readonly string[]> {
  return parseIpAddress(host) === null ? inTime(network.resolve(host), waiting) : [host];
}

/** Whoever is asked for a name and does not answer knows none. */
function inTime(asked: Promise<readonly string[]>, waiting: Waiting): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const cancel = within(waiting, () => give([]));
    const give = (found: readonly string[]): void => {
      cancel();
      resolve(found);
    };
    asked.then(give, () => give([]));
  });
}

/** Calls this when the time is up or the signal comes, unless it is cancelled before. */
function within({ timers, connectMs, signal }: Waiting, giveUp: () => void): () => void {
  const cancelTimer = timers.after(connectMs, giveUp);
  signal?.addEventListener("abort", giveUp);
  if (signal?.aborted === true) queueMicrotask(giveUp);
  return () => {
    cancelTimer();
    signal?.removeEventListener("abort", giveUp);
  };
}

const spelled = (text: string): string => parseIpAddress(text)?.bytes.join(".") ?? text;

type Dialling = Waiting & Pick<ReachOptions, "network"> & { readonly port: number };

async function connectAny(
  addresses: readonly string[],
  dialling: Dialling,
): Promise<Result<Socket, EgressRefusalReason>> {
  for (const address of addresses.slice(0, ADDRESSES_TRIED)) {
    const socket = await connectTo(address, dialling);
    if (socket !== null) return ok(socket);
  }
  return err("unreachable");
}

/** Null when nobody answers there in time. */
function connectTo(address: string, { network, port, ...waiting }: Dialling): Promise<Socket | null> {
  const socket = network.dial({ address, port });
  return new Promise((resolve) => {
    const give = (answer: Socket | null): void => {
      cancel();
      if (answer === null) socket.destroy();
      resolve(answer);
    };
    const cancel = within(waiting, () => give(null));
    socket.once("connect", () => give(socket));
    // Stays: a connection that breaks later is the program's to notice.
    socket.on("error", () => give(null));
  });
}

/**
 * Where Silas itself connects to, as the configuration names it. `local`: this machine, without encryption; `remote`: the
 * open internet, with it; `own`: a server of the owner, with encryption, in whatever network its address lies.
 */
export type Place = HostRule & { readonly reach: "local" | "own" | "remote" };

export type Connecting = {
  readonly network: Network;
  readonly timers: Timers;
  readonly connectMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** A connection to one place: looked up once, connected by its number, encrypted wherever it leaves this machine. */
export async function connectPlace(
  { host, port, reach }: Place,
  connecting: Connecting,
): Promise<Result<Secured, EgressRefusalReason>> {
  const { network } = connecting;
  if (reach === "local") {
    // No name is looked up that could lead elsewhere.
    const socket = await connectTo(host === "localhost" ? "127.0.0.1" : host, { ...connecting, port });
    return socket === null ? err("unreachable") : ok({ socket, proven: Promise.resolve(true) });
  }
  const reached = await (reach === "own" ? connectOwn : connectRemote)({ host, port }, connecting);
  return reached.ok ? ok(network.secure(reached.value, host)) : reached;
}

function connectRemote(rule: HostRule, connecting: Connecting) {
  const grant = { hosts: [rule], onUse: async () => true };
  return createReach({ ...connecting, ownNames: [], grant })(rule);
}

async function connectOwn({ host, port }: HostRule, connecting: Connecting) {
  const found = await lookUp(host, connecting);
  return found.length === 0 ? err("name_unknown" as const) : connectAny(found, { ...connecting, port });
}
