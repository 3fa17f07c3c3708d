import { oneLine } from "#base";
import { isAsApproved, isIdPart, keptRequestToWire, workDetailToWire, type WorkDetail } from "#model";
import type { WorkDoor } from "#ports";
import { orFail } from "../approvals/open-approvals.ts";
import { reachSilas } from "../client/door.ts";
import { safeJson } from "../plan/safe-json.ts";
import { watchRun } from "../run/watch.ts";
import type { Call } from "../terminal/context.ts";
import { CommandFailure, EXIT, type ExitCode } from "../terminal/failure.ts";
import { createHttpWork } from "../work/http-work.ts";
import { resultLines } from "../work/run-lines.ts";
import { describeUndo } from "./batch-lines.ts";

type Options = { readonly propose?: true; readonly json?: boolean };
type Silas = { readonly work: WorkDoor; begin(runId: string): Promise<void> };

const TERMINAL = { kind: "terminal" } as const;

/** Takes back the batch whose run or request this id names; null when it names none. */
export async function undoRun(call: Call<Options>, typed: string): Promise<ExitCode | null> {
  return withSilas(call, async (silas) => {
    const found = await batchRun(silas.work, typed);
    if (found === null) return null;
    return call.options.propose ? proposeBack(call, { silas, found }) : takeBack(call, { silas, found });
  });
}

type Found = { readonly silas: Silas; readonly found: WorkDetail };

async function takeBack(call: Call<Options>, { silas, found }: Found): Promise<ExitCode> {
  const { terminal, options } = call;
  const { runId } = found.run;
  const undo = orFail(await silas.work.batches.undo(runId, TERMINAL));
  if (undo.runId === null) throw new CommandFailure({ what: "Nothing was taken back." });
  const running = silas.begin(undo.runId);
  const watched = await watchRun(silas.work, { runId: undo.runId, terminal, isQuiet: options.json === true });
  await running;
  const after = orFail(await silas.work.show(runId));
  if (options.json) terminal.line(safeJson(workDetailToWire(after)));
  else {
    terminal.line(`${oneLine(watched.title)}: ${(after.undo === null ? [] : describeUndo(after.undo)).join("\n")}`);
    for (const line of resultLines(watched.run.results)) terminal.line(line);
  }
  const isWhole = after.undo?.items.every(({ outcome }) => isAsApproved(outcome)) ?? false;
  return isWhole && watched.run.status === "done" ? EXIT.ok : EXIT.failed;
}

async function proposeBack({ terminal, options }: Call<Options>, { silas, found }: Found): Promise<ExitCode> {
  const { request, isNew } = orFail(await silas.work.batches.proposeUndo(found.run.runId, TERMINAL));
  if (options.json) terminal.line(safeJson({ is_new: isNew, request: keptRequestToWire(request) }));
  else {
    terminal.line(`${request.requestId}  ${request.card.intent}`);
    terminal.note(`The way back waits for your decision. \`silas approve ${request.requestId}\` shows it.`);
  }
  return EXIT.ok;
}

async function batchRun(work: WorkDoor, typed: string): Promise<WorkDetail | null> {
  const runs = isIdPart(typed) ? orFail(await work.list({ idPart: typed })) : [];
  for (const { run } of runs) {
    const detail = orFail(await work.show(run.runId));
    if (detail.undo !== null && !detail.title.startsWith("Undo: ")) return detail;
  }
  return null;
}

async function withSilas<T>({ environment }: Call<Options>, talk: (silas: Silas) => Promise<T>): Promise<T> {
  const silas = await reachSilas({ environment, askPassphrase: async () => null });
  if (silas.kind === "instance") return talk({ work: createHttpWork(silas.address), begin: async () => {} });
  const { work } = silas.app;
  try {
    return await talk({ work, begin: work.runGranted });
  } finally {
    await silas.app.close();
  }
}
