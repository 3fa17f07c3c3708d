import { LIMITS } from "#base";

/** The sockets that are open now, by the session that opened them. */
export interface OpenSockets {
  hasRoom(): boolean;
  /** Authenticated sockets: what `GET /health` counts. */
  connections(): number;
  add(socket: ClosableSocket): void;
  authenticated(socket: ClosableSocket, sessionId: string): void;
  remove(socket: ClosableSocket): void;
  closeSession(sessionId: string): void;
  closeAll(): void;
}
export type ClosableSocket = { readonly close: (code: number, reason: string) => void };

export function createOpenSockets(): OpenSockets {
  const sessions = new Map<ClosableSocket, string | null>();
  return {
    hasRoom: () => sessions.size < LIMITS.socketsMax,
    connections: () => [...sessions.values()].filter((sessionId) => sessionId !== null).length,
    add: (socket) => void sessions.set(socket, null),
    authenticated: (socket, sessionId) => {
      if (sessions.has(socket)) sessions.set(socket, sessionId);
    },
    remove: (socket) => void sessions.delete(socket),
    closeSession: (sessionId) => {
      for (const [socket, owner] of sessions) if (owner === sessionId) socket.close(4001, "session revoked");
    },
    closeAll: () => {
      for (const socket of sessions.keys()) socket.close(1001, "shutting down");
    },
  };
}
