import { parseYaml } from "#config";
import { keptRequestToWire } from "#model";
import { readPlan } from "#runtime";
import { createInputReader } from "../canonical/input.ts";
import { readPlanFile } from "../plan/plan-file.ts";
import { safeJson } from "../plan/safe-json.ts";
import { describePlanProblems } from "../plan/words.ts";
import type { Call, Handler } from "../terminal/context.ts";
import { CommandFailure, usage } from "../terminal/failure.ts";
import { findRequest, orFail, withApprovals } from "./open-approvals.ts";

type Options = { readonly again?: string; readonly json?: boolean };

const TERMINAL = { kind: "terminal" } as const;

/** Asks for a decision on a plan file, or once more for one that nobody took. */
export const proposePlan: Handler<Options> = async (call) => {
  const { options, terminal, args } = call;
  const [source] = args;
  if ((source === undefined) === (options.again === undefined)) {
    throw usage("Name either a plan file, or with --again a request that was missed.");
  }
  const markdown = source === undefined ? null : await readMarkdown(call, source);
  const proposed = await withApprovals(call, async (approvals) => {
    if (markdown !== null) return orFail(await approvals.propose(markdown, TERMINAL));
    const { requestId } = await findRequest(approvals, options.again ?? "");
    return orFail(await approvals.proposeAgain(requestId, TERMINAL));
  });
  const { request, isNew } = proposed;
  if (options.json) return terminal.line(safeJson({ is_new: isNew, request: keptRequestToWire(request) }));
  terminal.line(`${request.requestId}  ${request.card.intent}`);
  terminal.note(
    isNew
      ? `Waits for your decision, ${request.riskLevel} risk. \`silas approve ${request.requestId}\` shows it.`
      : "This plan waits for your decision already.",
  );
};

/** Problems are said here, with their lines, before anything is opened or sent. */
async function readMarkdown({ outside, here }: Call<Options>, source: string): Promise<string> {
  const file = source === "-" ? "<stdin>" : source;
  const markdown = await readPlanFile(source, createInputReader(outside.stdin));
  const parsed = markdown.ok ? readPlan({ markdown: markdown.value, readYaml: parseYaml, at: here.now }) : markdown;
  if (markdown.ok && parsed.ok) return markdown.value;
  throw new CommandFailure({
    what: parsed.ok ? file : describePlanProblems(parsed.error, file).join("\n"),
    kept: "Nothing was proposed.",
    next: "Correct the places above; `silas plan check FILE` checks a file.",
  });
}
