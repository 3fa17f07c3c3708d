/** Opens the real page of a real `silas start` in a real browser, enrolled through the real one-time link. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
  type Request,
} from "playwright-core";
import { expect } from "vitest";
import { readInstance } from "#stores";
import { createHome, urlIn, type Home, type Started } from "./cli-process.ts";

/** The first that is there. The shell is the same browser without a window, and cheaper to run. */
const CHROMIUM = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map(
  (name) => `/usr/bin/${name}`,
);
const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const PHONE = { width: 375, height: 812 } as const;
export const DESKTOP = { width: 1280, height: 800 } as const;

/** What takes long on a busy machine is no failure; what never comes is. */
const PATIENCE_MS = 240_000;

/** Where a page grows while its parts arrive, what is pressed early may have moved away from under the finger. */
export const SETTLED = { waitUntil: "networkidle" } as const;

export type Cockpit = {
  readonly home: Home;
  readonly url: () => string;
  /** A one-time link, as `silas open` prints it. */
  link(): Promise<string>;
  /** A browser of its own, signed in, with everything the page complains about collected. */
  open(options?: OpenOptions): Promise<Opened>;
  /** A browser of its own that nobody has signed in. */
  openStranger(options?: BrowserContextOptions): Promise<BrowserContext>;
  stopServer(): Promise<void>;
  /** Ends it without a goodbye. */
  killServer(): Promise<void>;
  startServer(env?: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
};
export type OpenOptions = {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly theme?: "light" | "dark";
};
export type Opened = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Console errors, uncaught exceptions and requests to anywhere but the own server, so far. */
  readonly complaints: readonly string[];
};

export function launch(): Promise<Browser> {
  const executablePath = CHROMIUM.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error("no chromium found; install the package chromium");
  return chromium.launch({ executablePath, args: FLAGS, timeout: PATIENCE_MS });
}

export async function startCockpit(env: Readonly<Record<string, string>> = {}): Promise<Cockpit> {
  const home = createHome();
  const browser = await launch();
  let started: Started = await home.start(undefined, env);
  let isAway = false;
  const url = urlIn(started.output());
  const link = () => linkFrom(join(home.dir, "data"));
  return {
    home,
    url: () => url,
    link,
    open: async (options = {}) => openPage(browser, { ...options, link: await link(), isAway: () => isAway }),
    openStranger: (options = {}) => patient(browser, options),
    stopServer: async () => {
      isAway = true;
      started.child.kill("SIGTERM");
      await started.ended;
    },
    killServer: async () => {
      isAway = true;
      started.child.kill("SIGKILL");
      await started.ended;
    },
    startServer: async (later = {}) => {
      const { port } = new URL(url);
      // Meanwhile the system may have lent the port to a connection of somebody else, for a while.
      const start = async (): Promise<string> => {
        started = await home.start(["--port", port], later);
        return urlIn(started.output());
      };
      await expect.poll(start, { interval: 1_000 }).toBe(url);
      // What a page said of the server that went is heard before what it says of the one that is back.
      await Promise.all(browser.contexts().flatMap((context) => context.pages().map((page) => page.evaluate("0"))));
      isAway = false;
    },
    close: async () => {
      await Promise.all(browser.contexts().map(letGo));
      await browser.close();
      await home.remove();
    },
  };
}

/** What `silas open` asks for, without another process: most tests need a browser that is signed in, and no terminal. */
async function linkFrom(dataDir: string): Promise<string> {
  const found = readInstance(dataDir);
  if (!found.ok || found.value.state !== "live" || found.value.instance === null) throw new Error("no Silas runs here");
  const { url, cli_token: token } = found.value.instance;
  const answer = await fetch(`${url}/session/links`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200) throw new Error(`no link: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { readonly url: string }).url;
}

/** What a test stands in for on the wire may still be asked for when its page goes; nobody waits for that answer. */
async function letGo(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: "ignoreErrors" })));
  await context.unrouteAll({ behavior: "ignoreErrors" });
}

/** What each page asked for and has no answer to yet, and how often it asked. */
const traffic = new WeakMap<Page, { begun: number; readonly open: Set<Request> }>();

function watch(page: Page): void {
  const seen = { begun: 0, open: new Set<Request>() };
  traffic.set(page, seen);
  page.on("request", (request) => {
    seen.begun += 1;
    seen.open.add(request);
  });
  page.on("requestfinished", (request) => void seen.open.delete(request));
  page.on("requestfailed", (request) => void seen.open.delete(request));
  // Nobody hears of the end of what a document asked for that is gone.
  page.on("framenavigated", (frame) => void (frame === page.mainFrame() && seen.open.clear()));
}

async function patient(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.on("page", watch);
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(LISTEN);
  return context;
}

type Opening = OpenOptions & { readonly link: string; readonly isAway: () => boolean };

/** For a server that a test has composed itself; the others open by their cockpit. */
export async function openPage(browser: Browser, options: Opening): Promise<Opened> {
  const viewport = options.viewport ?? DESKTOP;
  const context = await patient(browser, {
    viewport,
    hasTouch: viewport.width < 500,
    isMobile: viewport.width < 500,
    colorScheme: options.theme ?? "light",
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "Europe/Vienna",
  });
  const close = context.close.bind(context);
  context.close = async () => {
    await letGo(context);
    await close();
  };
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    // A server that is about to go refuses what it is asked in that moment.
    const isOfItsEnd = options.isAway() && message.text().includes("status of 503");
    if (message.type() === "error" && !isOfItsEnd) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  const { origin } = new URL(options.link);
  context.on("request", (request) => {
    const isOwn = request.url().startsWith(`${origin}/`) || /^(blob|data):/.test(request.url());
    if (!isOwn) complaints.push(`asked elsewhere: ${request.url()}`);
  });
  await page.goto(options.link);
  await page.locator("[data-connection=online]").waitFor();
  return { context, page, complaints };
}

/** Has a page that waits for its server go on at once; one that was quicker by itself has nothing left to press. */
export async function goOnline(page: Page): Promise<void> {
  const pressed = page.getByRole("button", { name: /Retry now/ }).click({ timeout: 5_000 });
  await pressed.catch(() => {});
  await page.locator("[data-connection=online]").waitFor();
}

/** Presses g and a letter until it led there: the two count together only when they come close to each other. */
export async function goBy(page: Page, { key, to }: { readonly key: string; readonly to: RegExp }): Promise<void> {
  const press = async (): Promise<string> => {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    return page.url();
  };
  await expect.poll(press).toMatch(to);
}

/** Writes down what the page says to people who do not see it: what is said next takes its place there. */
const LISTEN = `(() => {
  const heard = (window.heard = []);
  const listen = () => {
    const said = document.querySelector("[data-testid=announcer]")?.textContent ?? "";
    if (said !== "" && said !== heard.at(-1)) heard.push(said);
  };
  new MutationObserver(listen).observe(document, { subtree: true, childList: true, characterData: true });
})()`;

/** All that the page has said since it was loaded. */
export const heardIn = (page: Page): Promise<readonly string[]> => page.evaluate<readonly string[]>("window.heard");

/** What the keys go to next: a press before that would go elsewhere. */
export async function untilFocused(part: Locator): Promise<void> {
  await expect.poll(() => part.evaluate((each) => each.matches(":focus"))).toBe(true);
}

/** Lets what is told for eight seconds stay, so that no machine is too slow to press what is in it. */
export const keepToasts = (page: Page): Promise<void> =>
  page.evaluate(`(() => {
    const later = window.setTimeout;
    window.setTimeout = (work, delayMs, ...rest) => later(work, delayMs === 8000 ? 600_000 : delayMs, ...rest);
  })()`);

/** Until this browser has its own copy of an answer: what is shown is kept a moment later. */
export async function untilKept(page: Page, address: string): Promise<void> {
  await expect.poll(() => page.evaluate<readonly string[]>(KEPT)).toContain(address);
}
const KEPT = `new Promise((resolve, reject) => {
  const opening = indexedDB.open("silas");
  opening.onerror = reject;
  opening.onsuccess = () => {
    const reading = opening.result.transaction("reads").objectStore("reads").getAllKeys();
    reading.onerror = reject;
    reading.onsuccess = () => {
      opening.result.close();
      resolve(reading.result);
    };
  };
})`;

/** Until the server has answered for everything that was written in the page. */
export const untilSaved = (page: Page): Promise<void> => page.locator("[data-unsent='0']").waitFor();

/** Holds back the answers to what the page asks for at this address, until they are released. */
export async function heldAt(page: Page, address: string) {
  const first = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    first.resolve();
    await open.promise;
    await route.continue();
  });
  return { arrived: first.promise, release: open.resolve };
}

/**
 * Until every answer has come and is drawn, and drawing it asked for nothing more. What is not there then does not come by
 * itself, so that its absence can be asserted once. What the server sends unasked is waited for by what it brings.
 */
export async function untilSettled(page: Page): Promise<void> {
  const seen = traffic.get(page);
  if (seen === undefined) throw new Error("a page that nobody watches");
  const isSettled = async (): Promise<boolean> => {
    const { begun } = seen;
    await page.evaluate(TWO_FRAMES);
    return seen.open.size === 0 && seen.begun === begun;
  };
  await expect.poll(isSettled, { interval: 20 }).toBe(true);
}
const TWO_FRAMES = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))`;

/** Until what was in sight is gone. What was never there is no proof: see `untilSettled`. */
export const gone = (part: Locator): Promise<void> => part.first().waitFor({ state: "detached" });

/** The same for what is no part of a page: until none is left of what there was. */
export async function untilNone(count: () => Promise<unknown>): Promise<void> {
  await expect.poll(count).toBe(0);
}

/** Gives a command as the page itself does, for the set-up of a test. */
export async function give(page: Page, command: object): Promise<string> {
  const answer = await page.evaluate(async (sent) => {
    const response = await fetch("/api/journal/command", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${localStorage.getItem("silas.token")}` },
      body: JSON.stringify({ operationId: crypto.randomUUID(), command: sent }),
    });
    return { status: response.status, text: await response.text() };
  }, command);
  if (answer.status !== 200) throw new Error(`command refused: ${answer.text}`);
  return (JSON.parse(answer.text) as { readonly subjectId: string }).subjectId;
}

/** The journal as the server has it, through the terminal: another door than the page's own. */
export async function titlesOf(home: Home, view: string): Promise<readonly string[]> {
  type List = { readonly tasks: readonly { readonly task: { readonly body: { readonly title: string } } }[] };
  const { tasks } = await home.json<List>(["tasks", "list", "--view", view, "--json"]);
  return tasks.map(({ task }) => task.body.title);
}
