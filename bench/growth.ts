import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeHistory, type Grown, type History } from "./growth-data.ts";
import { quantile, type Goal, type Line } from "./measure.ts";
import { ROOT, whenMeasured } from "./places.ts";
import {
  cpuMs,
  exactCpuMs,
  productCommand,
  send,
  settledRssMb,
  signIn,
  startServer,
  type Server,
} from "./processes.ts";

const SIZE = Number(process.argv.find((one) => one.startsWith("--size="))?.slice("--size=".length) ?? 1_000_000);
const LARGE: History = { messages: SIZE, memories: SIZE / 10, runs: SIZE / 100, records: SIZE / 10 };
const SMALL: History = { messages: 1_000, memories: 1_000, runs: 1_000, records: 1_000 };

const CALLS = 9;
const RATE_LIMITED_MS = 2_000;
const START_ROUNDS = 5;

const AS_BEFORE: readonly Goal[] = [{ against: "limit", compare: "cost_at_most", factor: 1.2, orMore: 2 }];
/** The kernel counts CPU time in hundredths of a second. */
const VERB_AS_BEFORE: readonly Goal[] = [{ against: "limit", compare: "cost_at_most", factor: 1.2, orMore: 10 }];

/**
 * Cost must not grow with history. The product column is a directory with a million audit entries and messages, 100,000
 * memories and records, 10,000 runs and decisions; the limit column is one with a thousand of each. Every route that reads,
 * every verb that reads, the start and the memory are measured on both. Those that read everything on purpose, and
 * full-text search, are listed without a goal.
 */
export async function lines(): Promise<readonly Line[]> {
  const [large, small] = [await makeHistory(LARGE), await makeHistory(SMALL)];
  const starts = startLines(large, small);
  // Lines are measured in their order: the servers of the routes are started when the starts are measured.
  let opened: Promise<readonly [Opened, Opened]> | null = null;
  const both = () => (opened ??= (async () => [await open(large), await open(small)] as const)());
  return [...starts, ...routeLines(both), ...verbLines(both)];
}

async function open(grown: Grown): Promise<Opened> {
  const server = await startServer(productCommand(grown.home));
  whenMeasured(() => server.stop());
  return { ...grown, server, token: await signIn(server) };
}

type Opened = Grown & { readonly server: Server; readonly token: string };
type Both = () => Promise<readonly [Opened, Opened]>;

async function once(grown: Grown, work: (server: Server) => number | Promise<number>): Promise<number> {
  const server = await startServer(productCommand(grown.home));
  const figure = await work(server);
  await server.stop();
  return figure;
}

function startLines(large: Grown, small: Grown): readonly Line[] {
  const goals: readonly Goal[] = [{ against: "limit", compare: "cost_at_most", factor: 1.15 }];
  const line = (what: string, unit: string, work: (server: Server) => number | Promise<number>): Line => ({
    what,
    unit,
    product: () => once(large, work),
    limit: () => once(small, work),
    peer: null,
    goals,
    rounds: START_ROUNDS,
  });
  return [
    line("start, until the first 200", "ms", ({ readyMs }) => readyMs),
    line("start, CPU time", "cpu ms", ({ pid }) => cpuMs(pid)),
    line("memory when idle", "MB RSS", ({ pid }) => settledRssMb(pid)),
  ];
}

/** A path, or a query of the journal; `{run}` and `{memory}` are ids. Null goals: it reads everything, or searches. */
type Route = {
  readonly path: string;
  readonly body?: { readonly [field: string]: string | number };
  readonly goals?: readonly Goal[];
};

const NOT_COMPARED: readonly Goal[] = [];
/** A page that both histories fill: of tasks, the smaller one holds fewer than the 500 of a page without a limit. */
const TASKS = 100;
const dayAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

const ROUTES: readonly Route[] = [
  { path: "/health" },
  { path: "/session" },
  { path: "/sessions" },
  { path: "/api/activity" },
  { path: `/api/activity?from=${dayAgo(0.3)}&to=${dayAgo(0.1)}` },
  { path: "/api/activity/chain" },
  { path: "/api/approvals/summary" },
  { path: "/api/autonomy" },
  { path: "/api/connections" },
  { path: "/api/connections/unknown" },
  { path: "/api/goals" },
  { path: "/api/goals/unknown" },
  { path: "/api/journal/export", goals: NOT_COMPARED },
  { path: "/api/keys" },
  { path: "/api/keys/devices/current" },
  { path: "/api/keys/devices/waiting" },
  { path: "/api/keys/passkeys" },
  { path: "/api/memory" },
  { path: "/api/memory/{memory}" },
  { path: "/api/memory/export", goals: NOT_COMPARED },
  { path: "/api/memory/search?q=workshop", goals: NOT_COMPARED },
  { path: "/api/messages" },
  { path: "/api/messages/turn?message_id=unknown" },
  { path: "/api/messages/stream?message_id=unknown" },
  { path: "/api/secrets" },
  { path: "/api/secrets/pending" },
  { path: "/api/skills" },
  { path: "/api/skills/unknown" },
  { path: "/api/status" },
  { path: "/api/suggestions" },
  { path: "/api/timers" },
  { path: "/api/work" },
  { path: "/api/work?status=done" },
  { path: "/api/work/{run}" },
  { path: "/api/work/doubts" },
  ...["open", "today", "upcoming", "inbox", "done", "archived"].map((view) => ({
    path: "/api/journal/query",
    body: { kind: "tasks", view, today: dayAgo(0).slice(0, 10), limit: TASKS },
  })),
  ...[
    { kind: "categories" },
    { kind: "labels" },
    { kind: "timer" },
    { kind: "timeline", from: dayAgo(1), to: dayAgo(0) },
    { kind: "time", from: dayAgo(1), to: dayAgo(0) },
    { kind: "day", date: dayAgo(0).slice(0, 10) },
    { kind: "ratings", targetType: "day", from: dayAgo(7).slice(0, 10), to: dayAgo(0).slice(0, 10) },
    { kind: "find", idPart: "000000000abc" },
    { kind: "operations" },
    { kind: "counts", today: dayAgo(0).slice(0, 10) },
  ].map((body) => ({ path: "/api/journal/query", body })),
  { path: "/api/journal/query", body: { kind: "search", text: "insurance" }, goals: NOT_COMPARED },
];

/** Routes that are no reading: pages of the cockpit, and the socket. */
const NO_READS = new Set(["/*", "/ws"]);

/** Routes that answer GET and that no line measures. */
export const unmeasuredRoutes = (): readonly string[] =>
  registeredRoutes().filter((path) => !NO_READS.has(path) && !ROUTES.some((route) => fits(path, route.path)));

function routeLines(both: Both): readonly Line[] {
  return ROUTES.map((route) => {
    const { path, body, goals = AS_BEFORE } = route;
    const shown =
      body === undefined
        ? `GET ${path.replaceAll(/=20\d\d[^&]*/g, "=…")}`
        : `query ${body["kind"]} ${body["view"] ?? ""}`.trim();
    return {
      what: shown,
      unit: "cpu ms",
      ...sameWork({ shown, goals }, async (side) => call((await both())[side], route)),
      peer: null,
      goals,
      ...(goals === NOT_COMPARED && { rounds: 1 }),
    };
  });
}

type Called = { readonly ms: number; readonly chars: number };
type Side = 0 | 1;

/** How much longer one answer may be: ids and counts have more digits behind a longer history. */
const LONGER = 1.1;

/** Both sides of a line. Answers of different length are different work, and comparing that would say nothing. */
function sameWork(
  { shown, goals }: { readonly shown: string; readonly goals: readonly Goal[] },
  measure: (side: Side) => Promise<Called>,
): Pick<Line, "product" | "limit"> {
  const lengths: number[] = [];
  const measured = async (side: Side): Promise<number> => {
    const { ms, chars } = await measure(side);
    lengths[side] = chars;
    const [product = chars, limit = chars] = lengths;
    const isSame = Math.max(product, limit) <= Math.min(product, limit) * LONGER + 100;
    if (!isSame && goals !== NOT_COMPARED) throw new Error(`${shown} answers ${product} characters against ${limit}`);
    return ms;
  };
  return { product: () => measured(0), limit: () => measured(1) };
}

/** Every route of the web channel that answers GET, read from its source. */
function registeredRoutes(): readonly string[] {
  const root = join(ROOT, "src", "shell", "channels", "web");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const texts = files.map((name) => readFileSync(join(root, name), "utf8"));
  return texts.flatMap((text) =>
    [...text.matchAll(/app\.get(?:<[^(]*>)?\(\s*"([^"]+)"/g)].map(([, path = ""]) => path),
  );
}

const fits = (registered: string, path: string): boolean =>
  new RegExp(`^${registered.replaceAll(/:\w+/g, "[^/]+")}(\\?|$)`).test(path);

/** Found, for the terminal alone, or unknown as it was meant to be. */
const ANSWERS = new Set([200, 403, 404]);

/** CPU time of the server, the median of several calls after one that is not counted: other work does not count. */
async function call({ server, token, runId, memoryId }: Opened, { path, body, goals }: Route): Promise<Called> {
  const asked = path.replace("{run}", runId).replace("{memory}", memoryId);
  const times: number[] = [];
  const wanted = goals === NOT_COMPARED ? 1 : CALLS;
  let chars = 0;
  for (let made = 0; times.length < wanted; made += 1) {
    const before = exactCpuMs(server.pid);
    const answer = await send({ port: server.port, path: asked, token, ...(body === undefined ? {} : { body }) });
    const tookMs = exactCpuMs(server.pid) - before;
    if (answer.status === 429) await delay(RATE_LIMITED_MS);
    else if (!ANSWERS.has(answer.status)) throw new Error(`${asked} answered ${answer.status}: ${answer.text}`);
    else if (made > 0) times.push(tookMs);
    chars = answer.text.length;
  }
  return { ms: quantile(times, 0.5), chars };
}

type Verb = { readonly args: readonly string[]; readonly goals?: readonly Goal[] };

const VERBS: readonly Verb[] = [
  { args: ["status"] },
  { args: ["inbox"] },
  { args: ["approvals", "list"] },
  { args: ["work", "list"] },
  { args: ["work", "show", "{run}"] },
  { args: ["messages"] },
  { args: ["memory", "list"] },
  { args: ["memory", "show", "{memory}"] },
  { args: ["memory", "search", "workshop"], goals: NOT_COMPARED },
  { args: ["tasks", "list"] },
  { args: ["journal", "list"] },
  { args: ["journal", "changes"] },
  { args: ["time", "list"] },
  { args: ["search", "insurance"], goals: NOT_COMPARED },
  { args: ["goals", "list"] },
  { args: ["timers"] },
  { args: ["skills", "list"] },
  { args: ["connections", "list"] },
  { args: ["autonomy", "show"] },
  { args: ["keys", "list"] },
  { args: ["secrets", "list"] },
  { args: ["activity"] },
  { args: ["audit", "tail"] },
  { args: ["audit", "verify"] },
  { args: ["audit", "verify", "--full"], goals: NOT_COMPARED },
  { args: ["doctor"], goals: NOT_COMPARED },
];

function verbLines(both: Both): readonly Line[] {
  return VERBS.map(({ args, goals = VERB_AS_BEFORE }) => ({
    what: `silas ${args.join(" ")}`,
    unit: "cpu ms",
    product: async () => verbMs((await both())[0], args),
    limit: async () => verbMs((await both())[1], args),
    peer: null,
    goals,
    ...(goals === NOT_COMPARED && { rounds: 1 }),
  }));
}

/** CPU time of the verb and of the server that answers it: other work on the machine does not count. */
function verbMs({ home, runId, memoryId, server }: Opened, args: readonly string[]): number {
  const filled = args.map((one) => one.replace("{run}", runId).replace("{memory}", memoryId));
  const script = join(ROOT, "src", "main.ts");
  const before = cpuMs(server.pid);
  // `times` tells what the shell's children used; `doctor` ends with 1 where it found something to say.
  const result = spawnSync(
    "sh",
    ["-c", '"$@" > /dev/null; code=$?; times; exit $code', "sh", process.execPath, script, "--no-input", ...filled],
    {
      env: { PATH: process.env["PATH"] ?? "", NODE_NO_WARNINGS: "1", ...productCommand(home).env },
      encoding: "utf8",
    },
  );
  if (result.status !== 0 && args[0] !== "doctor") throw new Error(`silas ${filled.join(" ")}: ${result.stderr}`);
  const [, children = ""] = result.stdout.trim().split("\n");
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return seconds.reduce((sum, one) => sum + one, 0) * 1_000 + cpuMs(server.pid) - before;
}
