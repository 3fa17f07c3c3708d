import { parseYaml } from "#config";
import { FILE_ALONE, planBytes, planHash, projectPlan, withEffectiveSkills, type ParsedPlan } from "#work";
import { checkPlan } from "#runtime";
import { proposePlan } from "../approvals/propose.ts";
import { createInputReader } from "../canonical/input.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { EXIT } from "../terminal/failure.ts";
import { readPlanFile } from "./plan-file.ts";
import { safeJson } from "./safe-json.ts";
import { describePlan } from "./summary.ts";
import { describeNotice, describePlanProblem, describePlanProblems } from "./words.ts";

export const define: Define = (plan, act) => {
  plan
    .command("check <file>")
    .description("Check a plan file and show what an approval of it would cover; - reads standard input.")
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

const check: Handler<{ readonly json?: boolean }> = async ({ args: [source = ""], options, ...call }) => {
  const { terminal, outside, here } = call;
  const file = source === "-" ? "<stdin>" : source;
  const markdown = await readPlanFile(source, createInputReader(outside.stdin));
  const parsed = markdown.ok
    ? await checkPlan({ markdown: markdown.value, readYaml: parseYaml, at: here.now })
    : markdown;
  if (parsed.ok) {
    const shown = projected(parsed.value);
    if (options.json) terminal.line(safeJson(wireOf(parsed.value, shown)));
    else for (const line of describePlan({ file, parsed: parsed.value, ...shown })) terminal.line(line);
    return EXIT.ok;
  }
  if (options.json) {
    const problems = parsed.error.map((found) => ({ ...found, message: describePlanProblem(found, file) }));
    terminal.line(safeJson({ ok: false, problems }));
  } else for (const line of describePlanProblems(parsed.error, file)) terminal.line(line);
  return EXIT.failed;
};

/** No parent is known to a file on its own, no skill is installed, and no executor is chosen. */
function projected(parsed: ParsedPlan) {
  const projection = projectPlan(withEffectiveSkills(parsed, null), FILE_ALONE);
  return { projection, hash: planHash(projection) };
}

function wireOf({ headings, notices }: ParsedPlan, { projection, hash }: ReturnType<typeof projected>) {
  return {
    ok: true,
    plan_hash: hash,
    projection,
    canonical: planBytes(projection),
    headings,
    notices: notices.map((notice) => ({ ...notice, message: describeNotice(notice) })),
    problems: [],
  };
}
