/**
 * The plan of the house: every room, where it is, its door, and which rooms it may look into.
 *
 * This table is the only statement of direction. The tidy tests hold the imports against it, and
 * `print-architecture.ts` draws the picture in docs/ARCHITECTURE.md from it, so plan and picture cannot disagree.
 */
export type Storey = "entry" | "shell" | "core" | "beside";

export type Room = {
  readonly name: string;
  readonly storey: Storey;
  /** Files, or folders ending in a slash. */
  readonly paths: readonly string[];
  /** The one file other rooms may import; null for rooms nobody imports. */
  readonly door: string | null;
  readonly mayImport: readonly string[];
  /** Packages the room may import; null where any dependency of the project is fine. */
  readonly packages: readonly string[] | null;
  readonly purpose: string;
};

const CORE = ["base", "model", "journal", "tools", "work", "policy", "turn"];
const SHELL = ["engine", "ports", "stores", "sandbox", "gateway", "channels", "runtime"];

export const ROOMS: readonly Room[] = [
  {
    name: "cli",
    storey: "entry",
    paths: ["src/main.ts", "src/cli/"],
    door: "src/cli/program.ts",
    mayImport: ["compose", "config", ...SHELL, ...CORE],
    packages: null,
    purpose: "process start and the `silas` verbs, one file per noun",
  },
  {
    name: "compose",
    storey: "entry",
    paths: ["src/compose.ts", "src/chain-worker.ts"],
    door: "src/compose.ts",
    mayImport: ["config", ...SHELL, ...CORE],
    packages: null,
    purpose: "the only place that knows which adapter stands behind which port, also in a thread; holds no logic",
  },
  {
    name: "config",
    storey: "entry",
    paths: ["src/config/"],
    door: "src/config/index.ts",
    mayImport: ["model", "base"],
    packages: null,
    purpose: "read, validate, freeze; nothing else reads the environment",
  },
  {
    name: "runtime",
    storey: "shell",
    paths: ["src/shell/runtime/"],
    door: "src/shell/runtime/index.ts",
    mayImport: ["engine", "ports", ...CORE],
    packages: null,
    purpose: "does what core decided, in order, and reports facts back",
  },
  {
    name: "engine",
    storey: "shell",
    paths: ["src/engine/"],
    door: "src/engine/index.ts",
    mayImport: ["ports", ...CORE],
    packages: ["croner"],
    purpose:
      "one of each machine the product runs on: the durable queue, its readers, the timers, decisions, and conversations with models",
  },
  {
    name: "stores",
    storey: "shell",
    paths: ["src/shell/stores/"],
    door: "src/shell/stores/index.ts",
    mayImport: ["engine", "ports", "model", "base"],
    packages: null,
    purpose: "SQLite files, migrations, backup, one process per data directory",
  },
  {
    name: "sandbox",
    storey: "shell",
    paths: ["src/shell/sandbox/"],
    door: "src/shell/sandbox/index.ts",
    mayImport: ["ports", "model", "base"],
    packages: null,
    purpose: "where programs of plans and checks run: isolated, limited, or not at all",
  },
  {
    name: "gateway",
    storey: "shell",
    paths: ["src/shell/gateway/"],
    door: "src/shell/gateway/index.ts",
    mayImport: ["ports", "model", "base"],
    packages: null,
    purpose: "the one door out: every connection to another host is opened here, judged and recorded first",
  },
  {
    name: "channels",
    storey: "shell",
    paths: ["src/shell/channels/"],
    door: "src/shell/channels/index.ts",
    mayImport: ["ports", "model", "base"],
    packages: null,
    purpose:
      "the ways in: web server and socket, sessions, limits; the page a service leads back to; the chat on Telegram",
  },
  {
    name: "ports",
    storey: "shell",
    paths: ["src/shell/ports.ts", "src/shell/ports/"],
    door: "src/shell/ports.ts",
    mayImport: ["model", "base"],
    packages: [],
    purpose: "every interface the shell depends on, one page",
  },
  {
    name: "turn",
    storey: "core",
    paths: ["src/core/turn/"],
    door: "src/core/turn/index.ts",
    mayImport: ["policy", "tools", "model", "base"],
    packages: [],
    purpose: "what a model is shown in one turn, and what its answer may be",
  },
  {
    name: "journal",
    storey: "core",
    paths: ["src/core/journal/"],
    door: "src/core/journal/index.ts",
    mayImport: ["model", "base"],
    packages: [],
    purpose: "the rules of the human record: entries, links, changes, capture",
  },
  {
    name: "policy",
    storey: "core",
    paths: ["src/core/policy/"],
    door: "src/core/policy/index.ts",
    mayImport: ["tools", "model", "base"],
    packages: [],
    purpose: "the rules of trust: approvals, risk, cards, receipts, and how the audit chain is judged",
  },
  {
    name: "work",
    storey: "core",
    paths: ["src/core/work/"],
    door: "src/core/work/index.ts",
    mayImport: ["tools", "model", "base"],
    packages: [],
    purpose: "what a plan may say, and the projection whose hash an approval is bound to",
  },
  {
    name: "tools",
    storey: "core",
    paths: ["src/core/tools/"],
    door: "src/core/tools/index.ts",
    mayImport: ["model", "base"],
    packages: [],
    purpose: "every tool there is: what a model is told, what it takes, touches and risks, and the program it becomes",
  },
  {
    name: "model",
    storey: "core",
    paths: ["src/core/model/"],
    door: "src/core/model/index.ts",
    mayImport: ["base"],
    packages: ["zod"],
    purpose: "the shared words: every record and wire message, with its parser",
  },
  {
    name: "base",
    storey: "core",
    paths: ["src/core/base/"],
    door: "src/core/base/index.ts",
    mayImport: [],
    packages: ["@noble/hashes"],
    purpose: "Result, assert, brands, limits, instants, canonical bytes, hashes, ids",
  },
  {
    name: "web",
    storey: "beside",
    paths: ["web/"],
    door: null,
    mayImport: ["model", "base"],
    packages: null,
    purpose: "the cockpit in the browser; speaks to the server in model values only",
  },
  {
    name: "sim",
    storey: "beside",
    paths: ["sim/"],
    door: "sim/index.ts",
    mayImport: ["compose", "config", ...SHELL, ...CORE],
    packages: null,
    purpose: "seeded clock, disk and network; cuts every write and checks what is left",
  },
  {
    name: "bench",
    storey: "beside",
    paths: ["bench/"],
    door: null,
    mayImport: ["compose", "config", "sim", ...SHELL, ...CORE],
    packages: null,
    purpose: "measures the promises about speed and size against bare peers",
  },
  {
    name: "test",
    storey: "beside",
    paths: ["test/"],
    door: null,
    mayImport: ["compose", "config", "sim", "scripts", ...SHELL, ...CORE],
    packages: null,
    purpose: "contract suites, end-to-end runs, and the tidy tests that guard this plan",
  },
  {
    name: "scripts",
    storey: "beside",
    paths: ["scripts/", "vitest.config.ts", "bin/"],
    door: null,
    // To print them in the documentation; everything else runs before the product is installed.
    mayImport: ["tools"],
    packages: null,
    purpose: "set-up, checks and this plan; nothing of the product but the tools it prints",
  },
];

export function roomOf(path: string): Room | null {
  return (
    ROOMS.find(({ paths }) => paths.some((own) => (own.endsWith("/") ? path.startsWith(own) : path === own))) ?? null
  );
}
