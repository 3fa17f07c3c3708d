import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { connect as connectSecurely, type TLSSocket } from "node:tls";

/** The network as the machine has it. A test puts another in its place; what may be reached is judged before it. */
export type Network = {
  /** Every address of a name. Fails when there is none. */
  resolve(name: string): Promise<readonly string[]>;
  /** A connection to an address, by its number alone. */
  dial(to: { readonly address: string; readonly port: number }): Socket;
  /** The same connection, encrypted, for nobody but this host. */
  secure(socket: Socket, host: string): Secured;
  /** The addresses of this machine, the public ones too: Silas may listen there. */
  ownAddresses(): readonly string[];
};

export type Secured = {
  readonly socket: Socket;
  /** Whether the other side proved to be the host; false as well when the connection ended before. */
  readonly proven: Promise<boolean>;
};

export const systemNetwork: Network = {
  resolve: async (name) => (await lookup(name, { all: true, order: "ipv4first" })).map(({ address }) => address),
  dial: ({ address, port }) => connect({ host: address, port, lookup: noLookup }),
  // A server name is never an address (RFC 6066, 3); the certificate is held against the address all the same.
  secure: (socket, host) =>
    securedBy(connectSecurely({ socket, ...(isIP(host) === 0 ? { servername: host } : { host }) })),
  ownAddresses: () => Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)),
};

export function securedBy(socket: TLSSocket): Secured {
  const proven = new Promise<boolean>((resolve) => {
    socket.once("secureConnect", () => resolve(socket.authorized));
    socket.once("close", () => resolve(false));
  });
  return { socket, proven };
}

/** What is no address by now is not looked up again. */
function noLookup(
  _name: string,
  _options: object,
  tell: (cause: Error, address: string, family: number) => void,
): void {
  tell(new Error("only addresses are dialled"), "", 0);
}
