import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { BENCH_TOKEN, batchesOf, frameOf, type Arriving, type Order, type Report } from "./fan-out-server.ts";
import type { Line } from "./measure.ts";

const CLIENTS = 100;
const BATCHES = { apart: 100, together: 400 } as const;
type Mode = "product" | "raw";

/** One burst of committed changes to many pages, and what an open page costs in memory. */
export function fanOutLines(): readonly Line[] {
  return [
    ...(["apart", "together"] as const).map((arriving): Line => ({
      what: `changes to ${CLIENTS} sockets, ${arriving === "apart" ? "one at a time" : `${BATCHES.together} at once`}`,
      unit: "cpu us/frame",
      product: () => cpuPerFrame("product", arriving),
      limit: () => cpuPerFrame("raw", arriving),
      peer: null,
      goals: [{ against: "limit", compare: "speed_at_least", factor: 0.9 }],
    })),
    {
      what: "memory of an open socket",
      unit: "kB heap",
      product: () => heapPerClient("product"),
      limit: () => heapPerClient("raw"),
      peer: null,
      goals: [{ against: "figure", atMost: 10 }],
    },
  ];
}

async function cpuPerFrame(mode: Mode, arriving: Arriving): Promise<number> {
  const server = await startFanOut(mode);
  const clients = await connectAll({ mode, port: server.port });
  const micros: number[] = [];
  const count = BATCHES[arriving];
  // The first burst warms the server up.
  for (let burst = 0; burst < 4; burst += 1) {
    const received = Promise.all(clients.map((client) => client.receive(count)));
    server.order({ kind: "publish", count, arriving });
    await received;
    const { cpuMicros } = await server.usage();
    if (burst > 0) micros.push(cpuMicros / (CLIENTS * count));
  }
  await server.stop(clients);
  return micros.toSorted((a, b) => a - b)[1] ?? Number.NaN;
}

async function heapPerClient(mode: Mode): Promise<number> {
  const server = await startFanOut(mode);
  // The first connections compile the code and fill the pools; they are not the price of one more.
  const first = await connectAll({ mode, port: server.port, count: 10 });
  await server.usage();
  const before = await server.usage();
  const clients = await connectAll({ mode, port: server.port });
  await server.usage();
  const after = await server.usage();
  await server.stop([...first, ...clients]);
  return (after.heapBytes - before.heapBytes) / CLIENTS / 1000;
}

type Connecting = { readonly mode: Mode; readonly port: number; readonly count?: number };
type Client = { readonly receive: (batches: number) => Promise<void>; readonly close: () => void };

function connectAll({ mode, port, count = CLIENTS }: Connecting): Promise<readonly Client[]> {
  const client = mode === "product" ? socketClient : rawClient;
  return Promise.all(Array.from({ length: count }, () => client(port)));
}

async function socketClient(port: number): Promise<Client> {
  const socket = new WebSocket(`ws://localhost:${port}/ws`, ["silas", `bearer.${BENCH_TOKEN}`]);
  let isClosing = false;
  let hear: ((text: string) => void) | null = null;
  socket.addEventListener("message", ({ data }) => hear?.(String(data)));
  const closed = new Promise<never>((_resolve, reject) => {
    socket.addEventListener("close", ({ code }) => {
      if (!isClosing) reject(new Error(`the socket closed with ${code}`));
    });
  });
  const count = (wanted: number, type: string) =>
    new Promise<void>((resolve) => {
      let seen = 0;
      hear = (text) => {
        if (text.startsWith(`{"type":"${type}"`)) seen += 1;
        if (seen === wanted) resolve();
      };
    });
  await Promise.race([closed, count(1, "auth_ok")]);
  return {
    receive: (batches) => Promise.race([closed, count(batches, "change_batch")]),
    close: () => {
      isClosing = true;
      socket.close();
    },
  };
}

async function rawClient(port: number): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return {
    receive: (batches) => {
      const wanted = batchesOf(batches).reduce((bytes, batch) => bytes + Buffer.byteLength(frameOf(batch)), 0);
      return new Promise((resolve) => {
        let seen = 0;
        const read = (chunk: Buffer) => {
          seen += chunk.length;
          if (seen < wanted) return;
          socket.off("data", read);
          resolve();
        };
        socket.on("data", read);
      });
    },
    close: () => socket.destroy(),
  };
}

async function startFanOut(mode: Mode) {
  const path = fileURLToPath(new URL("fan-out-server.ts", import.meta.url));
  const child = fork(path, [mode], { execArgv: ["--expose-gc", "--no-warnings"] });
  const listening = await nextReport(child, "listening");
  const order = (message: Order) => void child.send(message);
  return {
    port: listening.port,
    order,
    usage: () => {
      const answer = nextReport(child, "usage");
      order({ kind: "usage" });
      return answer;
    },
    stop: async (clients: readonly Client[]) => {
      for (const client of clients) client.close();
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function nextReport<K extends Report["kind"]>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<Report, { readonly kind: K }>> {
  for (;;) {
    const [report] = (await once(child, "message", { signal: AbortSignal.timeout(30_000) })) as [Report];
    if (report.kind === kind) return report as Extract<Report, { readonly kind: K }>;
  }
}
