import { setTimeout as wait } from "node:timers/promises";
import { oneLine } from "#base";
import { goalDetailToWire, goalSummaryToWire, type GoalDetail, type GoalSummary } from "#model";
import type { GoalsDoor } from "#ports";
import { orFail } from "../approvals/open-approvals.ts";
import { safeJson } from "../plan/safe-json.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT, type ExitCode } from "../terminal/failure.ts";
import { printTable } from "../terminal/table.ts";
import { withWork } from "../work/open-work.ts";
import { describeGoal, goalRow } from "./goal-lines.ts";

type Options = { readonly json?: boolean };

export const define: Define = (goals, act) => {
  goals.option("--json", "print JSON").action(act(listGoals));
  goals
    .command("list")
    .description("Goals that were approved: when they are checked next, and how they stand.")
    .option("--json", "print JSON")
    .action(act(listGoals));
  goals
    .command("show <id>")
    .description("One goal: its last looks, what failed and what was repaired. An id or a part of it.")
    .option("--json", "print JSON")
    .action(act(showGoal));
  goals
    .command("check <id>")
    .description(
      "Check a goal now. A failure is repaired or asked about as on its schedule. Exits with 1 unless it is well.",
    )
    .option("--json", "print JSON")
    .action(act(checkGoal));
  goals
    .command("leave <id>")
    .description("Do not make up for checks that were missed, where a goal asks about them.")
    .option("--json", "print JSON")
    .action(act(leaveGoal));
  goals
    .command("pause <id>")
    .description("Check a goal no more until it is resumed. A look that was begun goes on to its end.")
    .option("--json", "print JSON")
    .action(act(pauseGoal));
  goals
    .command("resume <id>")
    .description("Check a paused goal on its schedule again.")
    .option("--json", "print JSON")
    .action(act(resumeGoal));
};

const COLUMNS = [
  { header: "ID" },
  { header: "GOAL", flexible: true },
  { header: "STATE" },
  { header: "LAST" },
  { header: "NEXT CHECK", spare: 1 },
  { header: "REPAIRS", spare: 2 },
] as const;

const listGoals: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const goals = await withGoals(call, async (door) => orFail(await door.list()));
  if (options.json) return terminal.line(safeJson({ goals: goals.map(goalSummaryToWire) }));
  if (goals.length === 0) {
    return terminal.note("No goal was approved yet. `silas plan propose GOAL.md` asks for one.");
  }
  printTable(terminal, { columns: COLUMNS, rows: goals.map(goalRow) });
};

const showGoal: Handler<Options> = async (call) => {
  const detail = await withGoals(call, async (door) => {
    const { goalId } = await findGoal(door, call.args[0] ?? "");
    return orFail(await door.show(goalId));
  });
  print(call, detail);
};

const LOOK_AGAIN_MS = 150;

const checkGoal: Handler<Options> = async (call): Promise<ExitCode> => {
  const detail = await withGoals(call, async (door) => {
    const { goalId } = await findGoal(door, call.args[0] ?? "");
    let seen = orFail(await door.check(goalId, { kind: "terminal" }));
    // A repair that was approved in advance is waited for; a question to the owner is not.
    while (seen.status === "repairing") {
      await wait(LOOK_AGAIN_MS);
      seen = orFail(await door.show(goalId));
    }
    return seen;
  });
  print(call, detail);
  if (detail.status === "waiting_for_you") return EXIT.needsDecision;
  return detail.status === "healthy" ? EXIT.ok : EXIT.failed;
};

const leaveGoal: Handler<Options> = (call) => turn(call, "leave");
const pauseGoal: Handler<Options> = (call) => turn(call, "pause");
const resumeGoal: Handler<Options> = (call) => turn(call, "resume");

async function turn(call: Call<Options>, verb: "leave" | "pause" | "resume"): Promise<void> {
  const detail = await withGoals(call, async (door) => {
    const { goalId } = await findGoal(door, call.args[0] ?? "");
    return orFail(await door[verb](goalId, { kind: "terminal" }));
  });
  print(call, detail);
}

function print({ options, terminal }: Call<Options>, detail: GoalDetail): void {
  if (options.json) return terminal.line(safeJson(goalDetailToWire(detail)));
  for (const line of describeGoal(detail)) terminal.line(line);
}

const withGoals = <T>(call: Call<Options>, talk: (goals: GoalsDoor) => Promise<T>): Promise<T> =>
  withWork(call, (work) => talk(work.goals));

const ID_PART_CHARS_MIN = 4;

/** The goal a typed id means: all of it, or a beginning or an end that fits one alone. */
async function findGoal(door: GoalsDoor, typed: string): Promise<GoalSummary> {
  const listed = orFail(await door.list());
  const isPart = typed.length >= ID_PART_CHARS_MIN;
  const exact = listed.filter(({ goalId, requestId }) => goalId === typed || requestId === typed);
  const fits = listed.filter(({ goalId }) => isPart && (goalId.startsWith(typed) || goalId.endsWith(typed)));
  const [found, ...more] = exact.length > 0 ? exact : fits;
  if (found !== undefined && more.length === 0) return found;
  throw new CommandFailure({
    what: found === undefined ? `There is no goal ${oneLine(typed)}.` : `${oneLine(typed)} fits ${fits.length} goals.`,
    kept: "Nothing was changed.",
    next: "`silas goals` shows the ids.",
  });
}
