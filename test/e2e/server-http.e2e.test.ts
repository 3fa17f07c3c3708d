import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { codeOf, exchange, makeDir, rawRequest, startServer, statusOf, type Running } from "./server-start.ts";

let running: Running;
const PAGE = "<!doctype html><title>Silas</title>";
beforeAll(async () => {
  const pageDir = join(await makeDir(), "dist");
  await mkdir(join(pageDir, "assets"), { recursive: true });
  await writeFile(join(pageDir, "index.html"), PAGE);
  await writeFile(join(pageDir, "sw.js"), "self.skipWaiting()");
  await writeFile(join(pageDir, "assets/app-1a2b.js"), "console.log(1)");
  await writeFile(join(pageDir, "assets/app-1a2b.js.br"), brotliCompressSync("console.log(1)"));
  await writeFile(join(pageDir, "../outside.html"), "outside");
  running = await startServer({ pageDir });
});
afterAll(() => running.stop());

const own = () => ({ host: `localhost:${running.port}`, authorization: `Bearer ${running.token}` });
const json = (body: string) => ({
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(body)),
});
const task = (title: string) => ({ operationId: `op-${title}`, command: { kind: "task.create", title } });

describe("who is answered", () => {
  test("[WEB-15] health says ok and the number of open sockets, to anyone on this machine", async () => {
    const response = await fetch(`${running.url}/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ok", connections: 0 });
  });

  test.each([
    "/api/status",
    "/api/journal/export",
    "/session",
    "/sessions",
    "/session?token=TOKEN",
    "/api/status?token=TOKEN&auth_token=TOKEN&access_token=TOKEN",
  ])("[WEB-15] GET %s without a session is refused", async (path) => {
    const response = await fetch(running.url + path.replaceAll("TOKEN", running.token));
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: "unauthorized" } });
  });

  test.each(["/api/journal/command", "/api/journal/query", "/api/journal/import", "/session/links", "/nowhere"])(
    "[WEB-15] POST %s without a session is refused",
    async (path) => {
      const response = await fetch(running.url + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(task("foreign")),
      });
      expect(response.status).toBe(401);
    },
  );

  test.each([
    "Bearer",
    "Bearer ",
    "bearer TOKEN",
    "Basic TOKEN",
    "Bearer TOKEN TOKEN",
    "Bearer TOKENx",
    "Bearer null",
    "Bearer undefined",
    "TOKEN",
  ])("the authorization %j is refused", async (header) => {
    const authorization = header.replaceAll("TOKEN", running.token);
    expect((await running.call("/session", { headers: { authorization } })).status).toBe(401);
  });

  test.each([
    "localhost",
    "evil.example",
    "localhost:1",
    "localhost:PORT.evil.example",
    "127.0.0.1.nip.io:PORT",
    "",
    "user@localhost:PORT",
  ])("a request for the host %j is refused on every route", async (host) => {
    for (const path of ["/health", "/", "/api/status", "/ws"]) {
      const headers = { ...own(), host: host.replace("PORT", String(running.port)) };
      const answer = await exchange(running.port, rawRequest(`GET ${path} HTTP/1.1`, headers));
      expect([400, 421]).toContain(statusOf(answer));
    }
  });

  test.each([
    "http://evil.example",
    "null",
    "https://localhost:PORT",
    "http://localhost:1",
    "http://localhost:PORT.evil.example",
    "http://localhost",
    "file://",
    "chrome-extension://abcdefghijklmnop",
  ])("a page at %s is refused, with a good token too, for reading and writing", async (origin) => {
    const headers = { ...own(), origin: origin.replace("PORT", String(running.port)) };
    const get = await exchange(running.port, rawRequest("GET /api/status HTTP/1.1", headers));
    expect([statusOf(get), codeOf(get)]).toEqual([403, "foreign_origin"]);
    const body = JSON.stringify(task("from-elsewhere"));
    const post = await exchange(
      running.port,
      rawRequest("POST /api/journal/command HTTP/1.1", { ...headers, ...json(body) }, body),
    );
    expect([statusOf(post), codeOf(post)]).toEqual([403, "foreign_origin"]);
    expect(`${get}${post}`.toLowerCase()).not.toContain("access-control-allow");
  });

  test("our own page is answered, without any CORS header", async () => {
    const headers = { ...own(), origin: `http://localhost:${running.port}` };
    const answer = await exchange(running.port, rawRequest("GET /api/status HTTP/1.1", headers));
    expect(statusOf(answer)).toBe(200);
    expect(answer.toLowerCase()).not.toContain("access-control");
  });

  test("a preflight from elsewhere gets nothing", async () => {
    const headers = { ...own(), origin: "http://evil.example", "access-control-request-method": "POST" };
    const answer = await exchange(running.port, rawRequest("OPTIONS /api/journal/command HTTP/1.1", headers));
    expect(statusOf(answer)).toBe(405);
    expect(answer.toLowerCase()).not.toContain("access-control");
  });
});

describe("bad requests", () => {
  test.each(["TRACE", "OPTIONS", "PUT", "PATCH", "PROPFIND", "CONNECT"])("%s is not taken", async (method) => {
    const target = method === "CONNECT" ? `localhost:${running.port}` : "/api/status";
    const answer = await exchange(running.port, rawRequest(`${method} ${target} HTTP/1.1`, own()));
    expect(method === "CONNECT" ? [0, 400, 405] : [405]).toContain(statusOf(answer));
    expect(answer).not.toContain(running.token);
  });

  test.each([
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["application/jsonx", 415],
    ["text/json", 415],
    ["application/json; charset=utf-8", 200],
  ])("a body of type %s answers %i", async (type, status) => {
    const body = JSON.stringify({ kind: "categories" });
    const response = await running.call("/api/journal/query", {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
    expect(response.status).toBe(status);
  });

  test("a body without a type is refused", async () => {
    const body = JSON.stringify({ kind: "categories" });
    const headers = { ...own(), "content-length": String(body.length) };
    const answer = await exchange(running.port, rawRequest("POST /api/journal/query HTTP/1.1", headers, body));
    expect(statusOf(answer)).toBe(415);
  });

  test.each([
    ["", "invalid_json"],
    ["{", "invalid_json"],
    ["nonsense", "invalid_json"],
    ['{"kind":"categories","kind":"labels"}', "invalid_json"],
    ['{"kind":"categories","\\u006bind":"labels"}', "invalid_json"],
    ['{"kind":"search","text":"\\ud800"}', "invalid_json"],
    ['{"kind":"changes","after":9007199254740993}', "invalid_json"],
    ['{"kind":"changes","after":1e999}', "invalid_json"],
    ['\ufeff{"kind":"categories"}', "invalid_json"],
    [`${"[".repeat(10_000)}`, "invalid_json"],
    ["null", "invalid_input"],
    ["[]", "invalid_input"],
    ['"categories"', "invalid_input"],
    ['{"kind":"__proto__"}', "invalid_input"],
    ['{"kind":"constructor"}', "invalid_input"],
    ['{"kind":"categories","scope":"root"}', "invalid_input"],
    ['{"kind":"task","id":"a|b"}', "invalid_input"],
    ['{"kind":"task","id":7}', "invalid_input"],
    ['{"__proto__":{"kind":"categories"}}', "invalid_input"],
  ])("the query %j is refused as %s", async (body, code) => {
    const response = await running.call("/api/journal/query", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code }, error_id: expect.stringMatching(/^[0-9a-z]{8}$/) });
  });

  test("bytes that are not UTF-8 are refused", async () => {
    const response = await running.call("/api/journal/query", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: Uint8Array.from([0x22, 0xc3, 0x28, 0x22]),
    });
    expect(await response.json()).toMatchObject({ error: { code: "invalid_utf8" } });
  });

  test("a body above the limit is refused, with and without a length, and the server lives", async () => {
    const big = `"${"x".repeat(LIMITS.bodyBytes)}"`;
    const whole = await exchange(
      running.port,
      rawRequest("POST /api/journal/query HTTP/1.1", { ...own(), ...json(big) }, big),
    );
    expect([statusOf(whole), codeOf(whole)]).toEqual([413, "body_too_large"]);
    const chunked = `${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`;
    const headers = { ...own(), "content-type": "application/json", "transfer-encoding": "chunked" };
    const parts = await exchange(running.port, rawRequest("POST /api/journal/query HTTP/1.1", headers, chunked));
    expect(statusOf(parts)).toBe(413);
    expect((await running.call("/api/status")).status).toBe(200);
  });

  test.each([
    [
      "a length and a transfer coding",
      "POST /api/journal/query HTTP/1.1",
      { "content-length": "4", "transfer-encoding": "chunked" },
      "0\r\n\r\n",
    ],
    ["two lengths", "POST /api/journal/query HTTP/1.1", { "content-length": "4, 5" }, "null"],
    ["a bad chunk size", "POST /api/journal/query HTTP/1.1", { "transfer-encoding": "chunked" }, "zz\r\nnull\r\n"],
    [
      "an unknown transfer coding",
      "POST /api/journal/query HTTP/1.1",
      { "transfer-encoding": "chunked, identity" },
      "0\r\n\r\n",
    ],
    ["a line break in a header", "GET /api/status HTTP/1.1", { "x-a": "1\rHost: evil" }, ""],
    ["a NUL in a header", "GET /api/status HTTP/1.1", { "x-a": "\u0000" }, ""],
    ["headers of 64 kB", "GET /api/status HTTP/1.1", { "x-a": "a".repeat(65_536) }, ""],
    ["an absolute target", "GET http://evil.example/api/status HTTP/1.1", {}, ""],
    ["an absolute target of our own", "GET http://localhost/api/status HTTP/1.1", {}, ""],
    ["a second host", "GET /api/status HTTP/1.1", { Host: "evil.example" }, ""],
    ["no target", "GET  HTTP/1.1", {}, ""],
    ["another protocol", "GET / HTCPCP/1.0", {}, ""],
    ["HTTP/0.9", "GET /", {}, ""],
    ["a bad escape", "GET /sessions/%zz HTTP/1.1", {}, ""],
    ["an id of 10,000 characters", `DELETE /sessions/${"a".repeat(10_000)} HTTP/1.1`, {}, ""],
  ])("%s is refused", async (_name, line, headers, body) => {
    const type = line.startsWith("POST") ? { "content-type": "application/json" } : {};
    const answer = await exchange(running.port, rawRequest(line, { ...own(), ...type, ...headers }, body));
    expect(statusOf(answer) === 0 || (statusOf(answer) >= 400 && statusOf(answer) < 500), answer.slice(0, 200)).toBe(
      true,
    );
    expect((await running.call("/api/status")).status).toBe(200);
  });

  test("two requests in one packet are two requests, each judged for itself", async () => {
    const first = rawRequest("GET /health HTTP/1.1", { host: `localhost:${running.port}`, connection: "keep-alive" });
    const second = rawRequest("GET /api/status HTTP/1.1", { host: `localhost:${running.port}` });
    const answer = await exchange(running.port, first + second);
    expect(answer.match(/HTTP\/1\.1 (\d{3})/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 401"]);
  });

  test("a connection is kept for longer than a busy machine stands still between two requests", async () => {
    const kept = await fetch(`${running.url}/health`);
    expect(kept.headers.get("keep-alive")).toBe("timeout=75");
  });

  test("what a person wrote and what broke never comes back in an error", async () => {
    const response = await running.call("/api/journal/query", {
      json: { kind: "task", id: "<script>secret-words</script>" },
    });
    expect(await response.text()).not.toContain("secret-words");
  });
});

describe("the page", () => {
  test("[WEB-16] the page is served at the root, to be asked for anew each time", async () => {
    const response = await fetch(running.url);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(await response.text()).toBe(PAGE);
    const again = await fetch(running.url, { headers: { "if-none-match": response.headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
  });

  test("addresses of surfaces give the page to a browser, and nothing to others", async () => {
    const asPage = await fetch(`${running.url}/tasks/today`, { headers: { accept: "text/html" } });
    expect(await asPage.text()).toBe(PAGE);
    expect((await fetch(`${running.url}/tasks/today`)).status).toBe(404);
    expect((await fetch(`${running.url}/missing.js`, { headers: { accept: "text/html" } })).status).toBe(404);
    expect((await fetch(`${running.url}/api/unknown`, { headers: { accept: "text/html" } })).status).toBe(404);
  });

  test("hashed files are kept for ever, the service worker never, and a prepared form is used", async () => {
    const asset = await fetch(`${running.url}/assets/app-1a2b.js`, { headers: { "accept-encoding": "br" } });
    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(asset.headers.get("content-encoding")).toBe("br");
    expect(await asset.text()).toBe("console.log(1)");
    const plain = await fetch(`${running.url}/assets/app-1a2b.js`, { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await plain.text()).toBe("console.log(1)");
    expect((await fetch(`${running.url}/sw.js`)).headers.get("cache-control")).toBe("no-cache");
  });

  test.each([
    "/../outside.html",
    "/assets/../../outside.html",
    "/..%2foutside.html",
    "/%2e%2e/outside.html",
    "/%252e%252e/outside.html",
    "/..%5coutside.html",
    "/..\\outside.html",
    "/assets/..;/..;/outside.html",
    "//outside.html",
    "/./../outside.html",
    "/%00/outside.html",
    "/assets/%2e%2e%2f%2e%2e%2foutside.html",
    "/etc/passwd",
    "/index.html/../../outside.html",
  ])("%s leads nowhere", async (path) => {
    const answer = await exchange(
      running.port,
      rawRequest(`GET ${path} HTTP/1.1`, { host: `localhost:${running.port}`, accept: "*/*" }),
    );
    expect([400, 404]).toContain(statusOf(answer));
    expect(answer).not.toMatch(/\r\n\r\noutside/);
  });

  test("every answer carries the security headers", async () => {
    for (const path of ["/", "/health", "/api/status", "/nowhere.js"]) {
      const { headers } = await fetch(running.url + path);
      const csp = headers.get("content-security-policy") ?? "";
      expect(csp).toContain("default-src 'self'");
      expect(csp).toContain("script-src 'self';");
      expect(csp).toContain("frame-ancestors 'none'");
      expect(csp).toContain(`connect-src 'self' ws://localhost:${running.port}`);
      expect(csp).not.toMatch(/unsafe|\*/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("set-cookie")).toBeNull();
      expect(headers.get("server")).toBeNull();
      expect(headers.get("x-powered-by")).toBeNull();
    }
  });
});

describe("what broke", () => {
  test("the raw cause is in the log under the error's id, and not in the answer", async () => {
    const broken = await startServer();
    const db = new DatabaseSync(join(broken.dir, "data/db.sqlite"), { timeout: 60_000 });
    db.exec("DROP TABLE records");
    db.close();
    const response = await broken.call("/api/journal/query", { json: { kind: "categories" } });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toMatch(/records|sqlite|SELECT|no such/i);
    const body = JSON.parse(text) as { error: { code: string }; error_id: string };
    expect(body.error.code).toBe("store_failed");
    const log = await readFile(join(broken.dir, "state/logs/silas.log"), "utf8");
    const line = log.split("\n").find((each) => each.includes(body.error_id)) ?? "";
    expect(line).toContain("no such table");
    await broken.stop();
  });
});
