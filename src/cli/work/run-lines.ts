import { neutralise, oneLine } from "#base";
import { consultLine, runLine, type CheckResult, type LedgerEntry, type WorkDetail } from "#model";
import { describeUndo } from "../batches/batch-lines.ts";
import { showMoment } from "../terminal/local-time.ts";

/** Everything about a run, for a person. What programs printed is made safe to show. */
export function describeRun({
  run,
  title,
  requestId,
  progress,
  ledger,
  network,
  settlement,
  undo,
  signsIn = false,
  consults = [],
}: WorkDetail): readonly string[] {
  const { budgetUsed } = run;
  return [
    `${oneLine(title)}`,
    `  State     ${runLine({ run, progress, settlement, signsIn })}`,
    ...consults.map((told) => `  Planner   ${oneLine(consultLine(told))}`),
    ...(run.status === "waiting" ? [`  Decide    silas approve ${run.question?.requestId}`] : []),
    ...(signsIn ? ["  Sign in   silas inbox"] : []),
    `  Run       ${run.runId}`,
    `  Request   ${requestId}`,
    `  Plan      ${run.workItemId}, ${run.planHash}`,
    `  Began     ${showMoment(run.startedAt)}`,
    ...(run.endedAt === null ? [] : [`  Ended     ${showMoment(run.endedAt)}`]),
    `  Used      ${counted(budgetUsed.attempts, "attempt")}, ${counted(budgetUsed.executorRuns, "step")}${modelWords(budgetUsed)}, ${seconds(budgetUsed.wallTimeSeconds * 1000)}`,
    ...saidLines(run),
    ...(ledger.length === 0 ? [] : ["Steps", ...ledger.flatMap(stepLines)]),
    ...resultLines(run.results),
    ...(settlement === null ? [] : resultLines(settlement.results, "Checks afterwards")),
    ...artifactLines(run.artifacts),
    ...networkLines(network),
    ...(undo === null ? [] : ["Items", ...describeUndo(undo).map((line) => `  ${line}`)]),
  ];
}

const modelWords = ({ plannerCalls, tokens }: WorkDetail["run"]["budgetUsed"]): string =>
  [
    ...(plannerCalls === 0 ? [] : [`, ${counted(plannerCalls, "question")} to the planner`]),
    ...(tokens === 0 ? [] : [`, ${counted(tokens, "token")}`]),
  ].join("");

/** Its own words about what it did; they decide nothing, and say whose they are. */
function saidLines({ said }: WorkDetail["run"]): readonly string[] {
  if (said === undefined) return [];
  return [
    "The model says",
    ...lastLines(said.summary, SAID_LINES).map((line) => `  | ${line}`),
    ...said.nextSteps.map((next) => `  Next: ${oneLine(next)}`),
  ];
}
const SAID_LINES = 20;

const OUTPUT_LINES = 5;

function stepLines(entry: LedgerEntry): readonly string[] {
  const on = entry.decision === undefined ? "" : ` (approved as ${entry.decision.requestId})`;
  const place = `  ${entry.attempt}.${entry.stepIndex + 1} ${oneLine(entry.stepName)}${on}`;
  return [
    `${place}: ${stepState(entry)}`,
    ...lastLines(entry.returnValue, OUTPUT_LINES).map((line) => `      | ${line}`),
  ];
}

export function stepState({ state, success, error, durationMs }: LedgerEntry): string {
  if (state === "started") return "begun, its end was not seen yet";
  if (state === "in_doubt") return "in doubt: begun, and its end was never seen";
  const took = durationMs === null ? "" : ` in ${seconds(durationMs)}`;
  return success === true ? `ok${took}` : `failed${took}: ${oneLine(error ?? "")}`;
}

export function resultLines(results: readonly CheckResult[], title = "Checks"): readonly string[] {
  if (results.length === 0) return [];
  return [title, ...results.flatMap(checkLines)];
}

function checkLines({ name, passed, reason, output, changedFiles = [] }: CheckResult): readonly string[] {
  const changed = `      This run changed what it may rest on: ${oneLine(changedFiles.join(", "))}`;
  return [
    `  ${passed ? "ok" : "failed"}  ${oneLine(name)}${passed ? "" : `: ${oneLine(reason)}`}`,
    ...lastLines(output, OUTPUT_LINES).map((line) => `      | ${line}`),
    ...(changedFiles.length === 0 ? [] : [changed]),
  ];
}

function artifactLines(artifacts: WorkDetail["run"]["artifacts"]): readonly string[] {
  const all = Object.entries(artifacts);
  if (all.length === 0) return [];
  return [
    "Results",
    ...all.map(([name, { sha256, size }]) => `  ${oneLine(name)}  ${counted(size, "byte")}, sha256 ${sha256}`),
  ];
}

function networkLines(network: WorkDetail["network"]): readonly string[] {
  if (network.length === 0) return [];
  return [
    "Network",
    ...network.map(
      ({ host, requests, bytesSent, bytesReceived }) =>
        `  ${host}  ${counted(requests, "request")}, ${counted(bytesSent, "byte")} sent, ${counted(bytesReceived, "byte")} received`,
    ),
  ];
}

const lastLines = (text: string, most: number): readonly string[] =>
  neutralise(text)
    .split("\n")
    .map(oneLine)
    .filter((line) => line !== "")
    .slice(-most);

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
