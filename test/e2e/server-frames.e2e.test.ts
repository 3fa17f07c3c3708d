import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { startServer, type Running } from "./server-start.ts";
import { connectRaw, createHandMachine, frame, text } from "./server-talk.ts";

let running: Running;
const machine = createHandMachine();
beforeAll(async () => {
  running = await startServer({ machine });
});
afterAll(() => running.stop());

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
    machine.nextMinute();
    const wire = await connectRaw(running);
    wire.socket.write(bytes());
    expect(await wire.closeCode).toBe(code);
    wire.socket.destroy();
    expect((await running.call("/api/status")).status).toBe(200);
  });

  test("a frame in fragments is one frame; fragments without end stop at the limit", async () => {
    machine.nextMinute();
    const good = await connectRaw(running);
    const answered = new Promise<void>((resolve) =>
      good.socket.on("data", (chunk) => chunk.includes("pong") && resolve()),
    );
    good.socket.write(Buffer.concat([frame(1, text('{"type":'), { fin: 0 }), frame(0, text('"ping"}'))]));
    await answered;
    good.socket.destroy();
    const endless = await connectRaw(running);
    endless.socket.on("error", () => {});
    endless.socket.write(frame(1, text("["), { fin: 0 }));
    for (let sent = 0; sent <= LIMITS.socketFrameBytes; sent += 30_000) {
      endless.socket.write(frame(0, new Uint8Array(30_000).fill(32), { fin: 0 }));
    }
    expect(await endless.closeCode).toBe(1009);
    endless.socket.destroy();
  });
});
