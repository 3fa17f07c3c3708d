import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { longListLines } from "./long-lists.ts";
import type { Line } from "./measure.ts";
import { makeDir, ROOT, whenMeasured } from "./places.ts";
import { productCommand, startServer, type Server } from "./processes.ts";

const DIST = join(ROOT, "web", "dist");
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Path k: what the first page weighs, and how long it takes to show and to answer, on this machine's own loopback. */
export async function lines(): Promise<readonly Line[]> {
  buildPage();
  return [...sizeLines(), ...(await browserLines())];
}

function buildPage(): void {
  const build = spawnSync(process.execPath, [join(ROOT, "scripts", "build-web.ts")], { cwd: ROOT, encoding: "utf8" });
  if (build.status !== 0) throw new Error(`the page was not built: ${build.stdout}${build.stderr}`);
}

function sizeLines(): readonly Line[] {
  const page = readFileSync(join(DIST, "index.html"), "utf8");
  const files = [...page.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css|woff2))"/g)].map((match) => match[1] ?? "");
  const size = (what: string, { ending, atMost }: { readonly ending: string; readonly atMost: number }): Line => ({
    what,
    unit: "kB gzip",
    product: () => files.filter((file) => file.endsWith(ending)).reduce((sum, file) => sum + zipped(file), 0) / 1000,
    limit: null,
    peer: null,
    goals: [{ against: "figure", atMost }],
    rounds: 1,
  });
  return [
    size("JavaScript of the first page", { ending: ".js", atMost: 180 }),
    size("styles of the first page", { ending: ".css", atMost: 20 }),
    size("fonts asked for at once", { ending: ".woff2", atMost: 60 }),
  ];
}

/** Fonts are packed already; the server sends them as they are. */
function zipped(file: string): number {
  const bytes = readFileSync(join(DIST, file));
  return file.endsWith(".woff2") ? bytes.length : gzipSync(bytes, { level: 9 }).length;
}

async function browserLines(): Promise<readonly Line[]> {
  const executablePath = CHROMIUM.find((path) => existsSync(path));
  if (executablePath === undefined) return [];
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  whenMeasured(() => browser.close());
  return [...(await paintLines(browser)), ...(await longListLines({ browser, enrol }))];
}

async function paintLines(browser: Browser): Promise<readonly Line[]> {
  const server = await startServer(productCommand(makeDir()));
  whenMeasured(server.stop);
  const storage = await enrol(browser, server);
  const opened = async <T>(work: (page: Page) => Promise<T>): Promise<T> => {
    const context = await browser.newContext({ storageState: storage, viewport: { width: 1280, height: 800 } });
    try {
      const page = await context.newPage();
      await page.goto(`http://localhost:${server.port}/`);
      await page.locator("main h1").first().waitFor();
      return await work(page);
    } finally {
      await context.close();
    }
  };
  const alone = { unit: "ms", limit: null, peer: null } as const;
  return [
    {
      what: "largest paint (LCP), empty cache",
      ...alone,
      product: () => opened(largestPaintMs),
      goals: [{ against: "figure", atMost: 1200 }],
    },
    {
      what: "slowest answer to a key or click (INP)",
      ...alone,
      product: () => opened(slowestAnswerMs),
      goals: [{ against: "figure", atMost: 200 }],
    },
  ];
}

/** Signs a browser in the way a person does, and keeps what it stored. */
async function enrol(browser: Browser, server: Server) {
  const code = await server.said(/\/enrol#([\w-]+)/);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`http://localhost:${server.port}/enrol#${code}`);
  await page.locator("main h1").first().waitFor();
  const state = await context.storageState({ indexedDB: true });
  await context.close();
  return state;
}

// What runs in the page is text: this file is compiled with the types of the terminal, not those of a browser.
const LARGEST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: "largest-contentful-paint", buffered: true });
})`;
const WATCH_ANSWERS = `globalThis.benchDurations = [];
new PerformanceObserver((list) => benchDurations.push(...list.getEntries().map((entry) => entry.duration)))
  .observe({ type: "event", durationThreshold: 16 });`;
/** An answer within one frame is not reported; it counts as that frame. */
const SLOWEST_ANSWER = `new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(() => resolve(Math.max(16, ...benchDurations)), 200));
})`;

const largestPaintMs = (page: Page): Promise<number> => page.evaluate<number>(LARGEST_PAINT);

/** Opens the capture sheet, types a task and goes round the surfaces; the longest of these answers counts. */
async function slowestAnswerMs(page: Page): Promise<number> {
  await page.evaluate(WATCH_ANSWERS);
  await page.keyboard.press("q");
  await page.keyboard.type("call Ana tomorrow 9 #home !2 est 30m");
  await page.keyboard.press("Enter");
  for (const keys of ["gt", "gj", "gd", "gh"]) await page.keyboard.type(keys, { delay: 30 });
  return page.evaluate<number>(SLOWEST_ANSWER);
}
