import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test } from "vitest";
import { createWebServer, type WebServerDeps } from "#channels";
import { LIMITS } from "#base";
import { compose, enrol, exchange, makeDir, rawRequest, startServer, statusOf, type Running } from "./server-start.ts";
import { createHandMachine, openSocket } from "./server-talk.ts";

const started: Running[] = [];
const start = async (...args: Parameters<typeof startServer>): Promise<Running> => {
  const running = await startServer(...args);
  started.push(running);
  return running;
};
afterEach(async () => {
  for (const running of started.splice(0)) await running.stop();
});

/** Addresses of this machine other than loopback. */
const outsideAddresses = () =>
  Object.values(networkInterfaces())
    .flat()
    .flatMap((each) => (each === undefined || each.internal || each.family !== "IPv4" ? [] : [each.address]));

const isReachable = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 60_000 }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
    socket.on("timeout", () => resolve(socket.destroy() && false));
  });

describe("where it listens", () => {
  test("[WEB-01] by default on 127.0.0.1 port 8420, and no other address of the machine reaches it", async () => {
    const running = await start();
    const { loadConfig } = await import("#config");
    const defaults = loadConfig({ env: {}, cwd: running.dir, homeDir: running.dir, platform: process.platform });
    if (!defaults.ok) throw new Error("the defaults are valid");
    expect(defaults.value.config.channels.web).toMatchObject({ host: "127.0.0.1", port: 8420 });
    expect(await isReachable("127.0.0.1", running.port)).toBe(true);
    for (const address of ["::1", "127.0.0.2", ...outsideAddresses()]) {
      expect(await isReachable(address, running.port), address).toBe(false);
    }
  });

  test.each(["0.0.0.0", "::", "192.168.1.5", "silas.lan", "127.0.0.1.nip.io", "0", "0177.0.0.1"])(
    "[WEB-02] the configuration refuses host %s without a token",
    async (host) => {
      const dir = await makeDir();
      await expect(compose({ dir, flags: { "channels.web.host": host } })).rejects.toThrow("configuration");
      await rm(dir, { recursive: true });
    },
  );

  test("[WEB-02] the server itself refuses a remote host without a token, and opens no port", async () => {
    const running = await start();
    const refused: never[] = [];
    const deps = {
      ...createHandMachine(),
      journal: running.app.journal,
      settings: { host: "0.0.0.0", port: 0, configuredToken: null, terminalToken: "t", tls: null, trustedProxies: [] },
      randomness: { bytes: (count: number) => new Uint8Array(count) },
      feed: { subscribe: () => () => refused },
      sessions: {},
      approvals: {},
      messages: { talk: {} },
      work: {},
      log: { info: () => {}, warn: () => {}, error: () => {} },
    } as unknown as WebServerDeps;
    const server = await createWebServer(deps);
    expect(await server.listen()).toEqual({ ok: false, error: { code: "token_required", host: "0.0.0.0" } });
    await server.close();
  });

  test("[WEB-02] a loopback client needs a session too, and the configured token is one", async () => {
    const running = await start({ env: { SILAS_CHANNELS__WEB__AUTH_TOKEN: "a-configured-token-of-some-length" } });
    expect((await fetch(`${running.url}/api/status`)).status).toBe(401);
    const headers = { authorization: "Bearer a-configured-token-of-some-length" };
    expect((await running.call("/api/status", { headers })).status).toBe(200);
    expect((await running.call("/api/status", { headers: { authorization: "Bearer a-configured" } })).status).toBe(401);
  });

  test("a port that is taken is said, and the start can be taken back", async () => {
    const running = await start();
    const dir = await makeDir();
    const composed = await compose({ dir, flags: { "channels.web.port": String(running.port) } });
    if (!composed.ok) throw new Error(composed.error.code);
    expect(await composed.value.listen()).toEqual({ ok: false, error: { code: "port_in_use", port: running.port } });
    await composed.value.close();
    await rm(dir, { recursive: true });
  });
});

describe("one process per directory", () => {
  test("a second start names the first one, and after its end the directory is free", async () => {
    const dir = await makeDir();
    const running = await startServer({ dir });
    const second = await compose({ dir });
    expect(second).toEqual({ ok: false, error: { code: "already_running", pid: process.pid, url: running.url } });
    expect((await running.call("/api/status")).status).toBe(200);
    await running.stop();
    const third = await startServer({ dir });
    await third.stop();
    await rm(dir, { recursive: true });
  });

  test("a device stays signed in over a restart; the terminal's token does not", async () => {
    const dir = await makeDir();
    const running = await startServer({ dir });
    const instance = JSON.parse(await readFile(join(dir, "data/instance.json"), "utf8")) as { cli_token: string };
    const asTerminal = (on: Running) =>
      on.call("/api/status", { headers: { authorization: `Bearer ${instance.cli_token}` } });
    expect((await asTerminal(running)).status).toBe(200);
    const headers = { authorization: `Bearer ${instance.cli_token}` };
    expect((await running.call("/session", { method: "DELETE", headers })).status).toBe(405);
    await running.stop();
    const again = await startServer({ dir });
    const asDevice = await again.call("/api/status", { headers: { authorization: `Bearer ${running.token}` } });
    expect(asDevice.status).toBe(200);
    expect((await asTerminal(again)).status).toBe(401);
    await again.stop();
    await rm(dir, { recursive: true });
  });
});

describe("starting", () => {
  test("[WEB-16] the server accepts requests as soon as listening says so, and serves the root", async () => {
    const running = await start();
    expect(running.url).toBe(`http://localhost:${running.port}`);
    expect((await fetch(`${running.url}/health`)).status).toBe(200);
    expect([200, 503]).toContain((await fetch(running.url)).status);
  });

  test("[MIG-07] a migration that fails ends the start: nothing listens, and the directory is free again", async () => {
    const dir = await makeDir();
    await mkdir(join(dir, "data"), { recursive: true });
    const file = join(dir, "data/silas.db");
    const db = new DatabaseSync(file);
    db.exec("CREATE TABLE sessions (in_the_way TEXT)");
    db.close();
    // Nothing is made that could listen.
    expect(await compose({ dir })).toEqual({
      ok: false,
      error: expect.objectContaining({ code: "migration_failed", file }),
    });
    await rm(file);
    const again = await startServer({ dir });
    expect((await again.call("/api/status")).status).toBe(200);
    await again.stop();
    await rm(dir, { recursive: true });
  });

  test("a half-written database ends the start and is left as it was", async () => {
    const dir = await makeDir();
    const first = await startServer({ dir });
    await first.stop();
    const file = join(dir, "data/db.sqlite");
    const half = (await readFile(file)).subarray(0, 5_000);
    await writeFile(file, half);
    expect(await compose({ dir })).toMatchObject({ ok: false });
    expect((await readFile(file)).equals(half)).toBe(true);
    await rm(dir, { recursive: true });
  });
});

describe("ending", () => {
  test("[LIM-08] a running request is finished, a new one is not begun, and sockets close with 1001", async () => {
    const running = await startServer();
    const talk = openSocket(running, { protocols: ["silas", `bearer.${running.token}`] });
    await talk.next();
    const body = JSON.stringify({ operationId: "op-late", command: { kind: "task.create", title: "Late" } });
    const socket = connect(running.port, "127.0.0.1");
    const head = rawRequest("POST /api/journal/command HTTP/1.1", {
      host: `localhost:${running.port}`,
      authorization: `Bearer ${running.token}`,
      "content-type": "application/json",
      "content-length": String(body.length),
      expect: "100-continue",
      connection: "keep-alive",
    });
    socket.write(head);
    await new Promise((resolve) => socket.once("data", resolve));
    const answered = new Promise<string>((resolve) => {
      let text = "";
      socket.on("data", (chunk) => void (text += chunk.toString("latin1")));
      socket.on("close", () => resolve(text));
    });
    const stopping = running.stop();
    expect((await talk.closed).code).toBe(1001);
    expect(await isReachable("127.0.0.1", running.port)).toBe(false);
    socket.write(body);
    expect(statusOf(await answered)).toBe(200);
    // A connection that is kept open behind its answer would hold up the stop until the grace is over.
    expect(await answered).toMatch(/^connection: close\r$/im);
    await stopping;
  });

  test("[LIM-08] a request that does not end is cut off when the grace is over", async () => {
    const machine = createHandMachine();
    const running = await startServer({ machine, flags: { "backpressure.shutdown_grace_seconds": "7" } });
    const head = rawRequest("POST /api/journal/command HTTP/1.1", {
      host: `localhost:${running.port}`,
      authorization: `Bearer ${running.token}`,
      "content-type": "application/json",
      "content-length": "100",
      expect: "100-continue",
    });
    const socket = connect(running.port, "127.0.0.1", () => socket.write(head));
    await new Promise((resolve) => socket.once("data", resolve));
    const cut = new Promise((resolve) => socket.on("close", resolve));
    socket.on("error", () => {});
    const stopping = running.stop();
    machine.runTimers(7_000);
    await stopping;
    await cut;
    expect(await isReachable("127.0.0.1", running.port)).toBe(false);
  });
});

describe("slow clients", () => {
  test("a body that does not arrive is given up, and others are served meanwhile", async () => {
    const machine = createHandMachine();
    const running = await start({ machine });
    const head = rawRequest("POST /api/journal/query HTTP/1.1", {
      host: `localhost:${running.port}`,
      authorization: `Bearer ${running.token}`,
      "content-type": "application/json",
      "content-length": "100",
      expect: "100-continue",
    });
    const socket = connect(running.port, "127.0.0.1", () => socket.write(head));
    let answer = "";
    await new Promise((resolve) => socket.once("data", resolve));
    const ended = new Promise((resolve) => socket.on("close", resolve));
    socket.on("data", (chunk) => void (answer += chunk.toString("latin1")));
    socket.write('{"kind"');
    expect((await running.call("/api/status")).status).toBe(200);
    machine.runTimers(LIMITS.requestBodyMs);
    await ended;
    expect(statusOf(answer)).toBe(408);
    machine.nextMinute();
    await enrol(running.url, running.app.enrolmentLink());
  });

  test("headers that never end are cut off by the server's own clock", async () => {
    const running = await start();
    const answer = await exchange(running.port, `GET /health HTTP/1.1\r\nhost: localhost:${running.port}\r\nx-slow: `);
    expect(statusOf(answer)).toBe(408);
  });
});
