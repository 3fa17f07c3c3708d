/**
 * `npm run sim`: `--seeds=100` runs seeds 1 to 100, `--seed=N` one of them with its transcript, `--kills=N` kills a
 * writing process N times, `--run-kills=N` one that runs approved plans, and `--two-workers --kills=N` one of two that read
 * the same queue. Every seed fails each call of the journal's
 * store; every twentieth seed, and a single one, also cuts real files, and the last one the files of runs as well.
 * `--fuzz=plan --runs=N` does none of this and gives the plan parser N damaged plans instead, and `--fuzz=all` every
 * parser. Prints the seed that failed and how to run it alone.
 */
import { parseArgs } from "node:util";
import { assert, sha256Hex } from "#base";
import { cutAuditedAct, failAuditedAct } from "./audit-run.ts";
import { cutApprovals, failApproval } from "./approval-cuts.ts";
import { cutDevices } from "./device-cuts.ts";
import { spendFromProcesses } from "./approval-spend.ts";
import { cutJournalCommit, cutMigrations, failJournalCommit } from "./disk-run.ts";
import { runEveryAnomaly } from "./journal-run.ts";
import { killWhileWriting } from "./kill-run.ts";
import { cutAsking } from "./ask/ask-cuts.ts";
import { cutSteering } from "./steer-cuts.ts";
import { killWorkers } from "./two-workers/kill-workers.ts";
import { cutRuns } from "./work-cuts.ts";
import { killRuns } from "./work-kill.ts";
import { fuzz, PARSER_NAMES, type ParserName } from "./fuzz/fuzz.ts";

const DISK_EVERY = 20;

type Asked = {
  readonly seeds: readonly number[];
  readonly isSingle: boolean;
  readonly kills: number;
  readonly runKills: number;
};

function readArgs(args: readonly string[]): Asked | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: "string" },
      seed: { type: "string" },
      kills: { type: "string" },
      "run-kills": { type: "string" },
    },
  });
  const kills = Number(values.kills ?? "0");
  const runKills = Number(values["run-kills"] ?? "0");
  const isKilling = kills > 0 || runKills > 0;
  const count = Number(values.seeds ?? (values.seed === undefined && !isKilling ? "100" : "0"));
  const seed = values.seed === undefined ? null : Number(values.seed);
  if (![kills, runKills, count, seed ?? 0].every((number) => Number.isSafeInteger(number) && number >= 0)) return null;
  const seeds = seed === null ? Array.from({ length: count }, (_, index) => index + 1) : [seed];
  return { seeds, isSingle: seed !== null, kills, runKills };
}

/** The states of runs are many, and each is opened twice. */
type Depth = "calls" | "calls_and_disk" | "everything";

function depthOf({ seeds, isSingle }: Asked, seed: number): Depth {
  if (isSingle || seed === seeds.at(-1)) return "everything";
  return seed % DISK_EVERY === 0 ? "calls_and_disk" : "calls";
}

async function runSeed(seed: number, depth: Depth): Promise<string> {
  const { clean, runs } = await runEveryAnomaly(seed);
  const line = `seed ${seed}: ${runs} failed calls, digest ${sha256Hex(clean.transcript).slice(0, 16)}`;
  if (depth === "calls") return line;
  const commit = await cutJournalCommit(seed);
  const failed = await failJournalCommit(seed);
  const migrations = await cutMigrations(seed);
  const act = await cutAuditedAct(seed);
  const failedAct = await failAuditedAct(seed);
  const approvals = await cutApprovals(seed);
  const devices = await cutDevices(seed);
  const failedApproval = await failApproval(seed);
  const { states: runStates } = depth === "everything" ? await cutRuns(seed) : { states: 0 };
  const { states: steered } = depth === "everything" ? await cutSteering(seed) : { states: 0 };
  const { states: asked } = depth === "everything" ? await cutAsking(seed) : { states: 0 };
  const { successes } = await spendFromProcesses(seed);
  assert(
    successes.every((count) => count === 1),
    "APPR-19 an approval for one use is used once",
  );
  const failures = failed.states + failedAct.states + failedApproval.states;
  return (
    `${line}, cuts: ${commit.states} of a commit, ${migrations.states} of migrations, ` +
    `${act.states} of an audited act, ${approvals.states} of approvals, ${devices.states} of browser keys, ` +
    `${runStates} of runs, ${steered} of pauses and stops, ${asked} of questions, ${failures} failed statements`
  );
}

/** The other half of this program: `--fuzz=plan --runs=100000 --seed=7`, or `--fuzz=all`. */
async function fuzzAsked(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      fuzz: { type: "string" },
      runs: { type: "string", default: "100000" },
      seed: { type: "string", default: "1" },
    },
  });
  const [runs, seed] = [Number(values.runs), Number(values.seed)];
  const parsers = PARSER_NAMES.filter((name) => values.fuzz === "all" || values.fuzz === name);
  if (parsers.length === 0 || ![runs, seed].every((number) => Number.isSafeInteger(number) && number >= 0)) {
    console.error(`Usage: npm run sim -- --fuzz=all|${PARSER_NAMES.join("|")} [--runs=100000] [--seed=1]`);
    return 2;
  }
  for (const parser of parsers) console.log(await fuzzOne({ parser, seed, runs }));
  return 0;
}

async function fuzzOne(options: { readonly parser: ParserName; readonly seed: number; readonly runs: number }) {
  const before = process.memoryUsage().rss;
  const { accepted, refused, slowestMs } = await fuzz(options);
  const grownMb = Math.round((process.memoryUsage().rss - before) / 2 ** 20);
  return (
    `${options.parser}: ${options.runs} damaged texts of seed ${options.seed}, ${accepted} accepted, ${refused} refused, ` +
    `none broke a promise; slowest ${Math.round(slowestMs)} ms, memory ${grownMb < 0 ? "" : "+"}${grownMb} MB`
  );
}

/** `--two-workers --kills=200 --seed=1` */
async function killWorkersAsked(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "two-workers": { type: "boolean" },
      kills: { type: "string", default: "200" },
      seed: { type: "string", default: "1" },
    },
  });
  const [kills, seed] = [Number(values.kills), Number(values.seed)];
  if (![kills, seed].every((number) => Number.isSafeInteger(number) && number >= 0)) {
    console.error("Usage: npm run sim -- --two-workers [--kills=200] [--seed=1]");
    return 2;
  }
  const seen = await killWorkers({ seed, kills });
  console.log(
    `${seen.kills} kills of seed ${seed}, ${seen.betweenLeaseAndSettle} between lease and settle, ` +
      `${seen.messages} messages: lost ${seen.lost}, twice ${seen.twice}`,
  );
  return seen.lost + seen.twice === 0 ? 0 : 1;
}

async function main(args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg.startsWith("--fuzz"))) return fuzzAsked(args);
  if (args.includes("--two-workers")) return killWorkersAsked(args);
  const asked = readArgs(args);
  if (asked === null) {
    console.error(
      "Usage: npm run sim -- [--seeds=100 | --seed=N] [--kills=N] [--run-kills=N], or --two-workers [--kills=N], or --fuzz=all [--runs=N]",
    );
    return 2;
  }
  for (const seed of asked.seeds) {
    try {
      const depth = depthOf(asked, seed);
      const line = await runSeed(seed, depth);
      if (depth !== "calls") console.log(line);
      if (asked.isSingle) console.log((await runEveryAnomaly(seed)).clean.transcript);
    } catch (cause) {
      console.error(`seed ${seed} failed. Run it alone with: npm run sim -- --seed=${seed}`, cause);
      return 1;
    }
  }
  if (asked.kills > 0) {
    const { kills, acknowledged } = await killWhileWriting({ seed: asked.seeds[0] ?? 1, kills: asked.kills });
    console.log(`${kills} kills, ${acknowledged} acknowledged operations, none lost`);
  }
  if (asked.runKills > 0 && !(await killedRuns({ seed: asked.seeds[0] ?? 1, kills: asked.runKills }))) return 1;
  if (asked.seeds.length > 0) console.log(`${asked.seeds.length} seeds passed`);
  return 0;
}

async function killedRuns(asked: { readonly seed: number; readonly kills: number }): Promise<boolean> {
  try {
    const { runs, inDoubt, effects, undone } = await killRuns(asked);
    const seen = `${runs} runs, ${undone} of them taking back, ${inDoubt} in doubt, ${effects} effects, none twice`;
    console.log(`${asked.kills} kills of seed ${asked.seed}: ${seen}`);
    return true;
  } catch (cause) {
    const again = `npm run sim -- --seed=${asked.seed} --run-kills=${asked.kills}`;
    console.error(`kills of seed ${asked.seed} failed. Run them again with: ${again}`, cause);
    return false;
  }
}

process.exitCode = await main(process.argv.slice(2));
