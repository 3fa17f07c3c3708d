import { once } from "node:events";
import { createServer, request as ask, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { assert, asyncProperty, integer } from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod/mini";
import { readJsonBody } from "./request-body.ts";

const schema = z.strictObject({ text: z.string() });
const bodyOf = (bytes: number): string =>
  JSON.stringify({ text: "x".repeat(bytes - JSON.stringify({ text: "" }).length) });

/** A server that reads bodies of at most so many bytes; its time passes when the test says so. */
async function openReader(bytesMax: number) {
  const waiting = new Set<() => void>();
  const timers = {
    after: (_delayMs: number, work: () => void) => {
      waiting.add(work);
      return () => void waiting.delete(work);
    },
  };
  const results: unknown[] = [];
  const seen: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const reading = readJsonBody(request, { schema, timers, bytesMax });
    request.on("data", (chunk: Buffer) => seen.push(chunk));
    const result = await reading;
    results.push(result.ok ? "ok" : result.error.code);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = () => ask({ host: "127.0.0.1", port, method: "POST", agent: false }).on("error", () => {});
  const post = async (body: string | Buffer) => {
    const [answer] = (await once(open().end(body), "response")) as [IncomingMessage];
    await once(answer.resume(), "end");
    return results.at(-1);
  };
  return { post, open, results, seen, waiting };
}

test("a body may have as many bytes as its limit, and not one more", async () => {
  const bytesMax = 200;
  const { post, waiting } = await openReader(bytesMax);
  await assert(
    asyncProperty(integer({ min: 20, max: 2 * bytesMax }), async (bytes) => {
      expect(await post(bodyOf(bytes))).toBe(bytes <= bytesMax ? "ok" : "body_too_large");
    }),
    { numRuns: 20, examples: [[bytesMax - 1], [bytesMax], [bytesMax + 1]] },
  );
  expect(waiting.size).toBe(0);
});

test("what was read is overwritten, whether it was taken or refused", async () => {
  const { post, seen } = await openReader(100);
  for (const body of [bodyOf(100), bodyOf(101), "no JSON", Buffer.from([0xff, 0xfe, 0x7b])]) {
    seen.length = 0;
    await post(body);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every((chunk) => chunk.every((byte) => byte === 0))).toBe(true);
  }
});

test("each reason is its own: no UTF-8, no JSON, another shape", async () => {
  const { post } = await openReader(100);
  expect(await post(Buffer.from([0x22, 0xff, 0x22]))).toBe("invalid_utf8");
  expect(await post('\ufeff{"text":"x"}')).toBe("invalid_json");
  expect(await post('{"text":1}')).toBe("invalid_input");
  expect(await post('{"text":"x","more":1}')).toBe("invalid_input");
});

test("a body that stops in the middle is refused when its time is up, or when whoever sent it is gone", async () => {
  const { open, results, waiting } = await openReader(100);
  const slow = open();
  slow.write('{"text":');
  await expect.poll(() => waiting.size).toBe(1);
  for (const work of waiting) work();
  await expect.poll(() => results).toEqual(["body_too_slow"]);
  slow.destroy();
  const gone = open();
  gone.write('{"text":');
  await expect.poll(() => waiting.size).toBe(1);
  gone.destroy();
  await expect.poll(() => results).toEqual(["body_too_slow", "bad_request"]);
  expect(waiting.size).toBe(0);
});
