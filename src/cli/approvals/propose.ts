import { addDays } from "#base";
import { keptRequestToWire, type StandingTerms } from "#model";
import { readProposal, refuseFiles, takenOrFail } from "../plan/proposal.ts";
import { safeJson } from "../plan/safe-json.ts";
import type { Call, Handler } from "../terminal/context.ts";
import { CommandFailure, usage } from "../terminal/failure.ts";
import type { Proposed } from "#ports";
import { instantAt, parseDay } from "../terminal/local-time.ts";
import { findRun, withWork } from "../work/open-work.ts";
import { findRequest, orFail, withApprovals } from "./open-approvals.ts";

type Options = {
  readonly again?: string;
  readonly repairs?: string;
  readonly until?: string;
  readonly continues?: string;
  readonly json?: boolean;
};

const TERMINAL = { kind: "terminal" } as const;

/** Asks for a decision on a plan with everything that belongs to it, or once more for one that nobody took. */
export const proposePlan: Handler<Options> = async (call) => {
  const { options, args } = call;
  const [source, ...tasks] = args;
  if ((source === undefined) === (options.again === undefined)) {
    throw usage("Name either a plan file, or with --again a request that was missed.");
  }
  const standing = standingTerms(call);
  if (source === undefined && (standing !== null || options.continues !== undefined)) {
    throw usage("A request that was missed keeps its own terms.");
  }
  const continues = await continuedWork(call);
  const read =
    source === undefined ? null : await readProposal(call, { files: [source, ...tasks], standing, continues });
  if (read !== null && !read.ok) throw refuseFiles(read.error);
  const proposed = await withApprovals(call, async (approvals) => {
    if (read !== null) return takenOrFail(await approvals.propose(read.value.text, TERMINAL), read.value.names);
    const { requestId } = await findRequest(approvals, options.again ?? "");
    return orFail(await approvals.proposeAgain(requestId, TERMINAL));
  });
  const { request, isNew } = proposed;
  sayProposed(call, { request, isNew });
};

/** The same for whatever was proposed. */
export function sayProposed(
  { options, terminal }: Pick<Call<{ readonly json?: boolean }>, "options" | "terminal">,
  { request, isNew }: Proposed,
): void {
  if (options.json) return terminal.line(safeJson({ is_new: isNew, request: keptRequestToWire(request) }));
  terminal.line(`${request.requestId}  ${request.card.intent}`);
  terminal.note(
    isNew
      ? `Waits for your decision, ${request.riskLevel} risk. \`silas approve ${request.requestId}\` shows it.`
      : "This waits for your decision already.",
  );
}

/** A goal stands through the whole of its last day, where the owner is. */
function standingTerms({ options: { repairs, until }, here }: Call<Options>): StandingTerms | null {
  if (repairs === undefined && until === undefined) return null;
  if (repairs === undefined || until === undefined) throw usage("--repairs and --until belong together.");
  if (!/^[1-9]\d{0,4}$/.test(repairs)) throw usage("--repairs takes a whole number of at least 1.");
  const ends = instantAt(addDays(parseDay(until, here), 1), { hour: 0, minute: 0 });
  return { max_executions: Number(repairs), expires_at: ends };
}

/** The work a run was of, if there are results to go on with. */
export async function continuedWork(call: Call<Pick<Options, "continues">>): Promise<string | undefined> {
  const { continues: typed } = call.options;
  if (typed === undefined) return undefined;
  const { run } = await withWork(call, (work) => findRun(work, typed));
  if (run.status === "done") return run.workItemId;
  throw new CommandFailure({
    what: `The run ${run.runId} is not done, so it has no results to go on with.`,
    kept: "Nothing was proposed.",
    next: `\`silas work show ${run.runId}\` shows how it stands.`,
  });
}
