import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempFolder } from "../sandbox.fixture.ts";
import { createEngineClient } from "./engine-client.ts";

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"Id":"one"}';

test("an engine that closes a connection when it is used again is asked over another one each time", async () => {
  const socketPath = join(tempFolder(), "engine.sock");
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", () => {
      socket.write(ANSWER);
      socket.once("data", () => socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const client = createEngineClient(socketPath);
  for (let asked = 0; asked < 3; asked += 1)
    expect(await client.call({ method: "GET", path: "/info" })).toEqual({ ok: true, value: { Id: "one" } });
});
