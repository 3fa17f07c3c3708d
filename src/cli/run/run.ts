import { oneLine } from "#base";
import { runLine, workDetailToWire, type RunRecord, type Stopped, type WorkDetail } from "#model";
import type { WorkDoor } from "#ports";
import { confirmRequest, saysSteps } from "../approvals/approve.ts";
import { createHttpApprovals, type Approvals } from "../approvals/http-approvals.ts";
import { orFail } from "../approvals/open-approvals.ts";
import { readProposal } from "../approvals/propose.ts";
import { reachSilas } from "../client/door.ts";
import { askOnce } from "../keys/open-keys.ts";
import { safeJson } from "../plan/safe-json.ts";
import { stoppedSentence } from "../stop/words.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT, type ExitCode } from "../terminal/failure.ts";
import { createHttpWork } from "../work/http-work.ts";
import { projectLines } from "../work/project-lines.ts";
import { resultLines } from "../work/run-lines.ts";
import { watchRun } from "./watch.ts";

type Options = { readonly hash?: string; readonly json?: boolean };

export const define: Define = (run, act) => {
  run
    .description("Propose a plan with steps, show it, have it approved, run it and watch it.")
    .argument("<plan>", "a plan file, or - for standard input")
    .argument("[tasks...]", "the files of a project's tasks")
    .option("--hash <hash>", "approve exactly the plan with this hash, without being asked")
    .option("--json", "print the result as JSON")
    .action(act(runPlan));
};

const TERMINAL = { kind: "terminal" } as const;

/** Everything between a plan file and its result. The approval is the same as everywhere: nothing here goes around it. */
const runPlan: Handler<Options> = async (call) => {
  const [source = "", ...tasks] = call.args;
  const markdown = await readProposal(call, { source, tasks, standing: null });
  const request = await withSilas(call, async ({ approvals, work }) => {
    const stopped = orFail(await work.stops.current());
    if (stopped !== null) throw allStopped(stopped);
    const { request: proposed } = orFail(await approvals.propose(markdown, TERMINAL));
    if (!saysSteps(proposed)) throw noSteps();
    return orFail(await approvals.show(proposed.requestId));
  });
  const confirmed = await confirmRequest(call, request);
  const { requestId } = request;
  const detail = await withSilas(call, async ({ approvals, work, begin }) => {
    orFail(await approvals.decide({ requestId, verdict: "approved", actor: TERMINAL, ...confirmed }));
    const runId = await runOf(work, requestId);
    const running = begin(runId);
    const stop = cancelOnInterrupt(work, runId);
    const watched = await watchRun(work, { runId, terminal: call.terminal, isQuiet: call.options.json === true });
    stop();
    await running;
    return watched;
  });
  return sayResult(call, detail);
};

type Silas = {
  readonly approvals: Approvals;
  readonly work: WorkDoor;
  /** Has a granted run begin; a running Silas does that by itself. */
  begin(runId: string): Promise<void>;
};

async function withSilas<T>({ environment, terminal }: Call<Options>, talk: (silas: Silas) => Promise<T>): Promise<T> {
  const silas = await reachSilas({ environment, askPassphrase: askOnce(terminal) });
  if (silas.kind === "instance") {
    const { address } = silas;
    return talk({ approvals: createHttpApprovals(address), work: createHttpWork(address), begin: async () => {} });
  }
  const { approvals, work } = silas.app;
  try {
    return await talk({ approvals, work, begin: work.runGranted });
  } finally {
    await silas.app.close();
  }
}

const allStopped = (stopped: Stopped): CommandFailure =>
  new CommandFailure({
    what: stoppedSentence(stopped),
    kept: "Nothing was proposed.",
    next: "Run `silas start-again`, then this once more.",
  });

const noSteps = (): CommandFailure =>
  new CommandFailure({
    what: "This plan has no steps, so there is nothing that Silas could run without a model.",
    kept: "It waits for your decision all the same; `silas inbox` shows it.",
    next: "Add `steps:` to its front matter; docs/runs.md has an example.",
  });

async function runOf(work: WorkDoor, requestId: string): Promise<string> {
  const listed = orFail(await work.list());
  const found = listed.find((one) => one.requestId === requestId && one.projectRunId === null);
  if (found !== undefined) return found.run.runId;
  throw new CommandFailure({ what: "The approval granted no run.", next: "`silas work list` shows what there is." });
}

/** Ctrl-C ends the run, not only the look at it. A second one ends this command. */
function cancelOnInterrupt(work: WorkDoor, runId: string): () => void {
  const cancel = () => void work.cancel(runId, TERMINAL);
  process.once("SIGINT", cancel);
  return () => void process.off("SIGINT", cancel);
}

function sayResult({ options, terminal }: Call<Options>, detail: WorkDetail): ExitCode {
  const { run, title } = detail;
  if (options.json) terminal.line(safeJson(workDetailToWire(detail)));
  else {
    terminal.line(`${oneLine(title)}: ${runLine(detail)}`);
    for (const line of [...projectLines(detail.project), ...resultLines(run.results)]) terminal.line(line);
    terminal.note(`\`silas work show ${run.runId.slice(-8)}\` shows its steps.`);
  }
  return exitOf(run);
}

const exitOf = ({ status }: RunRecord): ExitCode => (status === "done" ? EXIT.ok : EXIT.failed);
