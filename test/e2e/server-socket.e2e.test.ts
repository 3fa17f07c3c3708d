import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import type { NotificationBatch } from "#model";
import { enrol, exchange, startServer, statusOf, type Running } from "./server-start.ts";
import { connections, connectRaw, createHandMachine, handshake, opened, openSocket, type Talk } from "./server-talk.ts";

let running: Running;
const machine = createHandMachine();
beforeAll(async () => {
  running = await startServer({ machine });
});
afterAll(() => running.stop());

async function signedIn(): Promise<Talk> {
  machine.nextMinute();
  const talk = openSocket(running, { protocols: ["silas", `bearer.${running.token}`] });
  expect(await talk.next()).toMatchObject({ type: "auth_ok" });
  return talk;
}

describe("signing in", () => {
  test("[WEB-04] a bearer subprotocol signs in, and the server never echoes it", async () => {
    machine.nextMinute();
    const talk = openSocket(running, { protocols: ["silas", `bearer.${running.token}`] });
    expect(await talk.next()).toEqual({ type: "auth_ok", session_id: running.sessionId, version: "0.0.0-test" });
    expect(talk.socket.protocol).toBe("silas");
    await expect.poll(() => connections(running)).toBe(1);
    talk.socket.close();
    await talk.closed;
  });

  test("[WEB-04] a first frame signs in", async () => {
    machine.nextMinute();
    const talk = openSocket(running);
    await opened(talk);
    talk.socket.send(JSON.stringify({ type: "auth", token: running.token }));
    expect(await talk.next()).toMatchObject({ type: "auth_ok" });
    talk.socket.close();
    await talk.closed;
  });

  test("[WEB-04] five seconds without a token close with 4001", async () => {
    const talk = openSocket(running);
    await opened(talk);
    machine.runTimers(LIMITS.socketAuthMs);
    expect((await talk.closed).code).toBe(4001);
    expect(talk.frames).toEqual([]);
  });

  test.each([
    ["another frame", '{"type":"ping"}'],
    ["a wrong token", '{"type":"auth","token":"wrong"}'],
    ["an empty token", '{"type":"auth","token":""}'],
    ["a token of the wrong type", '{"type":"auth","token":true}'],
    ["no token", '{"type":"auth"}'],
    ["an array of tokens", '{"type":"auth","token":["TOKEN"]}'],
    ["a further field", '{"type":"auth","token":"TOKEN","scope":"owner"}'],
    ["a repeated key", '{"type":"auth","token":"x","token":"TOKEN"}'],
    ["an inherited name as type", '{"type":"constructor"}'],
    ["no JSON", "hello"],
  ])("[WEB-04] %s first closes with 4001 and is not processed", async (_name, first) => {
    machine.nextMinute();
    const talk = openSocket(running);
    await opened(talk);
    talk.socket.send(first.replace("TOKEN", running.token));
    talk.socket.send(JSON.stringify({ type: "auth", token: running.token }));
    expect((await talk.closed).code).toBe(4001);
    expect(talk.frames).toEqual([]);
    await expect.poll(() => connections(running)).toBe(0);
  });

  test("[WEB-04] a wrong bearer subprotocol closes with 4001", async () => {
    const talk = openSocket(running, { protocols: ["silas", "bearer.wrong"] });
    expect((await talk.closed).code).toBe(4001);
    expect(talk.frames).toEqual([]);
  });

  test("[WEB-03] a good token in the address signs nobody in, whatever it is called there", async () => {
    for (const name of ["token", "auth_token", "access_token", "bearer"]) {
      machine.nextMinute();
      const talk = openSocket(running, { path: `/ws?${name}=${running.token}` });
      await opened(talk);
      talk.socket.send(JSON.stringify({ type: "ping" }));
      expect((await talk.closed).code).toBe(4001);
      expect(talk.frames).toEqual([]);
    }
  });

  test("a revoked device's socket is closed with 4001", async () => {
    machine.nextMinute();
    const other = await enrol(running.url, running.app.enrolmentLink());
    const talk = openSocket(running, { protocols: ["silas", `bearer.${other.token}`] });
    await talk.next();
    await running.call(`/sessions/${other.session_id}`, { method: "DELETE" });
    expect((await talk.closed).code).toBe(4001);
  });
});

describe("hostile handshakes", () => {
  test.each([
    ["a foreign origin", { origin: "http://evil.example" }],
    ["the null origin", { origin: "null" }],
    ["an origin with our name as prefix", { origin: "http://localhost:PORT.evil.example" }],
    ["another port", { origin: "http://localhost:1" }],
    ["https in place of http", { origin: "https://localhost:PORT" }],
    ["no origin and no bearer", {}],
  ])("%s is refused before the upgrade, with a good token too", async (_name, headers: { origin?: string }) => {
    const origin = headers.origin?.replace("PORT", String(running.port));
    const given = origin === undefined ? {} : { origin, "sec-websocket-protocol": `silas, bearer.${running.token}` };
    const answer = await exchange(running.port, handshake(running, given));
    expect(statusOf(answer)).toBe(403);
  });

  test.each(["evil.example", "localhost", "127.0.0.1.nip.io:PORT"])("the host %s is refused", async (host) => {
    const answer = await exchange(
      running.port,
      handshake(running, { host: host.replace("PORT", String(running.port)) }),
    );
    expect(statusOf(answer)).toBe(421);
  });

  test.each(["/", "/api/status", "/health", "/session", "/ws/other"])("there is no socket at %s", async (path) => {
    const headers = { origin: `http://localhost:${running.port}`, authorization: `Bearer ${running.token}` };
    const answer = await exchange(running.port, handshake(running, headers, path));
    expect(statusOf(answer)).toBe(404);
  });

  test("compression is not agreed to", async () => {
    machine.nextMinute();
    const wire = await connectRaw(running, { "sec-websocket-extensions": "permessage-deflate" });
    expect(wire.head.toLowerCase()).not.toContain("sec-websocket-extensions");
    wire.socket.destroy();
  });
});

describe("a signed-in client", () => {
  test("a ping is answered, and a second auth changes nothing", async () => {
    const talk = await signedIn();
    talk.socket.send(JSON.stringify({ type: "auth", token: "another" }));
    talk.socket.send(JSON.stringify({ type: "ping" }));
    expect(await talk.next()).toEqual({ type: "pong" });
    talk.socket.close();
    await talk.closed;
  });

  test("every socket hears of a committed change, and of nothing that was refused or previewed", async () => {
    const [one, two] = [await signedIn(), await signedIn()];
    const preview = { operationId: "op-preview", command: { kind: "task.create", title: "Seen" }, mode: "preview" };
    await running.call("/api/journal/command", { json: preview });
    await running.call("/api/journal/command", {
      json: { operationId: "op-no", command: { kind: "task.delete", id: "none" } },
    });
    const done = await running.call("/api/journal/command", {
      json: { operationId: "op-yes", command: { kind: "task.create", title: "Seen" } },
    });
    const { subjectId } = (await done.json()) as { subjectId: string };
    machine.runTimers(100);
    const [first, second] = [await one.next(), await two.next()];
    expect(first).toEqual(second);
    const { batch } = first as { batch: NotificationBatch };
    expect(batch.typedTokens).toContainEqual({ tokenClass: "entityId", tokenValue: subjectId });
    one.socket.send(JSON.stringify({ type: "ping" }));
    expect(await one.next()).toEqual({ type: "pong" });
    for (const talk of [one, two]) {
      talk.socket.close();
      await talk.closed;
    }
  });

  test("[LIM-01] the 61st frame of a minute is answered with rate_limited and not processed, on all sockets of the scope", async () => {
    const [one, two] = [await signedIn(), await signedIn()];
    for (let index = 0; index < 60; index += 1) one.socket.send(JSON.stringify({ type: "ping" }));
    for (let index = 0; index < 60; index += 1) expect(await one.next()).toEqual({ type: "pong" });
    for (const talk of [one, two]) {
      talk.socket.send(JSON.stringify({ type: "ping" }));
      expect(await talk.next()).toMatchObject({ type: "error", code: "rate_limited", retry_after_ms: 60_000 });
    }
    machine.nextMinute();
    two.socket.send(JSON.stringify({ type: "ping" }));
    expect(await two.next()).toEqual({ type: "pong" });
    for (const talk of [one, two]) {
      talk.socket.close();
      await talk.closed;
    }
  });

  test("one that does not answer pings is dropped", async () => {
    machine.nextMinute();
    const wire = await connectRaw(running);
    wire.socket.on("error", () => {});
    machine.runTimers(LIMITS.socketPingMs);
    machine.runTimers(LIMITS.socketPingMs);
    expect(await wire.closeCode).toBe(0);
  });

  test("one that does not read is closed, and the others go on", async () => {
    const reader = await signedIn();
    machine.nextMinute();
    const wire = await connectRaw(running);
    wire.socket.on("error", () => {});
    wire.socket.pause();
    const before = await connections(running);
    for (let index = 0; (await connections(running)) === before; index += 1) {
      expect(index, "the slow socket was never closed").toBeLessThan(100);
      const items = Array.from({ length: 490 }, (_, at) => `Item ${at}`);
      const json = { operationId: `slow-${index}`, command: { kind: "task.create", title: `Task ${index}`, items } };
      machine.nextMinute();
      expect((await running.call("/api/journal/command", { json })).status).toBe(200);
      machine.runTimers(100);
      machine.runTimers(LIMITS.socketCloseMs);
    }
    expect((await running.call("/api/status")).status).toBe(200);
    await expect.poll(() => reader.frames.length).toBeGreaterThan(50);
    reader.socket.close();
    await reader.closed;
    wire.socket.destroy();
  });
});
