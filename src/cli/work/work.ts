import { Option } from "commander";
import { oneLine } from "#base";
import {
  RUN_STATUSES,
  runLine,
  runRecordToWire,
  workDetailToWire,
  workSummaryToWire,
  type RunRecord,
  type RunStatus,
  type WorkSummary,
} from "#model";
import { orFail } from "../approvals/open-approvals.ts";
import { safeJson } from "../plan/safe-json.ts";
import { stoppedSentence } from "../stop/words.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import { findRun, withWork } from "./open-work.ts";
import { projectLines } from "./project-lines.ts";
import { describeRun } from "./run-lines.ts";
import { settleRun } from "./settle.ts";

type Options = { readonly json?: boolean };

type Verb = "cancel" | "pause" | "resume";

/** Null when the answer was printed as JSON already. */
async function steer(call: Call<Options>, verb: Verb): Promise<RunRecord | null> {
  const run = await withWork(call, async (work) => {
    const found = await findRun(work, call.args[0] ?? "");
    return orFail(await work[verb](found.run.runId, { kind: "terminal" }));
  });
  if (call.options.json !== true) return run;
  call.terminal.line(safeJson({ run: runRecordToWire(run) }));
  return null;
}

const pauseRun: Handler<Options> = async (call) => {
  const run = await steer(call, "pause");
  if (run === null) return;
  call.terminal.line(run.status === "paused" ? `Paused ${run.workItemId}` : `${run.workItemId} pauses after this step`);
  call.terminal.note(`\`silas work resume ${run.runId.slice(-ID_END_CHARS)}\` lets it go on.`);
};

const resumeRun: Handler<Options> = async (call) => {
  const run = await steer(call, "resume");
  if (run !== null) call.terminal.line(`${run.workItemId} goes on`);
};

export const define: Define = (work, act) => {
  work
    .command("list")
    .description("Runs of approved plans, newest first, and what waits to be run.")
    .addOption(new Option("--status <status>", "only those that stand so").choices(RUN_STATUSES))
    .option("--json", "print JSON")
    .action(act(listRuns));
  work
    .command("show <id>")
    .description("One run: its steps, checks and results. An id, a part of it, or the id of its request.")
    .option("--json", "print JSON")
    .action(act(showRun));
  work
    .command("settle <id>")
    .description("Say what became of a run in doubt. It is said once; the run itself stays as it ended.")
    .option("--happened", "it happened: go on to the checks, repeat nothing")
    .option("--again", "propose the same plan again, for an approval of its own")
    .option("--leave", "leave it as it is")
    .option("--json", "print JSON")
    .action(act(settleRun));
  work
    .command("cancel <id>")
    .description("End a run at once. What it changed outside of its workspace stays.")
    .option("--json", "print JSON")
    .action(act(cancelRun));
  work
    .command("pause <id>")
    .description("Have a run rest before its next step, until `silas work resume`.")
    .option("--json", "print JSON")
    .action(act(pauseRun));
  work
    .command("resume <id>")
    .description("Let a paused run go on; its approval is checked again.")
    .option("--json", "print JSON")
    .action(act(resumeRun));
};

/** Ids made in the same hour begin alike, so their end is shown; the other verbs take it. */
const ID_END_CHARS = 8;

const listRuns: Handler<Options & { readonly status?: RunStatus }> = async (call) => {
  const { options, terminal } = call;
  const { runs, stopped } = await withWork(call, async (work) => ({
    runs: orFail(await work.list({ status: options.status })),
    stopped: orFail(await work.stops.current()),
  }));
  if (options.json) return terminal.line(safeJson({ runs: runs.map(workSummaryToWire), stopped }));
  if (stopped !== null) terminal.note(stoppedSentence(stopped));
  if (runs.length === 0 && options.status !== undefined) return terminal.note(`No run is ${options.status}.`);
  if (runs.length === 0) return terminal.note("Nothing was run yet. `silas run PLAN.md` runs a plan with steps.");
  const columns = [
    { header: "ID" },
    { header: "WHAT", flexible: true },
    { header: "STATE" },
    { header: "BEGAN", spare: 1 },
  ] as const;
  printTable(terminal, { columns, rows: runs.map(rowOf) });
};

const rowOf = ({ run, title, ...now }: WorkSummary): readonly string[] => [
  run.runId.slice(-ID_END_CHARS),
  `${now.projectRunId === null ? "" : "- "}${oneLine(title)}`,
  runLine({ run, ...now }),
  showMoment(run.startedAt),
];

const showRun: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const detail = await withWork(call, async (work) => {
    const { run } = await findRun(work, call.args[0] ?? "");
    return orFail(await work.show(run.runId));
  });
  if (options.json) return terminal.line(safeJson(workDetailToWire(detail)));
  for (const line of [...describeRun(detail), ...projectLines(detail.project)]) terminal.line(line);
};

const cancelRun: Handler<Options> = async (call) => {
  const ended = await steer(call, "cancel");
  if (ended === null) return;
  const { status, workItemId } = ended;
  // What was left in the middle of a step may be in doubt, and that is what counts then.
  const said =
    status === "cancelled"
      ? `Stopped ${workItemId}`
      : `${workItemId}: ${runLine({ run: ended, progress: null, settlement: null })}`;
  call.terminal.line(said);
  call.terminal.note("What it changed outside of its workspace stays as it is; `silas work show` lists its steps.");
};
