/** Connections that are opened and say nothing, or half of something: they end, and keep nobody out. */
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LIMITS } from "#base";
import { rawRequest, startServer, type Running } from "./server-start.ts";
import { connectRaw, createHandMachine, handshake, openSocket, type HandMachine, type Talk } from "./server-talk.ts";

let running: Running;
let machine: HandMachine;
let open: Socket[];
beforeEach(async () => {
  open = [];
  machine = createHandMachine();
  running = await startServer({ machine });
});
afterEach(async () => {
  for (const socket of open) socket.destroy();
  await running.stop();
});

/** As many connections as asked for, each of which says this and then waits for as long as it is let. */
async function flood(count: number, bytes = ""): Promise<readonly Socket[]> {
  const made = Array.from({ length: count }, () => {
    const socket = connect({ port: running.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => {}).resume();
    return socket;
  });
  open.push(...made);
  await Promise.all(made.map((socket) => (socket.connecting ? once(socket, "connect") : null)));
  if (bytes !== "") for (const socket of made) socket.write(bytes);
  return made;
}

async function signIn(): Promise<Talk> {
  machine.nextMinute();
  const talk = openSocket(running, { protocols: ["silas", `bearer.${running.token}`] });
  expect(await talk.next()).toMatchObject({ type: "auth_ok" });
  return talk;
}

/** A stranger's question and the owner's, each over a connection of its own. */
async function expectAnswers(): Promise<void> {
  const fresh = { headers: { connection: "close" } };
  expect((await fetch(`${running.url}/health`, fresh)).status).toBe(200);
  expect((await running.call("/api/status", fresh)).status).toBe(200);
}

const host = () => ({ host: `localhost:${running.port}` });

test("a thousand silent connections keep neither a stranger nor the owner out, and cut off nobody who signed in", async () => {
  const talk = await signIn();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async () => {
    const headers = { authorization: `Bearer ${running.token}` };
    const sent = request(`${running.url}/api/status`, { agent, headers }).end();
    const [answer] = (await once(sent, "response")) as [{ readonly statusCode: number; resume(): object }];
    answer.resume();
    return { status: answer.statusCode, port: sent.socket?.localPort };
  };
  const first = await ask();
  expect(first.status).toBe(200);
  await flood(1_000);
  await expectAnswers();
  expect(await ask()).toEqual(first);
  talk.socket.send(JSON.stringify({ type: "ping" }));
  expect(await talk.next()).toEqual({ type: "pong" });
  agent.destroy();
  talk.socket.close();
});

test("half-sent headers are ended by the server, also where the other side never closes, and keep nobody out", async () => {
  const [last] = (await flood(600, `GET /health HTTP/1.1\r\nhost: localhost:${running.port}\r\n`)).slice(-1);
  await expectAnswers();
  if (last === undefined) throw new Error("the flood has a last one");
  const answer: string[] = [];
  last.on("data", (chunk) => void answer.push(String(chunk)));
  const closed = new Promise<void>((resolve) => void last.once("close", () => resolve()));
  await once(last, "end");
  expect(answer.join("")).toContain("HTTP/1.1 408");
  machine.runTimers(LIMITS.socketCloseMs);
  // The server is gone for good: what is still sent comes back as a reset.
  const beat = setInterval(() => last.write("x"), 20);
  await closed;
  clearInterval(beat);
});

test("bodies that never come keep nobody out, and their connections end", async () => {
  const slow = rawRequest("POST /session/enrol HTTP/1.1", {
    ...host(),
    connection: "keep-alive",
    "content-type": "application/json",
    "content-length": "100",
  });
  const sockets = await flood(600, slow);
  await expectAnswers();
  await expect
    .poll(
      () => {
        machine.runTimers(LIMITS.strangerRequestMs);
        return sockets.filter((socket) => !socket.readableEnded && !socket.closed).length;
      },
      { interval: 50 },
    )
    .toBe(0);
});

test("silent WebSockets keep nobody out, and those that signed in stay", async () => {
  const before = await signIn();
  await flood(400, handshake(running, { ...host(), origin: `http://localhost:${running.port}` }));
  await expectAnswers();
  const after = await signIn();
  for (const talk of [before, after]) {
    talk.socket.send(JSON.stringify({ type: "ping" }));
    expect(await talk.next()).toEqual({ type: "pong" });
    talk.socket.close();
  }
});

test("where every socket is signed in, another is refused", async () => {
  const wires = [];
  for (let index = 0; index < LIMITS.socketsMax; index += 1) {
    if (index % 20 === 0) machine.nextMinute();
    wires.push(await connectRaw(running));
  }
  open.push(...wires.map(({ socket }) => socket));
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(running.port, "127.0.0.1", () =>
      socket.write(handshake(running, { "sec-websocket-protocol": `silas, bearer.${running.token}` })),
    );
    open.push(socket);
    socket.once("data", (chunk) => resolve(String(chunk)));
  });
  expect(answer).toContain("too_many_sockets");
  expect(wires.every(({ socket }) => !socket.closed)).toBe(true);
});
