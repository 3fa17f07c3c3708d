import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { LIMITS } from "#base";
import type { Timers } from "#ports";

/**
 * The TCP connections that are open now. INVARIANT: strangers, who have shown no token, never hold more than their
 * share. A newcomer beyond it takes the place of the stranger that has been silent longest, so whoever holds every place
 * open in silence keeps nobody out, and a connection over which a token was accepted never gives way.
 */
export interface OpenConnections {
  watch(server: Server): void;
  /** A token was accepted over this connection. */
  recognised(stream: Duplex): void;
}

export function createOpenConnections(timers: Timers): OpenConnections {
  // Insertion order is the order of the last sign of life.
  const strangers = new Map<string, Socket>();
  const add = (socket: Socket): void => {
    const name = nameOf(socket);
    if (name === null) return void socket.destroy();
    for (const [silent, oldest] of strangers) {
      if (strangers.size < LIMITS.strangersMax) break;
      strangers.delete(silent);
      oldest.destroy();
    }
    strangers.set(name, socket);
    socket.once("close", () => {
      if (strangers.get(name) === socket) strangers.delete(name);
    });
  };
  const hear = (request: IncomingMessage): void => {
    const name = nameOf(request.socket);
    const socket = name === null ? undefined : strangers.get(name);
    if (name === null || socket === undefined) return;
    strangers.delete(name);
    strangers.set(name, socket);
    const cancel = timers.after(LIMITS.strangerRequestMs, () => {
      if (!request.complete && strangers.get(name) === socket) socket.destroy();
    });
    request.once("end", cancel).once("close", cancel);
  };
  return {
    watch: (server) => void server.on("connection", add).on("request", hear),
    recognised(stream) {
      const name = nameOf(stream as Socket);
      if (name !== null) strangers.delete(name);
    },
  };
}

/** The same for the TCP connection and for TLS over it; null once it is gone. */
function nameOf({ remoteAddress, remotePort }: Socket): string | null {
  return remoteAddress === undefined ? null : `${remoteAddress} ${remotePort}`;
}
