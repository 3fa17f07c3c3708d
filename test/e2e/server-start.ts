import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeApp, type App, type AppOptions } from "#compose";
import { loadConfig } from "#config";
import { layMigrated } from "#sim";

export type Running = {
  readonly app: App;
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  /** A token of an enrolled device. */
  readonly token: string;
  readonly sessionId: string;
  /** A request as the page sends it, with its session. */
  call(path: string, init?: RequestInit & { readonly json?: unknown }): Promise<Response>;
  stop(): Promise<void>;
};

export type StartOptions = {
  readonly dir?: string;
  readonly flags?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly machine?: AppOptions["machine"];
  readonly pageDir?: string;
  /** What stands for the open internet. */
  readonly network?: AppOptions["network"];
};

/** What was ended may still be writing its last line. */
const REMOVING = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const;

export const makeDir = (): Promise<string> => mkdtemp(join(tmpdir(), "silas-server-"));

/** The application as `silas start` composes it, on a free port and a directory of its own. */
export async function compose(options: StartOptions & { readonly dir: string }) {
  const loaded = loadConfig({
    // What Silas says by itself comes when it is due, in the middle of whatever is tried.
    env: { SILAS_SUGGESTIONS__ENABLED: "false", ...options.env, SILAS_HOME: options.dir },
    cwd: options.dir,
    homeDir: options.dir,
    platform: process.platform,
    argvOverrides: { "channels.web.port": "0", ...options.flags },
  });
  if (!loaded.ok) throw new Error(`configuration: ${JSON.stringify(loaded.error)}`);
  return composeApp({
    config: loaded.value.config,
    stateDir: loaded.value.paths.stateDir,
    version: "0.0.0-test",
    ...(options.machine === undefined ? {} : { machine: options.machine }),
    ...(options.pageDir === undefined ? {} : { pageDir: options.pageDir }),
    ...(options.network === undefined ? {} : { network: options.network }),
  });
}

export async function startServer(options: StartOptions = {}): Promise<Running> {
  const dir = options.dir ?? (await makeDir());
  layMigrated(join(dir, "data"));
  const composed = await compose({ ...options, dir });
  if (!composed.ok) throw new Error(`start: ${composed.error.code}`);
  const app = composed.value;
  const listening = await app.listen();
  if (!listening.ok) throw new Error(`listen: ${listening.error.code}`);
  const { url, port } = listening.value;
  const { token, session_id: sessionId } = await enrol(url, app.enrolmentLink());
  return {
    app,
    url,
    port,
    dir,
    token,
    sessionId,
    call: (path, { json, ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${token}`);
      if (json !== undefined) headers.set("content-type", "application/json");
      return fetch(url + path, {
        ...init,
        headers,
        ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
      });
    },
    async stop() {
      await app.close();
      if (options.dir === undefined) await rm(dir, REMOVING);
    },
  };
}

export async function enrol(url: string, link: string): Promise<{ token: string; session_id: string }> {
  const response = await tryEnrol(url, { code: link.split("#")[1], device_name: "Test device" });
  if (response.status !== 200) throw new Error(`enrol: ${response.status}`);
  return (await response.json()) as { token: string; session_id: string };
}

export function tryEnrol(url: string, body: unknown): Promise<Response> {
  return fetch(`${url}/session/enrol`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Sends bytes as they are and gives back everything the server says until it closes. */
export function exchange(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket: Socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => void (answer += chunk));
    socket.on("close", () => resolve(answer));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      // One that closes while it is still spoken to is met by a read or by a write, whichever comes first.
      error.code === "ECONNRESET" || error.code === "EPIPE" ? resolve(answer) : reject(error),
    );
  });
}

/** A request line with headers, closed after its answer. */
export function rawRequest(line: string, headers: Readonly<Record<string, string>>, body = ""): string {
  const lines = Object.entries({ connection: "close", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${line}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

export function codeOf(answer: string): string | null {
  return /"code":"([a-z_0-9]+)"/.exec(answer)?.[1] ?? null;
}
