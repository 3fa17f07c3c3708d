import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { instantFromMs, type Instant } from "#base";
import type { ServerFrame } from "#model";
import type { Clock, Timers } from "#ports";
import { rawRequest, type Running } from "./server-start.ts";

export type HandMachine = {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Past every limit that counts the last minute. */
  nextMinute(): void;
  moveMs(ms: number): void;
  /** Runs the timers of exactly this length that wait now. */
  runTimers(delayMs: number): void;
};

/** A clock and timers that move when the test says so. */
export function createHandMachine(): HandMachine {
  let nowMs = 1_800_000_000_000;
  const waiting = new Set<{ readonly delayMs: number; readonly work: () => void }>();
  return {
    clock: { now: () => instantAt(nowMs) },
    timers: {
      after(delayMs, work) {
        const entry = { delayMs, work };
        waiting.add(entry);
        return () => void waiting.delete(entry);
      },
    },
    nextMinute: () => void (nowMs += 61_000),
    moveMs: (ms) => void (nowMs += ms),
    runTimers(delayMs) {
      for (const entry of [...waiting].filter((each) => each.delayMs === delayMs)) {
        waiting.delete(entry);
        entry.work();
      }
    },
  };
}

function instantAt(ms: number): Instant {
  const instant = instantFromMs(ms);
  if (!instant.ok) throw new Error("a test clock shows a real moment");
  return instant.value;
}

type Closed = { readonly code: number };
export type Talk = {
  readonly socket: WebSocket;
  readonly frames: ServerFrame[];
  readonly closed: Promise<Closed>;
  /** The next frame that was not read yet. */
  next(): Promise<ServerFrame>;
};

/** A browser's socket, as our own page opens it. */
export function openSocket(running: Running, options: { protocols?: string[]; path?: string } = {}): Talk {
  const socket = new WebSocket(`ws://localhost:${running.port}${options.path ?? "/ws"}`, {
    protocols: options.protocols ?? ["silas"],
    headers: { origin: `http://localhost:${running.port}` },
  } as unknown as string[]);
  const frames: ServerFrame[] = [];
  let read = 0;
  let wake: (() => void) | null = null;
  socket.addEventListener("message", (event) => {
    frames.push(JSON.parse(String(event.data)) as ServerFrame);
    wake?.();
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

export const opened = (talk: Talk) =>
  new Promise<void>((resolve) => talk.socket.addEventListener("open", () => resolve()));
export const connections = async (running: Running) =>
  ((await (await fetch(`${running.url}/health`)).json()) as { connections: number }).connections;

export const handshake = (running: Running, headers: Readonly<Record<string, string>>, path = "/ws") =>
  rawRequest(`GET ${path} HTTP/1.1`, {
    host: `localhost:${running.port}`,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
    ...headers,
  });

export type Wire = { readonly socket: Socket; readonly head: string; readonly closeCode: Promise<number> };

/** A socket of our own making, signed in, that can send frames no client library would. */
export function connectRaw(running: Running, headers: Readonly<Record<string, string>> = {}): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket = connect(running.port, "127.0.0.1", () =>
      socket.write(handshake(running, { "sec-websocket-protocol": `silas, bearer.${running.token}`, ...headers })),
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
export function frame(opcode: number, payload: Uint8Array, { fin = 0x80, masked = true, rsv = 0 } = {}): Buffer {
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
export const text = (value: string) => new TextEncoder().encode(value);
