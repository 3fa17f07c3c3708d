/**
 * Finds the Node that runs Silas and hands a command over to it.
 *
 * Silas needs Node 24; many machines have Node 20. The lockfile therefore brings Node 24 as an ordinary optional
 * package, and this file is the only place that knows where it lies. It is plain JavaScript without dependencies,
 * because the older Node has to be able to run it before anything is installed.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAJOR_MIN = 24;
const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP"];
const PARENT_CHECK_MS = 250;

/** The path of a Node that is new enough, or one sentence for the person who has none. */
export function findNode(root) {
  const own = join(
    root,
    "node_modules",
    process.platform === "win32" ? `node-win-${process.arch}` : `node-${process.platform}-${process.arch}`,
    "bin",
    process.platform === "win32" ? "node.exe" : "node",
  );
  if (existsSync(own)) return { path: own };
  if (Number.parseInt(process.versions.node, 10) >= MAJOR_MIN) return { path: process.execPath };
  return {
    sentence:
      `Silas needs Node ${MAJOR_MIN} and this is ${process.version}; no packaged Node exists for ` +
      `${process.platform}-${process.arch}, so please install Node ${MAJOR_MIN} from https://nodejs.org and run this again.`,
  };
}

/** The caller's environment, without options meant for another Node: one unknown flag there would stop ours. */
export function childEnvironment() {
  const environment = { ...process.env };
  delete environment.NODE_OPTIONS;
  return environment;
}

/**
 * What Node compiled last time, kept beside the code it was made from: whoever can change the one could change the
 * other. Told from outside, so that the first file is in it too; a program can only ask for it once it runs, and its own
 * TypeScript would bring the type stripper into every start.
 */
const COMPILED = fileURLToPath(new URL("../node_modules/.cache/silas", import.meta.url));

/**
 * Flags of the server alone. Node would let new objects fill 16 MB before it looks which of them are still used; a Silas
 * that waits makes few, and with 2 MB it holds about a seventh less memory.
 */
const SERVER_FLAGS = ["--max-semi-space-size=2"];

/** What Node is called with: the words of the command, and before them the flags that its verb needs. */
function nodeArguments([script = "", ...words]) {
  const isServer = script.endsWith("main.ts") && words.find((word) => !word.startsWith("-")) === "start";
  return [...(isServer ? SERVER_FLAGS : []), script, ...words];
}

/** Runs a command of Node as if it were this process: same terminal, signals passed on, exit code kept. */
export function runNode({ node, args, cwd = process.cwd() }) {
  return new Promise((resolve) => {
    const env = { NODE_COMPILE_CACHE: COMPILED, ...childEnvironment() };
    const child = spawn(node, nodeArguments(args), { cwd, stdio: "inherit", env });
    // A terminal already sends Ctrl-C and hang-ups to every process in front of it. Passing them on as well would
    // deliver them twice, and a second Ctrl-C means "stop without waiting".
    const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
    const listeners = FORWARDED.map((signal) => {
      const listener = () => {
        if (!terminal || signal === "SIGTERM") child.kill(signal);
      };
      process.on(signal, listener);
      return { signal, listener };
    });
    // npm runs us through a shell, and a signal sent to npm ends that shell without reaching us. Nobody is left to stop
    // the child then, so we do.
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.env.npm_lifecycle_event === undefined || process.ppid === parent) return;
      clearInterval(watch);
      child.kill("SIGTERM");
    }, PARENT_CHECK_MS);
    const finish = (result) => {
      clearInterval(watch);
      for (const { signal, listener } of listeners) process.off(signal, listener);
      resolve(result);
    };
    child.on("error", (error) => finish({ code: 1, sentence: `Node could not be started (${error.message}).` }));
    child.on("exit", (code, signal) =>
      finish(signal === null ? { code } : { code: 128 + constants.signals[signal], signal }),
    );
  });
}

/** Ends this process the way the child ended, so that a caller sees the same signal or exit code. */
export function endLike(result) {
  if (result.sentence !== undefined) console.error(result.sentence);
  process.exitCode = result.code;
  if (result.signal !== undefined && process.platform !== "win32") process.kill(process.pid, result.signal);
}
