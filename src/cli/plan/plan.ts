import type { Sha256Hex } from "#base";
import type { ParsedPlan, PlanProjection } from "#work";
import { orFail, withApprovals } from "../approvals/open-approvals.ts";
import { proposePlan } from "../approvals/propose.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { EXIT, type ExitCode } from "../terminal/failure.ts";
import { faultsOf, readProposal, type FileFault } from "./proposal.ts";
import { safeJson } from "./safe-json.ts";
import { describePlan } from "./summary.ts";
import { describeNotice, linesShown } from "./words.ts";

export const define: Define = (plan, act) => {
  plan
    .command("check <file> [tasks...]")
    .description(
      "Check a plan file as `plan propose` does, and show what an approval of it would cover; - reads standard input.",
    )
    .option("--json", "print JSON: problems, or the hash and the canonical projection")
    .action(act(check));
  plan
    .command("propose [file] [tasks...]")
    .description(
      "Ask for a decision on a plan file, with the files of its tasks if it is a project; - reads standard input.",
    )
    .option("--repairs <number>", "for a goal: how many repair tasks it may start without asking again")
    .option("--until <day>", "for a goal: the last day on which it may start them")
    .option("--continues <run>", "go on with the results of this run: all of them, unless the plan names fewer")
    .option("--again <id>", "ask once more for a request that was missed")
    .option("--json", "print JSON")
    .action(act(proposePlan));
};

/** Everything a proposal of these files would be refused for, or what an approval would cover. Nothing is kept. */
const check: Handler<{ readonly json?: boolean }> = async (call) => {
  const read = await readProposal(call, { files: call.args, standing: null });
  if (!read.ok) return sayFaults(call, read.error);
  const { text, plan, names } = read.value;
  const checked = await withApprovals(call, (approvals) => approvals.check(text));
  const faults = checked.ok ? null : faultsOf(checked.error, names);
  if (faults !== null) return sayFaults(call, faults);
  const { projection: canonical, planHash } = orFail(checked);
  // Silas itself wrote it, a moment ago.
  const projection = JSON.parse(canonical) as PlanProjection;
  const shown = { file: names[0] ?? "", parsed: plan, projection, hash: planHash };
  if (call.options.json) call.terminal.line(safeJson(wireOf(plan, { projection, canonical, hash: planHash })));
  else for (const line of describePlan(shown)) call.terminal.line(line);
  return EXIT.ok;
};

function sayFaults(
  { options, terminal }: Pick<Call<{ readonly json?: boolean }>, "options" | "terminal">,
  problems: readonly FileFault[],
): ExitCode {
  if (options.json) terminal.line(safeJson({ ok: false, problems }));
  else for (const line of linesShown(problems.map(({ message }) => message))) terminal.line(line);
  return EXIT.failed;
}

type Covered = { readonly projection: PlanProjection; readonly canonical: string; readonly hash: Sha256Hex };

function wireOf({ headings, notices }: ParsedPlan, { projection, canonical, hash }: Covered) {
  return {
    ok: true,
    plan_hash: hash,
    projection,
    canonical,
    headings,
    notices: notices.map((notice) => ({ ...notice, message: describeNotice(notice) })),
    problems: [],
  };
}
