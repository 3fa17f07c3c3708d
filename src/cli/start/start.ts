import { setTimeout as wait } from "node:timers/promises";
import { oneLine, type Result } from "#base";
import type { App, StartRefusal } from "#compose";
import { describeUnread, type LoadedConfig } from "#config";
import { HOLD_MEANING, holdSentence, modelToWire, modeWords, telegramStateWords, type WaitingDevice } from "#model";
import { commandHere } from "./command-here.ts";
import { canOpenBrowser, openInBrowser, printLink } from "./browser.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { findInstance } from "../client/instance.ts";
import { requestLink } from "./open.ts";
import { loadSetup, prepareDirectories, vaultAccess } from "../client/setup.ts";
import { listenFailure, startFailure } from "./words.ts";
import { requireStartable, startWarnings } from "./start-problems.ts";
import { listenToKeys } from "./keys.ts";
import { surviveFaults } from "./uncaught.ts";

type Options = {
  readonly port?: string;
  readonly host?: string;
  readonly open?: boolean;
  readonly foreground?: true;
};

export const define: Define = (start, act) => {
  start
    .option("--port <port>", "port to listen on; 0 takes a free one")
    .option("--host <host>", "address to listen on")
    .option("--open", "open the browser, also when this is no terminal")
    .option("--no-open", "do not open the browser; print the one-time link")
    .option("--yes", "ask nothing (nothing is asked)")
    .option("--foreground", "no keys, for a service manager")
    .action(act(startSilas));
};

const startSilas: Handler<Options> = async (call) => {
  const { options } = call;
  const setup = loadSetup(call.environment, {
    ...(options.port === undefined ? {} : { "channels.web.port": options.port }),
    ...(options.host === undefined ? {} : { "channels.web.host": options.host }),
  });
  await requireStartable(setup);
  await prepareDirectories(setup);
  const composed = await composeWhenFree(setup, call);
  if (!composed.ok) {
    if (composed.error.code !== "already_running") throw startFailure(composed.error);
    return sayAlreadyRunning(call, { setup, ...composed.error });
  }
  const app = composed.value;
  const endSurviving = surviveFaults(app.faults);
  // Asked for before the port opens, so that a stop in the very first moment is not missed.
  const stopped = untilSignal();
  try {
    const listening = await app.listen();
    if (!listening.ok) throw listenFailure(listening.error);
    await greet(call, { app, url: listening.value.url, setup });
    app.onDeviceWaiting((device) => call.terminal.line(deviceLine(device)));
    app.onTelegram((state) => call.terminal.line(`  Chat    ${telegramStateWords(state)}`));
    const keys = options.foreground ? null : listenToKeys(call, { app, url: listening.value.url });
    await Promise.race([stopped, ...(keys === null ? [] : [keys.quit])]);
    keys?.close();
  } finally {
    await app.close();
    endSurviving();
  }
};

/** The code is on both sides: here and in the browser that asks. */
const deviceLine = ({ name, code }: WaitingDevice): string =>
  `  Key     ${oneLine(name)} asks to sign approvals with the code ${code}: \`silas keys confirm\``;

type Other = { readonly setup: LoadedConfig; readonly pid: number | null; readonly url: string | null };

/** Whoever starts Silas wants to see it, also when it runs already. */
async function sayAlreadyRunning(call: Call<Options>, { setup, pid, url }: Other): Promise<void> {
  const { terminal, environment } = call;
  terminal.line(`Silas is already running, pid ${pid ?? "unknown"}`);
  if (url !== null) terminal.line(`  Open    ${url}   (\`silas open\` signs a browser in)`);
  const instance = wantsBrowser(call) && canOpenBrowser(environment) ? await findInstance(setup) : null;
  if (instance !== null) await openInBrowser((await requestLink(instance)).url, environment);
}

const wantsBrowser = ({ options, outside }: Call<Options>): boolean => options.open ?? outside.stdout.isTTY === true;

/** Another start that does not listen yet, or a short command of the terminal, holds the lock: a busy machine's moment. */
const WAIT_MS = 60_000;
const LOOK_AGAIN_MS = 50;

async function composeWhenFree(setup: LoadedConfig, call: Call<Options>): Promise<Result<App, StartRefusal>> {
  const { composeApp } = await import("#compose");
  const { version } = call.outside;
  const vault = vaultAccess(call.environment);
  const deadlineMs = performance.now() + WAIT_MS;
  for (;;) {
    const composed = await composeApp({ config: setup.config, version, stateDir: setup.paths.stateDir, vault });
    const isPassing = !composed.ok && composed.error.code === "already_running" && composed.error.url === null;
    if (!isPassing || performance.now() > deadlineMs) return composed;
    await wait(LOOK_AGAIN_MS);
  }
}

type Place = { readonly app: App; readonly url: string; readonly setup: LoadedConfig };

async function greet(call: Call<Options>, { app, url, setup }: Place): Promise<void> {
  const { terminal, options, outside, environment } = call;
  const { paint } = terminal;
  terminal.line(`${paint.bold("Silas")} ${outside.version}  ready in ${Math.round(performance.now())} ms`);
  terminal.line(`  Open    ${paint.cyan(url)}`);
  terminal.line(`  Mode    ${modeWords(modelToWire(app.messages.talk.setting))}`);
  terminal.line(`  Data    ${setup.paths.dataDir}`);
  const hold = app.hold.current();
  if (hold !== null) terminal.line(`  Held    ${holdSentence(hold)} ${HOLD_MEANING} \`silas audit accept\``);
  for (const unread of setup.unread) terminal.line(`  Note    ${describeUnread(unread)}`);
  for (const warning of startWarnings(setup)) terminal.line(`  Warning ${warning}`);
  const command = commandHere(environment);
  if (command !== null) terminal.line(`  Command ${command}, where hints say \`silas\``);
  const link = app.enrolmentLink();
  const opened = wantsBrowser(call) ? await openInBrowser(link, environment) : "not_opened";
  if (opened === "not_opened") printLink(terminal, link);
  const keys = terminal.isInteractive && !options.foreground;
  terminal.line(paint.dim(keys ? "  h help   o open   q quit" : "  Stop it with Ctrl-C or `silas stop`."));
}

/** Resolves at the first request to end. A second one does not wait for anything. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve();
      });
    }
  });
}
