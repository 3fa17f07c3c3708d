import { oneLine } from "#base";
import { cycleLine, GOAL_STATES, type Cycle, type GoalDetail, type GoalSummary } from "#model";
import { showMoment } from "../terminal/local-time.ts";
import { resultLines } from "../work/run-lines.ts";

/** Ids made in the same hour begin alike, so their end is shown where they are long. */
const ID_CHARS = 16;
const shortId = (id: string): string => (id.length <= ID_CHARS ? id : id.slice(-8));

export const goalRow = (goal: GoalSummary): readonly string[] => [
  shortId(goal.goalId),
  oneLine(goal.title),
  GOAL_STATES[goal.status],
  goal.lastCycle === null ? "-" : `${goal.lastCycle.passed} of ${goal.lastCycle.total}`,
  goal.nextDue === null ? "-" : showMoment(goal.nextDue),
  goal.repairsMax === 0 ? "ask" : `${goal.repairsUsed} of ${goal.repairsMax} used`,
];

/** Everything about a goal, for a person. What checks printed is made safe to show. */
export function describeGoal(goal: GoalDetail): readonly string[] {
  const { cycles, lastCycle, standingUntil } = goal;
  return [
    oneLine(goal.title),
    `  State     ${stateWords(goal)}`,
    `  Goal      ${goal.goalId}`,
    `  Request   ${goal.requestId}`,
    `  Checked   ${goal.scheduleWords}, ${goal.timeZone}`,
    `  Next      ${goal.nextDue === null ? "not planned" : showMoment(goal.nextDue)}`,
    ...(lastCycle === null
      ? []
      : [`  Last      ${showMoment(lastCycle.at)}, ${lastCycle.passed} of ${lastCycle.total} passed`]),
    standingUntil === null
      ? "  Repairs   each is asked for"
      : `  Repairs   ${goal.repairsUsed} of ${goal.repairsMax} used, until ${showMoment(standingUntil)}`,
    ...streamLines(goal.stream),
    ...(cycles.length === 0 ? [] : ["Looks", ...cycles.slice(0, LOOKS_SHOWN).map(cycleRow)]),
    ...(cycles[0] === undefined ? [] : resultLines(cycles[0].recheck ?? cycles[0].results)),
  ];
}

const HEARD = { every_user_message: "messages", every_agent_response: "replies" } as const;

/** What it is to the conversation, for a goal that says something about messages. */
function streamLines(stream: GoalDetail["stream"]): readonly string[] {
  if (stream === null) return [];
  const gates = stream.gates.map(({ name, on }) => `${oneLine(name)} (${HEARD[on]})`).join(", ");
  return [
    `  Messages  ${oneLine(stream.words)}`,
    ...(gates === "" ? [] : [`  Gates     ${gates}`]),
    ...(stream.levels.length === 0 ? [] : [`  Levels    ${stream.levels.map((name) => oneLine(name)).join(", ")}`]),
    ...(stream.mode === "" ? [] : [`  Mode      ${stream.mode}; nothing asks for it yet`]),
  ];
}

/** Why it stands as it does, where there is more to say than that. */
const stateWords = ({ status, statusWords }: GoalDetail): string =>
  statusWords === null || status === "paused" ? GOAL_STATES[status] : oneLine(statusWords);

const LOOKS_SHOWN = 10;

function cycleRow(cycle: Cycle): string {
  const skipped = cycle.skipped === 0 ? "" : `; ${cycle.skipped} left out before it`;
  const run = cycle.repair?.runId ?? null;
  const repair = run === null ? "" : `; repair ${run.slice(-8)}`;
  return `  ${cycle.number}  ${showMoment(cycle.startedAt)}  ${cycleLine(cycle)}${repair}${skipped}`;
}
