import { err, ok, type Result } from "#base";
import type { EgressRefusalReason, HostRule } from "#model";
import type { Timers } from "#ports";
import type { Network, Secured } from "./network.ts";
import { connectTo, createReach } from "./reach.ts";

/**
 * Where Silas itself connects to, as the configuration names it. `local`: this machine, without encryption; `remote`: the
 * open internet, with it.
 */
export type Place = HostRule & { readonly reach: "local" | "remote" };

export type Connecting = { readonly network: Network; readonly timers: Timers; readonly connectMs: number };

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
  const grant = { hosts: [{ host, port }], onUse: async () => true };
  const reached = await createReach({ ...connecting, ownNames: [], grant })({ host, port });
  return reached.ok ? ok(network.secure(reached.value, host)) : reached;
}
