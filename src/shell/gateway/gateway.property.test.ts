import type { Socket } from "node:net";
import { assert, asyncProperty, constantFrom, oneof, string, stringMatching, tuple } from "fast-check";
import { expect, test } from "vitest";
import { internetOf, openDoor, serverOf, tunnelTo } from "./gateway.fixture.ts";

test("whatever is said at the door, nothing breaks: it is answered or ended, and the next one is served", async () => {
  const port = await serverOf((_request, response) => response.end("page"));
  const network = internetOf({ "www.example.org": ["93.184.215.14"] }, port);
  const { say } = await openDoor({ hosts: ["www.example.org:80"], network });
  const bytes = string({ unit: "binary-ascii", maxLength: 40 });
  const path = oneof(bytes, stringMatching(/^[\x21-\xff]{0,40}$/));
  const method = constantFrom("GET", "POST", "HEAD", "PUT", "CONNECT", "OPTIONS", "TRACE", "PATCH", "BREW");
  const header = oneof(
    constantFrom("Expect: 100-continue", "Upgrade: websocket", "Transfer-Encoding: chunked", "Content-Length: 5"),
    constantFrom("Connection: upgrade", "Content-Length: -1", "TE: trailers", "Host:", ": x", "X\x7f: \x01"),
    bytes,
  );
  const target = oneof(
    path.map((rest) => `http://www.example.org/${rest}`),
    constantFrom("www.example.org:80", "*", "/"),
    bytes,
  );
  await assert(
    asyncProperty(tuple(method, target, header, bytes), async ([verb, where, line, body]) => {
      const talk = await say(`${verb} ${where} HTTP/1.1\r\nHost: x\r\n${line}\r\nConnection: close\r\n\r\n${body}`);
      talk.socket.end();
      await talk.until("\r\n\r\n");
      talk.socket.destroy();
    }),
    { numRuns: 150 },
  );
  const next = await say(tunnelTo("www.example.org:80"));
  expect(await next.until("\r\n\r\n")).toContain("200");
});

test("a connection that is made after its run ended is ended with it", async () => {
  const port = await serverOf((_request, response) => response.end("page"));
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<readonly string[]>();
  const made: Socket[] = [];
  const internet = internetOf({}, port);
  const network = {
    ...internet,
    dial: (to: Parameters<typeof internet.dial>[0]) => {
      const socket = internet.dial(to);
      made.push(socket);
      return socket;
    },
    resolve: () => {
      asked.resolve();
      return answered.promise;
    },
  };
  const limits = { requests: 10, bytes: 1000, connections: 10, connectMs: 600_000, idleMs: 600_000 };
  const { say, door } = await openDoor({ hosts: ["www.example.org:80"], network, limits });
  const talk = await say(tunnelTo("www.example.org:80"));
  await asked.promise;
  await door.close();
  answered.resolve(["93.184.215.14"]);
  expect(await talk.whole()).toBe("");
  await expect.poll(() => made.map(({ destroyed }) => destroyed)).toEqual([true]);
});
