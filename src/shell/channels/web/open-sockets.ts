import { LIMITS } from "#base";
import type { Timers } from "#ports";

/** The sockets that are open now, by the session that opened them. */
export interface OpenSockets {
  /** Whether another may come. Where all places are taken, the oldest that has not signed in is cut off for it. */
  makeRoom(): boolean;
  /** Authenticated sockets: what `GET /health` counts. */
  connections(): number;
  add(socket: ClosableSocket): void;
  authenticated(socket: ClosableSocket, sessionId: string): void;
  remove(socket: ClosableSocket): void;
  /** Says why, and does not wait long for the other side to agree: one that keeps silent is cut off. */
  close(socket: ClosableSocket, why: CloseReason): void;
  closeSession(sessionId: string): void;
  closeAll(): void;
}
type ClosableSocket = {
  close(code: number, reason: string): void;
  terminate(): void;
  once(event: "close", listener: () => void): unknown;
};
export type CloseReason = { readonly code: number; readonly reason: string };

export function createOpenSockets(timers: Timers): OpenSockets {
  const sessions = new Map<ClosableSocket, string | null>();
  const close = (socket: ClosableSocket, { code, reason }: CloseReason) => {
    socket.close(code, reason);
    socket.once(
      "close",
      timers.after(LIMITS.socketCloseMs, () => socket.terminate()),
    );
  };
  return {
    makeRoom: () => {
      if (sessions.size < LIMITS.socketsMax) return true;
      const [silent] = sessions.entries().find(([, sessionId]) => sessionId === null) ?? [];
      if (silent === undefined) return false;
      sessions.delete(silent);
      silent.terminate();
      return true;
    },
    connections: () => [...sessions.values()].filter((sessionId) => sessionId !== null).length,
    add: (socket) => void sessions.set(socket, null),
    authenticated: (socket, sessionId) => {
      if (sessions.has(socket)) sessions.set(socket, sessionId);
    },
    remove: (socket) => void sessions.delete(socket),
    close,
    closeSession: (sessionId) => {
      for (const [socket, owner] of sessions) {
        if (owner === sessionId) close(socket, { code: 4001, reason: "session revoked" });
      }
    },
    closeAll: () => {
      for (const socket of sessions.keys()) close(socket, { code: 1001, reason: "shutting down" });
    },
  };
}
