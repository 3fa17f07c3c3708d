import { oneLine } from "#base";
import { runLine, workDetailToWire, type RunRecord, type WorkDetail } from "#model";
import { confirmRequest, saysSteps } from "../approvals/approve.ts";
import { orFail } from "../approvals/open-approvals.ts";
import { continuedWork } from "../approvals/propose.ts";
import { readProposal, refuseFiles, takenOrFail } from "../plan/proposal.ts";
import { safeJson } from "../plan/safe-json.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT, type ExitCode } from "../terminal/failure.ts";
import { projectLines } from "../work/project-lines.ts";
import { resultLines } from "../work/run-lines.ts";
import { carryOut, refuseWhileStopped, withSilas } from "./carry-out.ts";

type Options = { readonly hash?: string; readonly continues?: string; readonly json?: boolean };

export const define: Define = (run, act) => {
  run
    .description("Propose a plan with steps or for a model, show it, have it approved, run it and watch it.")
    .argument("<plan>", "a plan file, or - for standard input")
    .argument("[tasks...]", "the files of a project's tasks")
    .option("--hash <hash>", "approve exactly the plan with this hash, without being asked")
    .option("--continues <run>", "go on with the results of this run: all of them, unless the plan names fewer")
    .option("--json", "print the result as JSON")
    .action(act(runPlan));
};

const TERMINAL = { kind: "terminal" } as const;

/** Everything between a plan file and its result. The approval is the same as everywhere: nothing here goes around it. */
const runPlan: Handler<Options> = async (call) => {
  const [source = "", ...tasks] = call.args;
  const continues = await continuedWork(call);
  const read = await readProposal(call, { files: [source, ...tasks], standing: null, continues });
  if (!read.ok) throw refuseFiles(read.error);
  const { text, names } = read.value;
  const request = await withSilas(call, async (silas) => {
    await refuseWhileStopped(silas);
    const { request: proposed } = takenOrFail(await silas.approvals.propose(text, TERMINAL), names);
    if (!saysSteps(proposed)) throw noSteps();
    return orFail(await silas.approvals.show(proposed.requestId));
  });
  const confirmed = await confirmRequest(call, request);
  return sayResult(call, await carryOut(call, { request, confirmed }));
};

const noSteps = (): CommandFailure =>
  new CommandFailure({
    what: "This plan has no steps and names no model, so there is nothing that Silas could run.",
    kept: "It waits for your decision all the same; `silas inbox` shows it.",
    next: "Add `steps:` or `executor: model` to its front matter; docs/runs.md has examples.",
  });

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
