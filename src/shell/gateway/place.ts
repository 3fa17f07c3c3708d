import { err, ok, type Result } from "#base";
import type { EgressRefusalReason, HostRule } from "#model";
import type { Timers } from "#ports";
import type { Network, Secured } from "./network.ts";
import { connectAny, connectTo, createReach, lookUp } from "./reach.ts";

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
