import { once } from "node:events";
import { createServer } from "node:net";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import { frameOfBatch, textFrame } from "./batch-frame.ts";

const batch = () => ({
  localBatchId: "batch-one",
  logicalChangeKey: sha256Hex("one"),
  changeUnitKeys: [sha256Hex("one")],
  typedTokens: [],
});

/** A client of another make reads the frames: a server that only shakes hands and sends the given bytes. */
async function readBack(bytes: Buffer, count: number): Promise<readonly string[]> {
  const server = createServer((socket) => {
    socket.once("data", (request) => {
      const key = /^sec-websocket-key: (.+)\r$/im.exec(request.toString("latin1"))?.[1] ?? "";
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.write(bytes);
    });
    socket.on("error", () => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const client = new WebSocket(`ws://127.0.0.1:${typeof address === "object" ? address?.port : 0}`);
  const texts: string[] = [];
  await new Promise<void>((resolve, reject) => {
    client.addEventListener("error", () => reject(new Error("the client refused the frames")));
    client.addEventListener("message", ({ data }) => {
      texts.push(String(data));
      if (texts.length === count) resolve();
    });
  });
  client.close();
  server.close();
  return texts;
}

test("frames of every length form are read as they were written by a client of another make", async () => {
  const texts = ["", "a", "é".repeat(62), "b".repeat(125), "c".repeat(126), "d".repeat(65_535), "🚀".repeat(20_000)];
  expect(await readBack(Buffer.concat(texts.map(textFrame)), texts.length)).toEqual(texts);
});

test("one batch is framed once, and two batches are two frames", () => {
  const one = batch();
  expect(frameOfBatch(one)).toBe(frameOfBatch(one));
  expect(frameOfBatch(batch())).not.toBe(frameOfBatch(one));
  expect(frameOfBatch(one)).toEqual(textFrame(JSON.stringify({ type: "change_batch", batch: one })));
});
