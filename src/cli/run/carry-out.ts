import type { KeptRequest, Stopped, WorkDetail } from "#model";
import type { WorkDoor } from "#ports";
import type { Confirmed } from "../approvals/approve.ts";
import { createHttpApprovals, type Approvals } from "../approvals/http-approvals.ts";
import { orFail } from "../approvals/open-approvals.ts";
import { reachSilas } from "../client/door.ts";
import { askOnce } from "../keys/open-keys.ts";
import { stoppedSentence } from "../stop/words.ts";
import type { Call } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { createHttpWork } from "../work/http-work.ts";
import { createAnswering } from "./answer-question.ts";
import { watchRun } from "./watch.ts";

type Silas = {
  readonly approvals: Approvals;
  readonly work: WorkDoor;
  /** Has a granted run begin; a running Silas does that by itself. */
  begin(runId: string): Promise<void>;
};
type Caller = Call<{ readonly json?: boolean }>;

const TERMINAL = { kind: "terminal" } as const;

/** The running Silas, or one of its own for as long as `talk` takes. */
export async function withSilas<T>({ environment, terminal }: Caller, talk: (silas: Silas) => Promise<T>): Promise<T> {
  const silas = await reachSilas({ environment, askPassphrase: askOnce(terminal) });
  if (silas.kind === "instance") {
    const { address } = silas;
    return talk({ approvals: createHttpApprovals(address), work: createHttpWork(address), begin: async () => {} });
  }
  const { approvals, work, keys } = silas.app;
  try {
    // As a start does; where that fails, whoever signs is told why.
    await keys.prepare();
    return await talk({ approvals, work, begin: work.runGranted });
  } finally {
    await silas.app.close();
  }
}

/** While everything is stopped nothing would begin, and whoever watches would wait for ever. */
export async function refuseWhileStopped({ work }: Silas): Promise<void> {
  const stopped: Stopped | null = orFail(await work.stops.current());
  if (stopped === null) return;
  throw new CommandFailure({
    what: stoppedSentence(stopped),
    kept: "Nothing was proposed.",
    next: "Run `silas start-again`, then this once more.",
  });
}

type Approved = { readonly request: Pick<KeptRequest, "requestId">; readonly confirmed: Confirmed };

/** Approves what was confirmed, has it run, and says where it is until it is over. */
export function carryOut(call: Caller, { request, confirmed }: Approved): Promise<WorkDetail> {
  const { requestId } = request;
  return withSilas(call, async ({ approvals, work, begin }) => {
    orFail(await approvals.decide({ requestId, verdict: "approved", actor: TERMINAL, ...confirmed }));
    const runId = await runOf(work, requestId);
    const running = begin(runId);
    const stop = cancelOnInterrupt(work, runId);
    const onLook = createAnswering({ approvals, work, call });
    try {
      await watchRun(work, { runId, terminal: call.terminal, isQuiet: call.options.json === true, onLook });
    } finally {
      stop();
    }
    await running;
    return orFail(await work.show(runId));
  });
}

async function runOf(work: WorkDoor, requestId: string): Promise<string> {
  const listed = orFail(await work.list({ idPart: requestId }));
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
