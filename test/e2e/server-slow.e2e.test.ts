/** Sockets that do not read, or that say more at once than is handled: what waits for them has an exact limit. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { startServer, type Running } from "./server-start.ts";
import {
  connections,
  connectRaw,
  createHandMachine,
  frame,
  openSocket,
  text,
  type Talk,
  type Wire,
} from "./server-talk.ts";

let running: Running;
const machine = createHandMachine();
/** The server's own end of each connection: only there is it known to the byte what waits to be read. */
const ends: Socket[] = [];
const note = (message: unknown) => void ends.push((message as { readonly socket: Socket }).socket);
beforeAll(async () => {
  subscribe("net.server.socket", note);
  running = await startServer({ machine });
});
afterAll(async () => {
  unsubscribe("net.server.socket", note);
  await running.stop();
});

const PING = frame(1, text('{"type":"ping"}'));
let changes = 0;

async function change(): Promise<void> {
  changes += 1;
  machine.nextMinute();
  const json = { operationId: `slow-${changes}`, command: { kind: "task.create", title: `Task ${changes}` } };
  expect((await running.call("/api/journal/command", { json })).status).toBe(200);
  machine.runTimers(100);
}

async function signedIn(): Promise<Talk> {
  machine.nextMinute();
  const talk = openSocket(running, { protocols: ["silas", `bearer.${running.token}`] });
  expect(await talk.next()).toMatchObject({ type: "auth_ok" });
  return talk;
}

/** A signed-in socket that reads nothing any more, with exactly so many bytes waiting for it. */
async function stalled(waitingBytes: number): Promise<{ readonly wire: Wire; readonly end: Socket }> {
  machine.nextMinute();
  const wire = await connectRaw(running);
  wire.socket.on("error", () => {});
  const end = ends.find(({ remotePort }) => remotePort === wire.socket.localPort);
  if (end === undefined) throw new Error("the server has an end of every connection");
  end.cork();
  end.write(Buffer.alloc(waitingBytes));
  expect(end.writableLength).toBe(waitingBytes);
  return { wire, end };
}

/** Answered once everything that was sent before it was handled. */
async function roundTrip(talk: Talk): Promise<void> {
  const before = talk.frames.length;
  talk.socket.send(JSON.stringify({ type: "ping" }));
  await expect.poll(() => talk.frames.slice(before).map(({ type }) => type)).toContain("pong");
}

describe("a socket that does not read", () => {
  test("still gets a change while no more than the limit waits, is closed at the next, and the others go on", async () => {
    const reader = await signedIn();
    const { wire, end } = await stalled(LIMITS.socketBufferBytes);
    const before = await connections(running);
    await change();
    expect(end.writableLength).toBeGreaterThan(LIMITS.socketBufferBytes);
    const full = end.writableLength;
    machine.runTimers(LIMITS.socketCloseMs);
    expect(await connections(running)).toBe(before);
    await change();
    // All that is added is the frame that says why: a close with code 1013.
    expect(end.writableLength - full).toBe(2 + 2 + "too slow".length);
    const closing = end.writableLength;
    await change();
    expect(end.writableLength).toBe(closing);
    machine.runTimers(LIMITS.socketCloseMs);
    await expect.poll(() => connections(running)).toBe(before - 1);
    expect(end.destroyed).toBe(true);
    await expect.poll(() => reader.frames.filter(({ type }) => type === "change_batch").length).toBe(3);
    await roundTrip(reader);
    reader.socket.close();
    await reader.closed;
    wire.socket.destroy();
  });

  test("is answered while no more than the limit waits, and closed at the next answer", async () => {
    const { wire, end } = await stalled(LIMITS.socketBufferBytes);
    const before = await connections(running);
    wire.socket.write(PING);
    await expect.poll(() => end.writableLength).toBeGreaterThan(LIMITS.socketBufferBytes);
    machine.runTimers(LIMITS.socketCloseMs);
    expect(await connections(running)).toBe(before);
    const full = end.writableLength;
    wire.socket.write(PING);
    await expect.poll(() => end.writableLength - full).toBe(2 + 2 + "too slow".length);
    machine.runTimers(LIMITS.socketCloseMs);
    await expect.poll(() => connections(running)).toBe(before - 1);
    wire.socket.destroy();
  });
});

test("a socket that was told to close hears of no change any more, however long it takes to agree", async () => {
  const reader = await signedIn();
  const { wire, end } = await stalled(0);
  wire.socket.write(frame(1, text("no JSON")));
  await expect.poll(() => end.writableLength).toBeGreaterThan(0);
  const told = end.writableLength;
  await change();
  await expect.poll(() => reader.frames.map(({ type }) => type)).toContain("change_batch");
  expect(end.writableLength).toBe(told);
  machine.runTimers(LIMITS.socketCloseMs);
  await expect.poll(() => end.destroyed).toBe(true);
  reader.socket.close();
  await reader.closed;
  wire.socket.destroy();
});

describe("a socket that says much at once", () => {
  const answersOf = (wire: Wire): (() => number) => {
    let heard = "";
    wire.socket.on("data", (chunk) => void (heard += chunk.toString("latin1")));
    return () => heard.split(/"type":"(?:pong|error)"/).length - 1;
  };

  test("has as many frames handled as may wait, and is cut off with one more", async () => {
    machine.nextMinute();
    const [wire, other] = [await connectRaw(running), await signedIn()];
    wire.socket.on("error", () => {});
    const answers = answersOf(wire);
    const frames = (count: number) => Buffer.concat(Array.from({ length: count }, () => PING));
    wire.socket.write(frames(LIMITS.socketFramesWaiting));
    await expect.poll(answers).toBe(LIMITS.socketFramesWaiting);
    machine.nextMinute();
    wire.socket.write(frames(LIMITS.socketFramesWaiting));
    await expect.poll(answers).toBe(2 * LIMITS.socketFramesWaiting);
    machine.nextMinute();
    wire.socket.write(frames(LIMITS.socketFramesWaiting + 1));
    expect(await wire.closeCode).toBe(0);
    machine.nextMinute();
    await roundTrip(other);
    other.socket.close();
    await other.closed;
  });
});
