import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterAll, onTestFinished } from "vitest";
import { composeLocal, type LocalApp } from "#compose";
import { loadConfig } from "#config";
import { layMigrated } from "#sim";
import { instantFromMs, type Instant } from "#base";
import type { Network } from "#gateway";
import type { ConnectionView, KeptRequest } from "#model";
import { homeDir, TERMINAL, type Desk } from "./batch-fixture.ts";
import { must } from "./journal-fixture.ts";
import { decide, installIn, skillFolder, type Files } from "./skill-fixture.ts";

export const HINT = { name: null, email: "ada@example.com", domain: null };
const BEGIN_MS = Date.UTC(2026, 10, 16, 8, 0);

const DOCUMENT = `---
name: notes
description: Connects to the notes service, when somebody asks about notes that are kept there.
type: connection
service: Notes
auth_strategy: device_code
initial_permissions: [notes.read]
available_permissions: [notes.read, notes.write]
script_permissions:
  scripts/list_notes.mjs: [notes.read]
  scripts/add_note.mjs: [notes.write]
one_time_permissions: true
script_args:
  scripts/add_note.mjs:
    text: { type: string, max_length: 200 }
hosts: [notes.example.com, "notes.example.com:80"]
credentials:
  access: { host: notes.example.com }
  refresh: {}
---

# Notes

Use \`scripts/probe.mjs\`.
`;

const OPENING = `import { readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
if (process.env.SILAS_DRY_RUN === "1") process.exit(0);
const say = (line) => console.log(JSON.stringify(line));
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const given = JSON.parse((await lines.next()).value);
const ask = async (path, body) => {
  const answer = await fetch("http://notes.example.com" + path, { method: "POST", body: JSON.stringify(body) });
  return answer.json();
};
const hand = (name, value) => writeSync(Number(process.env.SILAS_CREDENTIALS_FD), JSON.stringify({ name, value }) + "\\n");
`;
const DISCOVER = `${OPENING}
say({
  auth_strategy: "secure_input", provider: "Notes", identity_match: given.identity_hint.email !== null, tenant_type: null,
  initial_permissions: ["notes.read"],
  setup_requirements: { browser: false, secure_input: false, app_registration: false },
  supported_strategies: ["secure_input", "device_code"],
});
process.exit(0);
`;
const SETUP = `${OPENING}
const asked = await ask("/device", { scope: [...given.initial_permissions, ...given.incremental_scopes] });
console.error(JSON.stringify({ type: "failure" }));
say({ type: "log", level: "info", message: "asked for a code" });
say({ type: "setup_step", step_id: "code", step: {
  type: "device_code", verification_url: "https://notes.example.com/go", user_code: asked.user_code, expires_in: 60, poll_interval: 1,
} });
for (;;) {
  const got = await ask("/token", { device_code: asked.device_code });
  if (got.access_token) {
    hand("access", got.access_token);
    hand("refresh", got.refresh_token);
    say({ type: "completion", connection_payload: { name: "Notes of Ada", permissions_granted: got.scope, token_expires_at: got.expires_at } });
    break;
  }
  if (got.error !== "authorization_pending") {
    say({ type: "failure", failure: { failure_type: "consent_denied", service: "Notes", message: "You declined.", recovery_options: [] } });
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 30));
}
process.exit(0);
`;
const REFRESH = `${OPENING}
const got = await ask("/refresh", { refresh_token: readFileSync(Number(process.env.SILAS_SECRET_REFRESH_FD), "utf8") });
if (got.access_token) hand("access", got.access_token);
say(got.access_token ? { success: true, new_expires_at: got.expires_at } : { success: false });
process.exit(0);
`;
const HEALTH = `${OPENING}
const got = await ask("/me", {});
say({ healthy: got.ok === true, token_expires_at: got.expires_at ?? null, latency_ms: 3, error: got.ok === true ? null : got.error });
process.exit(0);
`;
const RECOVER = `${OPENING}
const got = await ask("/repair", { error: given.error });
say(got.ok === true ? { success: true } : { failure_type: got.failure_type, service: "Notes", message: "It was taken back.", recovery_options: [] });
process.exit(0);
`;
const PROBE = `${OPENING}
const got = await ask("/me", {});
if (got.ok !== true) process.exit(1);
say({ summary: got.notes + " notes" });
process.exit(0);
`;
const LIST = `${OPENING}
const got = await ask("/list", {});
console.log(JSON.stringify(got));
process.exit(got.notes === undefined ? 1 : 0);
`;
const ADD = `${OPENING}
const got = await ask("/add", { text: given.text });
console.log(JSON.stringify(got));
process.exit(got.ok === true ? 0 : 1);
`;
export const NOTES: Files = {
  "SKILL.md": DOCUMENT,
  "scripts/discover.mjs": DISCOVER,
  "scripts/setup.mjs": SETUP,
  "scripts/refresh_token.mjs": REFRESH,
  "scripts/health_check.mjs": HEALTH,
  "scripts/recover.mjs": RECOVER,
  "scripts/probe.mjs": PROBE,
  "scripts/list_notes.mjs": LIST,
  "scripts/add_note.mjs": ADD,
};
export { OPENING };

/** A service that hands out codes and tokens, on this machine, standing for one of the open internet. */
export type NotesHost = {
  readonly network: Network;
  /** The person types the code. */
  allow(): void;
  deny(): void;
  /** The next code has not been typed yet. */
  forget(): void;
  /** What it answers from now on, by path, in place of its own. */
  readonly answers: Map<string, object>;
  /** Paths it never answers. */
  readonly silent: Set<string>;
  /** Paths that were asked, in order, with what stood in the header of each. */
  readonly asked: Asked[];
  expiresAt: string;
};
type Asked = { readonly path: string; readonly authorization: string | undefined; readonly body: string };

export const ACCESS = "canary-access-token-91";
/** What it gives to whoever asks to write as well. */
export const WIDER = "canary-access-token-94";
export const REFRESHED = "canary-access-token-92";
export const REFRESH_TOKEN = "canary-refresh-token-93";

export async function notesHost(): Promise<NotesHost> {
  let isAllowed = false;
  let isDenied = false;
  const answers = new Map<string, object>();
  const silent = new Set<string>();
  const asked: NotesHost["asked"] = [];
  let isWide = false;
  const own = (path: string, { authorization, body }: Asked): object => {
    if (path === "/device") isWide = body.includes("notes.write");
    if (path === "/list" || path === "/add") return kept(path, authorization);
    if (path === "/device") return { device_code: "d-1", user_code: "WXYZ-1234" };
    if (path === "/token" && isDenied) return { error: "access_denied" };
    if (path === "/token" && !isAllowed) return { error: "authorization_pending" };
    const scope = ["notes.read", "notes.write"];
    const { expiresAt: expires_at } = service;
    if (path === "/token")
      return { access_token: isWide ? WIDER : ACCESS, refresh_token: REFRESH_TOKEN, scope, expires_at };
    if (path === "/refresh") return { access_token: REFRESHED, expires_at };
    if (path === "/me") return { ok: true, notes: 7, expires_at };
    return { ok: false, failure_type: "token_revoked" };
  };
  // No connection ends between two requests: on a machine that stood still the next would be sent into a closed one.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const body = await bodyOf(request);
    const path = request.url ?? "";
    const said = { path, authorization: request.headers.authorization, body };
    asked.push(said);
    if (silent.has(path)) return;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answers.get(path) ?? own(path, said)));
  });
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => open.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const network: Network = {
    resolve: async (name) => {
      if (name !== "notes.example.com") throw new Error("ENOTFOUND");
      return ["93.184.216.34"];
    },
    dial: () => connect({ host: "127.0.0.1", port }),
    secure: (socket) => ({ socket, proven: Promise.resolve(true) }),
    ownAddresses: () => [],
  };
  const service: NotesHost = {
    network,
    allow: () => void (isAllowed = true),
    deny: () => void (isDenied = true),
    forget: () => void (isAllowed = isDenied = false),
    answers,
    silent,
    asked,
    expiresAt: "2026-11-16T09:00:00.000Z",
  };
  return service;
}

/** Notes are read by whoever has a token, and written with the wider one. */
function kept(path: "/list" | "/add", authorization: string | undefined): object {
  if (path === "/list") return authorization === undefined ? { error: "nobody" } : { notes: ["Bread"] };
  return authorization === `Bearer ${WIDER}` ? { ok: true } : { error: "forbidden" };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** Nothing is looked at by itself: a slow machine would see a look between two others. */
const NEVER = { after: () => () => {} };

export type ConnectionDesk = Desk & { readonly service: NotesHost; readonly home: string };

/** Everything but a server, with the real sandbox and gateway, and the service behind them. */
export async function openConnectionDesk(
  given: { readonly home?: string; readonly service?: NotesHost; readonly as?: "silas" | "verb" } = {},
): Promise<ConnectionDesk> {
  const { home = homeDir(), service = await notesHost(), as = "silas" } = given;
  const loaded = loadConfig({
    env: { SILAS_HOME: home },
    cwd: home,
    homeDir: home,
    platform: process.platform,
    argvOverrides: { "channels.web.port": "0" },
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  let nowMs = BEGIN_MS;
  const now = (): Instant => must(instantFromMs(nowMs));
  const { config, paths } = loaded.value;
  layMigrated(config.dataDir);
  const app = must(
    await composeLocal({
      config,
      stateDir: paths.stateDir,
      machine: { clock: { now }, timers: NEVER },
      network: service.network,
    }),
  );
  onTestFinished(() => app.close());
  must(await app.keys.prepare());
  // A process that goes on carries out what is decided; a verb leaves sign-ins to it.
  if (as === "silas") await app.work.decisions.start();
  const moveMs = (ms: number): void => void (nowMs += ms);
  return { app, folder: "", dataDir: config.dataDir, moveMs, now, service, home };
}

/** The view of the one connection there is, once it is so. */
export async function until(app: LocalApp, isSo: (view: ConnectionView) => boolean): Promise<ConnectionView> {
  for (;;) {
    const [view] = must(await app.connections.list());
    if (view !== undefined && isSo(view)) return view;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

export async function installed(desk: ConnectionDesk, files: Files = NOTES): Promise<void> {
  const { state, why } = await installIn(desk, skillFolder(files, "notes"));
  if (state !== "active") throw new Error(`${state}: ${why}`);
}

/** Once the skill is installed. */
export async function askedToConnect({ app }: ConnectionDesk): Promise<KeptRequest> {
  return must(await app.connections.connect({ skill: "notes", hint: HINT, actor: TERMINAL })).request;
}

/** Installed, approved, and the code typed. */
export async function connected(desk: ConnectionDesk, files: Files = NOTES): Promise<ConnectionView> {
  await installed(desk, files);
  await decide(desk, await askedToConnect(desk));
  desk.service.allow();
  return until(desk.app, ({ record }) => record.status !== "connecting");
}

/**
 * Desks that begin where another one came to, each in a copy of its home. Installing a skill and connecting it starts
 * fifteen programs; a file that tries what comes after it does so once.
 */
export function copiedDesks(prepare: (desk: ConnectionDesk) => Promise<unknown>): () => Promise<ConnectionDesk> {
  let prepared: Promise<string> | null = null;
  afterAll(async () => {
    if (prepared !== null) rmSync(await prepared, { recursive: true, force: true });
  });
  return async () => {
    prepared ??= keepHome(prepare);
    const home = homeDir();
    cpSync(await prepared, home, { recursive: true });
    return openConnectionDesk({ home });
  };
}

/** The home of a desk that is prepared and has ended, for as long as the file runs. */
async function keepHome(prepare: (desk: ConnectionDesk) => Promise<unknown>): Promise<string> {
  const desk = await openConnectionDesk();
  await prepare(desk);
  await desk.app.close();
  const copy = realpathSync(mkdtempSync("/var/tmp/silas-copy-"));
  cpSync(desk.home, copy, { recursive: true });
  return copy;
}
