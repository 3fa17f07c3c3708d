import { err, ok, type Result } from "#base";
import { parseYaml } from "#config";
import { planProposalText, wordPartsFor, type StandingTerms } from "#model";
import type { CheckRefusal, PlanFault, ProposeRefusal } from "#ports";
import { checkPlan } from "#runtime";
import type { ParsedPlan, PlanProblem } from "#work";
import { orFail } from "../approvals/open-approvals.ts";
import { createInputReader } from "../canonical/input.ts";
import type { Call } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { readPlanFile, type FileProblem } from "./plan-file.ts";
import { describePlanProblem, isKnownProblem, linesShown } from "./words.ts";

type Files = {
  /** The plan, then the files of its tasks; - is standard input. */
  readonly files: readonly string[];
  readonly standing: StandingTerms | null;
  readonly continues?: string | undefined;
};
type ReadProposal = {
  readonly text: string;
  readonly plan: ParsedPlan;
  /** How sentences name the files. */
  readonly names: readonly string[];
};
/** A reason why files cannot be proposed: its sentence, and the facts for programs. */
export type FileFault = PlanFault & { readonly message: string };

/** A plan file with the files of its tasks, as one text. The first file with problems ends it, before anything is sent. */
export async function readProposal(
  call: Pick<Call<object>, "outside" | "here">,
  { files, standing, continues }: Files,
): Promise<Result<ReadProposal, readonly FileFault[]>> {
  const names = files.map(nameOf);
  const [first, ...others] = files;
  const plan = await readFile(call, { source: first ?? "", continues });
  if (!plan.ok) return plan;
  const tasks: string[] = [];
  for (const source of others) {
    const task = await readFile(call, { source });
    if (!task.ok) return task;
    tasks.push(task.value.markdown);
  }
  const { markdown, parsed } = plan.value;
  const text = planProposalText({ plan: markdown, tasks, standing, ...(continues === undefined ? {} : { continues }) });
  return ok({ text, plan: parsed, names });
}

const nameOf = (source: string): string => (source === "-" ? "<stdin>" : source);

type Source = { readonly source: string; readonly continues?: string | undefined };
type Read = { readonly markdown: string; readonly parsed: ParsedPlan };

async function readFile(
  { outside, here }: Pick<Call<object>, "outside" | "here">,
  { source, continues }: Source,
): Promise<Result<Read, readonly FileFault[]>> {
  const faults = (problems: readonly (PlanProblem | FileProblem)[]) =>
    err(problems.map((problem) => ({ ...problem, message: describePlanProblem(problem, nameOf(source)) })));
  const markdown = await readPlanFile(source, createInputReader(outside.stdin));
  if (!markdown.ok) return faults(markdown.error);
  const parsed = await checkPlan({ markdown: markdown.value, readYaml: parseYaml, at: here.now, continues });
  return parsed.ok ? ok({ markdown: markdown.value, parsed: parsed.value }) : faults(parsed.error);
}

/** What Silas finds wrong with files that were read: at their places, or as a whole. Null for what is no fault of them. */
export function faultsOf(error: CheckRefusal, names: readonly string[]): readonly FileFault[] | null {
  const placed = placedFaults(error, names);
  if (placed !== null) return placed;
  if (!OF_THE_PLAN.has(error.code)) return null;
  const nowhere = { line: 1, column: 1, key: null, expected: null, nearest: null, found: [] };
  return [{ code: error.code, ...nowhere, message: wordPartsFor(error).what }];
}
const OF_THE_PLAN: ReadonlySet<CheckRefusal["code"]> = new Set(["plan_refused", "proposal_refused", "skill_unusable"]);

function placedFaults(error: ProposeRefusal, names: readonly string[]): readonly FileFault[] | null {
  if (error.code !== "plan_refused" || error.problems === undefined) return null;
  const name = names[error.part ?? 0] ?? "";
  const known = error.problems.filter(isKnownProblem);
  // A running Silas of another version may know problems that this one has no words for.
  if (known.length < error.problems.length) return null;
  return known.map((problem) => ({ ...problem, message: describePlanProblem(problem, name) }));
}

/** The accepted plan; a refusal ends the command with every problem at its place. */
export function takenOrFail<T>(result: Result<T, ProposeRefusal>, names: readonly string[]): T {
  const faults = result.ok ? null : placedFaults(result.error, names);
  if (faults !== null) throw refuseFiles(faults);
  return orFail(result);
}

export const refuseFiles = (faults: readonly FileFault[]): CommandFailure =>
  new CommandFailure({
    what: linesShown(faults.map(({ message }) => message)).join("\n"),
    kept: "Nothing was proposed.",
    next: "Correct the places above; `silas plan check FILE` checks a file.",
  });
