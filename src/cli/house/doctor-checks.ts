import { chmodSync, existsSync, readdirSync, rmSync, statSync, type Stats } from "node:fs";
import { statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { instantFromMs, msOfInstant } from "#base";
import { BUILT_PAGE } from "#compose";
import { describeProblems, describeUnread, loadConfig, type Environment, type LoadedConfig } from "#config";
import { readInstance } from "#stores";
import { checkAudit } from "../audit/doctor-audit.ts";
import { checkHold } from "../audit/doctor-hold.ts";
import { findGateProblems } from "../gates/usable-gates.ts";
import { checkKeys } from "../keys/doctor-keys.ts";
import { checkModel } from "../models/doctor-model.ts";
import { checkSandbox } from "../sandbox/doctor-sandbox.ts";
import { startWarnings } from "../start/start-problems.ts";
import { checkStop } from "../stop/doctor-stop.ts";
import { checkTelegram } from "../telegram/doctor-telegram.ts";
import { checkQueues } from "../work/doctor-queues.ts";
import type { Finding } from "./doctor.ts";
import { checkResults } from "./doctor-results.ts";
import { checkStores } from "./doctor-stores.ts";
import type { HereAndNow } from "../terminal/local-time.ts";

type Patient = {
  readonly environment: Environment;
  readonly here: HereAndNow;
  readonly version: string;
  readonly repair: "safe" | "none";
};
type Examination = Patient & { readonly setup: LoadedConfig };

/** Every check that has something to check today. Later checks do not run where the configuration cannot be read. */
export async function runChecks(patient: Patient): Promise<readonly Finding[]> {
  const loaded = loadConfig(patient.environment);
  if (!loaded.ok) {
    return [
      checkNode(),
      ...describeProblems(loaded.error).map((line) =>
        fail("config", { message: line, fix: "correct that place in the file" }),
      ),
    ];
  }
  const examination: Examination = { ...patient, setup: loaded.value };
  const places = [checkDirectories(examination), checkFiles(examination), ...checkStores(examination)];
  return [
    checkNode(),
    ok("config", "every rule holds"),
    ...checkVariables(examination),
    ...(await checkGates(examination)),
    ...places,
    await checkAudit(examination),
    checkHold(examination),
    checkInstance(examination),
    await checkPort(examination),
    await checkTelegram(examination),
    ...(await checkKeys({ ...examination, places })),
    await checkSandbox(examination),
    checkStop(examination),
    checkQueues(examination),
    await checkDisk(examination),
    checkResults(examination),
    checkClock(examination),
    checkPage(),
    checkBackups(examination),
    checkModel(examination.setup),
  ];
}

/** A variable that nothing reads was meant to change something. */
const checkVariables = ({ setup }: Examination): readonly Finding[] =>
  setup.unread.map((unread) =>
    warn("environment", {
      message: describeUnread(unread),
      fix: `unset ${unread.name}, or give it the name that is meant; silas config list --json names them all`,
    }),
  );

/** Every check that a configured gate names is there; nothing is built or downloaded for it. [GUARD-10] */
async function checkGates({ setup }: Examination): Promise<readonly Finding[]> {
  const problems = await findGateProblems(setup);
  if (problems.length > 0) {
    return problems.map(({ message }) => fail("gates", { message, fix: "correct that place in the file" }));
  }
  const [empty] = startWarnings(setup);
  if (empty !== undefined)
    return [warn("gates", { message: empty, fix: "remove the key, or name the gates you want" })];
  return [ok("gates", `${setup.config.gates.system.map(({ name }) => name).join(", ")}: every check is there`)];
}

type Problem = { readonly message: string; readonly fix: string };
const ok = (check: string, message: string): Finding => ({ check, state: "ok", message, fix: null });
const warn = (check: string, problem: Problem): Finding => ({ check, state: "warn", ...problem });
const fail = (check: string, problem: Problem): Finding => ({ check, state: "fail", ...problem });

const NODE_MAJOR_MIN = 24;

function checkNode(): Finding {
  const major = Number.parseInt(process.versions.node, 10);
  if (major >= NODE_MAJOR_MIN) return ok("node", process.version);
  return fail("node", { message: `${process.version} is too old`, fix: `install Node ${NODE_MAJOR_MIN} or later` });
}

/** Anything in `mode` beyond the owner. */
const isShared = ({ mode }: Stats): boolean => (mode & 0o077) !== 0;

function checkDirectories({ setup: { paths }, repair, environment }: Examination): Finding {
  const dirs = [paths.dataDir, paths.verifyDir, paths.customerContextDir];
  const missing = dirs.filter((dir) => !existsSync(dir));
  if (missing.length > 0) return warn("directories", { message: `missing: ${missing.join(", ")}`, fix: "silas init" });
  if (environment.platform === "win32") return ok("directories", paths.dataDir);
  return closeToOthers({ check: "directories", places: dirs, mode: 0o700, repair, good: paths.dataDir });
}

function checkFiles({ setup: { paths }, repair, environment }: Examination): Finding {
  if (!existsSync(paths.dataDir) || environment.platform === "win32") return ok("files", "nothing to check");
  const files = readdirSync(paths.dataDir, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(paths.dataDir, entry.name));
  const keyFile = join(paths.stateDir, "vault.key");
  if (existsSync(keyFile)) files.push(keyFile);
  return closeToOthers({
    check: "files",
    places: files,
    mode: 0o600,
    repair,
    good: `${files.length} files, yours alone`,
  });
}

function closeToOthers(wanted: {
  readonly check: string;
  readonly places: readonly string[];
  readonly mode: number;
  readonly repair: Patient["repair"];
  readonly good: string;
}): Finding {
  const shared = wanted.places.filter((place) => isShared(statSync(place)));
  if (shared.length === 0) return ok(wanted.check, wanted.good);
  if (wanted.repair === "none") {
    const mode = wanted.mode.toString(8);
    return fail(wanted.check, {
      message: `others may look into ${shared.join(", ")}`,
      fix: `silas doctor --fix, or chmod ${mode} on each`,
    });
  }
  for (const place of shared) chmodSync(place, wanted.mode);
  return { ...ok(wanted.check, `closed to others: ${shared.join(", ")}`), fixed: true };
}

function checkInstance({ setup: { paths }, repair }: Examination): Finding {
  const found = readInstance(paths.dataDir);
  if (!found.ok)
    return fail("instance", {
      message: "the lock of the data directory cannot be read",
      fix: `check who owns ${paths.dataDir}`,
    });
  if (found.value.state === "live") return ok("instance", `running, ${found.value.instance?.url ?? "starting"}`);
  if (found.value.state === "none") return ok("instance", "not running");
  if (repair === "none")
    return warn("instance", {
      message: "a killed process left its address behind",
      fix: "silas doctor --fix, or silas start",
    });
  rmSync(join(paths.dataDir, "instance.json"), { force: true });
  return { ...ok("instance", "leftover of a killed process removed"), fixed: true };
}

async function checkPort({ setup: { config, paths } }: Examination): Promise<Finding> {
  const { host, port } = config.channels.web;
  const running = readInstance(paths.dataDir);
  if (running.ok && running.value.state === "live") return ok("port", "held by the running Silas");
  const problem = await new Promise<string | null>((resolve) => {
    const server = createServer().once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
  if (problem === null) return ok("port", `${port} is free`);
  if (problem === "EADDRINUSE")
    return fail("port", {
      message: `${port} is used by another program`,
      fix: "silas start --port 8421, or set channels.web.port",
    });
  return fail("port", {
    message: `${host}:${port} cannot be listened on (${problem})`,
    fix: "check channels.web.host and channels.web.port",
  });
}

const DISK_WARN_BYTES = 1024 ** 3;
const DISK_FAIL_BYTES = 64 * 1024 ** 2;

async function checkDisk({ setup: { paths } }: Examination): Promise<Finding> {
  const dir = existsSync(paths.dataDir) ? paths.dataDir : ".";
  const { bavail, bsize } = await statfs(dir);
  const free = bavail * bsize;
  const message = `${(free / 1024 ** 3).toFixed(1)} GB free where the data is`;
  if (free < DISK_FAIL_BYTES)
    return fail("disk", { message, fix: "free some space; writes are refused when it is full" });
  return free < DISK_WARN_BYTES ? warn("disk", { message, fix: "free some space soon" }) : ok("disk", message);
}

const CLOCK_SLACK_MS = 5 * 60_000;

/** A clock behind what is already written would give new changes an older date. */
function checkClock({ setup: { paths }, here }: Examination): Finding {
  const nowMs = msOfInstant(here.now);
  const ahead = ["db.sqlite", "silas.db"]
    .map((name) => join(paths.dataDir, name))
    .filter((path) => existsSync(path) && statSync(path).mtimeMs > nowMs + CLOCK_SLACK_MS);
  if (ahead.length === 0) return ok("clock", `${here.now}, zone ${here.zone}`);
  return warn("clock", {
    message: `files are from the future: ${ahead.join(", ")}`,
    fix: "check the date of this computer",
  });
}

function checkPage(): Finding {
  if (existsSync(join(BUILT_PAGE, "index.html"))) return ok("page", "built");
  return warn("page", { message: "the page for the browser is not built", fix: "npm start, which builds it" });
}

const BACKUP_DAYS_MAX = 7;

function checkBackups({ setup: { paths }, here }: Examination): Finding {
  const dir = join(paths.dataDir, "backups");
  const times = existsSync(dir) ? readdirSync(dir).map((name) => statSync(join(dir, name)).mtimeMs) : [];
  const newest = instantFromMs(Math.round(Math.max(0, ...times)));
  if (times.length === 0 || !newest.ok)
    return warn("backups", { message: "none in the data directory", fix: "silas backup" });
  const days = Math.floor((msOfInstant(here.now) - msOfInstant(newest.value)) / 86_400_000);
  const message = `the newest is ${days === 0 ? "of today" : `${days} day(s) old`}`;
  return days > BACKUP_DAYS_MAX ? warn("backups", { message, fix: "silas backup" }) : ok("backups", message);
}
