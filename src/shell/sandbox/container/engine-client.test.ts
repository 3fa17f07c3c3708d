import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempFolder } from "../sandbox.fixture.ts";
import { createEngineClient } from "./engine-client.ts";

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"Id":"one"}';

/** An engine that gives every connection the same bytes, and whatever it is asked. */
async function engineSaying(answer: (socket: Socket) => void) {
  const socketPath = join(tempFolder(), "engine.sock");
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return createEngineClient(socketPath);
}

const said = (status: string, body: string, headers = ""): string =>
  `HTTP/1.1 ${status}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test("an engine that closes a connection when it is used again is asked over another one each time", async () => {
  const client = await engineSaying((socket) => {
    socket.write(ANSWER);
    socket.once("data", () => socket.destroy());
  });
  for (let asked = 0; asked < 3; asked += 1)
    expect(await client.call({ method: "GET", path: "/info" })).toEqual({ ok: true, value: { Id: "one" } });
});

const MIB = 1024 * 1024;

test.each<readonly [string, string, unknown]>([
  ["words", said("200 OK", "OK"), { ok: true, value: null }],
  ["nothing", "HTTP/1.1 204 No Content\r\n\r\n", { ok: true, value: null }],
  ["a list", said("299 Fine", "[1]"), { ok: true, value: [1] }],
  [
    "a refusal with words of its own",
    said("404 No", '{"message":"no such container"}'),
    fault(404, "no such container"),
  ],
  ["a refusal in plain words", said("300 Else", "elsewhere"), fault(300, "elsewhere")],
  ["a refusal without words", said("500 No", ""), fault(500, "status 500")],
  ["half of an answer", said("200 OK", "{}").replace("Length: 2", "Length: 9"), fault(200, "aborted")],
  ["JSON that is none", said("200 OK", "{no"), { ok: false, error: { status: 200 } }],
  ["as much as it may", said("200 OK", "x".repeat(8 * MIB)), { ok: true, value: null }],
  ["more than it may", said("200 OK", "x".repeat(8 * MIB + 1)), fault(200, "the engine answers with too much")],
  ["no answer", "", fault(null, "socket hang up")],
])("an engine that answers with %s is understood as that", async (_what, bytes, understood) => {
  const client = await engineSaying((socket) => socket.end(bytes));
  expect(await client.call({ method: "POST", path: "/containers/create", body: {} })).toMatchObject(
    understood as object,
  );
});

function fault(status: number | null, detail: string) {
  return { ok: false, error: { status, detail } };
}

test("a ping gives the name of the engine, and an engine that does not answer in time is told from one that is not there", async () => {
  const named = await engineSaying((socket) => socket.end(said("200 OK", "OK", "Server: Docker/27.1 (linux)\r\n")));
  expect(await named.ping()).toEqual({ ok: true, value: "Docker/27.1 (linux)" });
  const refusing = await engineSaying((socket) => socket.end(said("500 No", "")));
  expect(await refusing.ping()).toMatchObject(fault(500, "status 500"));
  const silent = await engineSaying(() => {});
  expect(await silent.call({ method: "GET", path: "/info", waitMs: 1 })).toMatchObject(
    fault(null, "the engine does not answer"),
  );
  const absent = await createEngineClient(join(tempFolder(), "none.sock")).ping();
  expect(absent).toMatchObject({ ok: false, error: { status: null, detail: expect.stringContaining("ENOENT") } });
});

test("what is attached to stays open while nothing is said, and its first words are not lost", async () => {
  const upgrade = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";
  const client = await engineSaying((socket) => socket.write(`${upgrade}first words`));
  const pipe = await client.attach("one");
  if (!pipe.ok) throw new Error(pipe.error.detail);
  onTestFinished(() => void pipe.value.destroy());
  expect((pipe.value as Socket).timeout).toBe(0);
  const [words] = (await once(pipe.value, "data")) as [Buffer];
  expect(words.toString()).toBe("first words");
  const refusing = await engineSaying((socket) => socket.end(said("404 No", '{"message":"no such container"}')));
  expect(await refusing.attach("one")).toMatchObject(fault(404, "no such container"));
  const plain = await engineSaying((socket) => socket.end(said("200 OK", "{}")));
  expect(await plain.attach("one")).toEqual(fault(200, "cannot be attached to"));
  const gone = await engineSaying((socket) => socket.destroy());
  expect(await gone.attach("one")).toMatchObject(fault(null, "socket hang up"));
});
