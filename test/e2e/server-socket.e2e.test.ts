import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { instantFromMs, LIMITS, type Instant } from "#base";
import type { NotificationBatch, ServerFrame } from "#model";
import type { Clock, Timers } from "#ports";
import { enrol, exchange, rawRequest, startServer, statusOf, type Running } from "./server-start.ts";

let running: Running;
const clock: Clock & { nowMs: number } = {
  nowMs: 1_800_000_000_000,
  now(): Instant {
    const now = instantFromMs(this.nowMs);
    if (!now.ok) throw new Error("a test clock shows a real moment");
    return now.value;
  },
};
/** Timers that are due when the test says so; a test asks for exactly the ones of a given length. */
const waiting = new Set<{ readonly delayMs: number; readonly work: () => void }>();
const timers: Timers = {
  after(delayMs, work) {
    const entry = { delayMs, work };
    waiting.add(entry);
    return () => void waiting.delete(entry);
  },
};
function runTimers(delayMs: number): void {
  for (const entry of [...waiting].filter((each) => each.delayMs === delayMs)) {
    waiting.delete(entry);
    entry.work();
  }
}

beforeAll(async () => {
  running = await startServer({ machine: { clock, timers } });
});
afterAll(() => running.stop());
const nextMinute = () => void (clock.nowMs += 61_000);

type Closed = { readonly code: number };
type Talk = {
  readonly socket: WebSocket;
  readonly frames: ServerFrame[];
  readonly closed: Promise<Closed>;
  /** The next frame that was not read yet. */
  next(): Promise<ServerFrame>;
};

/** A browser's socket, as our own page opens it. */
function open(options: { protocols?: string[]; path?: string } = {}): Talk {
  const socket = new WebSocket(`ws://localhost:${running.port}${options.path ?? "/ws"}`, {
    protocols: options.protocols ?? ["silas"],
    headers: { origin: `http://localhost:${running.port}` },
  } as unknown as string[]);
  const frames: ServerFrame[] = [];
  let read = 0;
  let wake = () => {};
  socket.addEventListener("message", (event) => {
    frames.push(JSON.parse(String(event.data)) as ServerFrame);
    wake();
  });
  const closed = new Promise<Closed>((resolve) => {
    socket.addEventListener("close", ({ code }) => resolve({ code }));
  });
  return {
    socket,
    frames,
    closed,
    async next() {
      while (frames.length <= read) await new Promise<void>((resolve) => void (wake = resolve));
      read += 1;
      return frames[read - 1] as ServerFrame;
    },
  };
}

const opened = (talk: Talk) => new Promise<void>((resolve) => talk.socket.addEventListener("open", () => resolve()));
const connections = async () =>
  ((await (await fetch(`${running.url}/health`)).json()) as { connections: number }).connections;

async function signedIn(): Promise<Talk> {
  nextMinute();
  const talk = open({ protocols: ["silas", `bearer.${running.token}`] });
  expect(await talk.next()).toMatchObject({ type: "auth_ok" });
  return talk;
}

describe("signing in", () => {
  test("[WEB-04] a bearer subprotocol signs in, and the server never echoes it", async () => {
    nextMinute();
    const talk = open({ protocols: ["silas", `bearer.${running.token}`] });
    expect(await talk.next()).toEqual({ type: "auth_ok", session_id: running.sessionId, version: "0.0.0-test" });
    expect(talk.socket.protocol).toBe("silas");
    expect(await connections()).toBe(1);
    talk.socket.close();
    await talk.closed;
  });

  test("[WEB-04] a first frame signs in", async () => {
    nextMinute();
    const talk = open();
    await opened(talk);
    talk.socket.send(JSON.stringify({ type: "auth", token: running.token }));
    expect(await talk.next()).toMatchObject({ type: "auth_ok" });
    talk.socket.close();
    await talk.closed;
  });

  test("[WEB-04] five seconds without a token close with 4001", async () => {
    const talk = open();
    await opened(talk);
    runTimers(LIMITS.socketAuthMs);
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
  ])("[WEB-04] %s first closes with 4001 and is not processed", async (_name, frame) => {
    nextMinute();
    const talk = open();
    await opened(talk);
    talk.socket.send(frame.replace("TOKEN", running.token));
    talk.socket.send(JSON.stringify({ type: "auth", token: running.token }));
    expect((await talk.closed).code).toBe(4001);
    expect(talk.frames).toEqual([]);
    expect(await connections()).toBe(0);
  });

  test("[WEB-04] a wrong bearer subprotocol closes with 4001", async () => {
    const talk = open({ protocols: ["silas", "bearer.wrong"] });
    expect((await talk.closed).code).toBe(4001);
    expect(talk.frames).toEqual([]);
  });

  test.each(["token", "auth_token", "access_token", "bearer"])(
    "[WEB-03] a good token as ?%s= in the address signs nobody in",
    async (name) => {
      nextMinute();
      const talk = open({ path: `/ws?${name}=${running.token}` });
      await opened(talk);
      talk.socket.send(JSON.stringify({ type: "ping" }));
      expect((await talk.closed).code).toBe(4001);
      expect(talk.frames).toEqual([]);
    },
  );

  test("a revoked device's socket is closed with 4001", async () => {
    nextMinute();
    const other = await enrol(running.url, running.app.enrolmentLink());
    const talk = open({ protocols: ["silas", `bearer.${other.token}`] });
    await talk.next();
    await running.call(`/sessions/${other.session_id}`, { method: "DELETE" });
    expect((await talk.closed).code).toBe(4001);
  });
});

const handshake = (headers: Readonly<Record<string, string>>, path = "/ws") =>
  rawRequest(`GET ${path} HTTP/1.1`, {
    host: `localhost:${running.port}`,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
    ...headers,
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
    const answer = await exchange(running.port, handshake(given));
    expect(statusOf(answer)).toBe(403);
  });

  test.each(["evil.example", "localhost", "127.0.0.1.nip.io:PORT"])("the host %s is refused", async (host) => {
    const answer = await exchange(running.port, handshake({ host: host.replace("PORT", String(running.port)) }));
    expect(statusOf(answer)).toBe(421);
  });

  test.each(["/", "/api/status", "/health", "/session", "/ws/other"])("there is no socket at %s", async (path) => {
    const headers = { origin: `http://localhost:${running.port}`, authorization: `Bearer ${running.token}` };
    const answer = await exchange(running.port, handshake(headers, path));
    expect(statusOf(answer)).toBe(404);
  });

  test("compression is not agreed to", async () => {
    nextMinute();
    const wire = await connectRaw({ "sec-websocket-extensions": "permessage-deflate" });
    expect(wire.head.toLowerCase()).not.toContain("sec-websocket-extensions");
    wire.socket.destroy();
  });
});

type Wire = { readonly socket: Socket; readonly head: string; readonly closeCode: Promise<number> };

/** A socket of our own making, signed in, that can send frames no client library would. */
function connectRaw(headers: Readonly<Record<string, string>> = {}): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket = connect(running.port, "127.0.0.1", () =>
      socket.write(handshake({ "sec-websocket-protocol": `silas, bearer.${running.token}`, ...headers })),
    );
    let bytes = Buffer.alloc(0);
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.includes("auth_ok")) resolve({ socket, head: bytes.toString("latin1"), closeCode });
    });
    const closeCode = new Promise<number>((settle) => {
      socket.on("close", () => settle(closeCodeIn(bytes)));
      socket.on("data", () => closeCodeIn(bytes) > 0 && settle(closeCodeIn(bytes)));
    });
  });
}

/** The code of the close frame (opcode 8) among the server's frames. */
function closeCodeIn(bytes: Buffer): number {
  let at = bytes.indexOf("\r\n\r\n") + 4;
  while (at + 2 <= bytes.length) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const [size, head] = short === 126 ? [bytes.readUInt16BE(at + 2), 4] : [short, 2];
    if (((bytes[at] ?? 0) & 0x0f) === 8 && at + head + 2 <= bytes.length) return bytes.readUInt16BE(at + head);
    at += head + size;
  }
  return 0;
}

/** One masked client frame. */
function frame(opcode: number, payload: Uint8Array, { fin = 0x80, masked = true, rsv = 0 } = {}): Buffer {
  const mask = masked ? randomBytes(4) : Buffer.alloc(0);
  const size =
    payload.length < 126
      ? [payload.length]
      : payload.length < 65_536
        ? [126, payload.length >> 8, payload.length & 255]
        : [
            127,
            0,
            0,
            0,
            0,
            payload.length >>> 24,
            (payload.length >> 16) & 255,
            (payload.length >> 8) & 255,
            payload.length & 255,
          ];
  const body = masked ? Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))) : Buffer.from(payload);
  const first = size[0] ?? 0;
  return Buffer.concat([Buffer.from([fin | rsv | opcode, (masked ? 0x80 : 0) | first, ...size.slice(1)]), mask, body]);
}
const text = (value: string) => new TextEncoder().encode(value);

describe("hostile frames of a signed-in client", () => {
  test.each([
    ["no JSON", () => frame(1, text("hello")), 1007],
    ["a repeated key", () => frame(1, text('{"type":"ping","type":"ping"}')), 1007],
    ["a lone surrogate", () => frame(1, text('{"type":"\\ud800"}')), 1007],
    ["nesting without end", () => frame(1, text("[".repeat(60_000))), 1007],
    ["an unknown type", () => frame(1, text('{"type":"shutdown"}')), 1008],
    ["an inherited name as type", () => frame(1, text('{"type":"__proto__"}')), 1008],
    ["toString as type", () => frame(1, text('{"type":"toString"}')), 1008],
    ["an authority field", () => frame(1, text('{"type":"ping","taint":"owner"}')), 1008],
    ["a scope field", () => frame(1, text('{"type":"ping","scope_id":"root"}')), 1008],
    ["an approval token", () => frame(1, text('{"type":"ping","approval_token":"x"}')), 1008],
    ["a sender", () => frame(1, text('{"type":"ping","sender_id":"owner"}')), 1008],
    ["an array", () => frame(1, text('[{"type":"ping"}]')), 1008],
    ["null", () => frame(1, text("null")), 1008],
    ["a binary frame", () => frame(2, text('{"type":"ping"}')), 1003],
    ["bytes that are not UTF-8", () => frame(1, Uint8Array.from([0xc3, 0x28])), 1007],
    ["a frame above the limit", () => frame(1, new Uint8Array(LIMITS.socketFrameBytes + 1).fill(32)), 1009],
    ["an unmasked frame", () => frame(1, text('{"type":"ping"}'), { masked: false }), 1002],
    ["a compressed frame", () => frame(1, text("x"), { rsv: 0x40 }), 1002],
    ["a reserved opcode", () => frame(3, text("x")), 1002],
    ["a continuation of nothing", () => frame(0, text("x")), 1002],
    ["a control frame in parts", () => frame(9, text("x"), { fin: 0 }), 1002],
  ])("%s ends the socket", async (_name, bytes, code) => {
    nextMinute();
    const wire = await connectRaw();
    wire.socket.write(bytes());
    expect(await wire.closeCode).toBe(code);
    wire.socket.destroy();
    expect((await running.call("/api/status")).status).toBe(200);
  });

  test("a frame in fragments is one frame; fragments without end stop at the limit", async () => {
    nextMinute();
    const good = await connectRaw();
    const answered = new Promise<void>((resolve) =>
      good.socket.on("data", (chunk) => chunk.includes("pong") && resolve()),
    );
    good.socket.write(Buffer.concat([frame(1, text('{"type":'), { fin: 0 }), frame(0, text('"ping"}'))]));
    await answered;
    good.socket.destroy();
    const endless = await connectRaw();
    endless.socket.on("error", () => {});
    endless.socket.write(frame(1, text("["), { fin: 0 }));
    for (let sent = 0; sent <= LIMITS.socketFrameBytes; sent += 30_000) {
      endless.socket.write(frame(0, new Uint8Array(30_000).fill(32), { fin: 0 }));
    }
    expect(await endless.closeCode).toBe(1009);
    endless.socket.destroy();
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
    runTimers(100);
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
    nextMinute();
    two.socket.send(JSON.stringify({ type: "ping" }));
    expect(await two.next()).toEqual({ type: "pong" });
    for (const talk of [one, two]) {
      talk.socket.close();
      await talk.closed;
    }
  });

  test("one that does not answer pings is dropped", async () => {
    nextMinute();
    const wire = await connectRaw();
    wire.socket.on("error", () => {});
    runTimers(LIMITS.socketPingMs);
    runTimers(LIMITS.socketPingMs);
    expect(await wire.closeCode).toBe(0);
  });

  test("one that does not read is closed, and the others go on", async () => {
    const reader = await signedIn();
    nextMinute();
    const wire = await connectRaw();
    wire.socket.on("error", () => {});
    wire.socket.pause();
    const before = await connections();
    for (let index = 0; (await connections()) === before; index += 1) {
      expect(index, "the slow socket was never closed").toBeLessThan(100);
      const items = Array.from({ length: 490 }, (_, at) => `Item ${at}`);
      const json = { operationId: `slow-${index}`, command: { kind: "task.create", title: `Task ${index}`, items } };
      nextMinute();
      expect((await running.call("/api/journal/command", { json })).status).toBe(200);
      runTimers(100);
      runTimers(LIMITS.socketCloseMs);
    }
    expect((await running.call("/api/status")).status).toBe(200);
    expect(reader.frames.length).toBeGreaterThan(50);
    reader.socket.close();
    await reader.closed;
    wire.socket.destroy();
  });
});
