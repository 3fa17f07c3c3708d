import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { createOpenSockets } from "./open-sockets.ts";

/** A socket that does as it is told only when its other side agrees, and notes what it was told. */
class QuietSocket extends EventEmitter {
  readonly told: string[] = [];
  close = (code: number, reason: string): void => void this.told.push(`${code} ${reason}`);
  terminate = (): void => void this.told.push("terminated");
}

function createDesk() {
  const waiting = new Set<() => void>();
  const timers = {
    after: (delayMs: number, work: () => void) => {
      expect(delayMs).toBe(LIMITS.socketCloseMs);
      waiting.add(work);
      return () => void waiting.delete(work);
    },
  };
  const sockets = createOpenSockets(timers);
  const add = (sessionId: string | null = null): QuietSocket => {
    const socket = new QuietSocket();
    sockets.add(socket);
    if (sessionId !== null) sockets.authenticated(socket, sessionId);
    return socket;
  };
  const pass = (): void => {
    for (const work of waiting) work();
  };
  return { sockets, add, pass, waiting };
}

describe("room for another socket", () => {
  test("is there until every place is taken, and again when one is left", () => {
    const { sockets, add } = createDesk();
    const all = Array.from({ length: LIMITS.socketsMax }, () => {
      expect(sockets.makeRoom()).toBe(true);
      return add("owner");
    });
    expect(sockets.makeRoom()).toBe(false);
    expect(sockets.connections()).toBe(LIMITS.socketsMax);
    const [first] = all;
    if (first !== undefined) sockets.remove(first);
    expect(sockets.makeRoom()).toBe(true);
    expect(all.flatMap(({ told }) => told)).toEqual([]);
  });

  test("is made by the oldest that has not signed in, one for each that comes", () => {
    const { sockets, add } = createDesk();
    const silent = [add(), add()];
    const others = Array.from({ length: LIMITS.socketsMax - 2 }, () => add("owner"));
    expect(sockets.makeRoom()).toBe(true);
    expect(silent.map(({ told }) => told)).toEqual([["terminated"], []]);
    // The place is free before the other side has noticed.
    expect(sockets.makeRoom()).toBe(true);
    expect(silent.map(({ told }) => told)).toEqual([["terminated"], []]);
    others.push(add("owner"));
    expect(sockets.makeRoom()).toBe(true);
    expect(silent.map(({ told }) => told)).toEqual([["terminated"], ["terminated"]]);
    others.push(add("owner"));
    expect(sockets.makeRoom()).toBe(false);
    expect(others.flatMap(({ told }) => told)).toEqual([]);
  });

  test("that was given to another is not taken back by whoever signs in too late", () => {
    const { sockets, add } = createDesk();
    const late = add();
    sockets.remove(late);
    sockets.authenticated(late, "owner");
    expect(sockets.connections()).toBe(0);
    const known = add("owner");
    expect(sockets.connections()).toBe(1);
    sockets.remove(known);
    expect(sockets.connections()).toBe(0);
  });
});

describe("a socket that is closed", () => {
  test("is told why, and cut off when it does not agree in time", () => {
    const { sockets, add, pass, waiting } = createDesk();
    const [agrees, keepsSilent] = [add("a"), add("b")];
    for (const socket of [agrees, keepsSilent]) sockets.close(socket, { code: 1013, reason: "too slow" });
    agrees.emit("close");
    expect(waiting.size).toBe(1);
    pass();
    expect([agrees.told, keepsSilent.told]).toEqual([["1013 too slow"], ["1013 too slow", "terminated"]]);
  });

  test("with its session leaves those of others open, and with the server none", () => {
    const { sockets, add } = createDesk();
    const all = [add("a"), add("b"), add("a"), add()];
    sockets.closeSession("a");
    expect(all.map(({ told }) => told)).toEqual([["4001 session revoked"], [], ["4001 session revoked"], []]);
    sockets.closeAll();
    expect(all.map(({ told }) => told.at(-1))).toEqual(all.map(() => "1001 shutting down"));
  });
});
