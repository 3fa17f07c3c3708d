import { PROBLEM_WORDS, timerToWire, timerWords, type Timer } from "#model";
import { orFail } from "../approvals/open-approvals.ts";
import { safeJson } from "../plan/safe-json.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import { withWork } from "../work/open-work.ts";

type Options = { readonly json?: boolean };

export const define: Define = (timers, act) => {
  timers.option("--json", "print JSON").action(act(listTimers));
};

const COLUMNS = [
  { header: "TIMER" },
  { header: "SCHEDULE", flexible: true },
  { header: "NEXT" },
  { header: "LAST", spare: 1 },
  { header: "IF MISSED", spare: 2 },
] as const;

const listTimers: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const timers = await withWork(call, async (work) => orFail(await work.timers.list()));
  if (options.json) return terminal.line(safeJson({ timers: timers.map(timerToWire) }));
  if (timers.length === 0) return terminal.note("No timer is set. `silas start` sets those of the house.");
  printTable(terminal, { columns: COLUMNS, rows: timers.map(rowOf) });
  for (const { key, problem } of timers)
    if (problem !== null) terminal.note(`${key} is disabled: ${PROBLEM_WORDS[problem]}.`);
};

/** A key begins with its owner. */
const rowOf = ({ key, schedule, timeZone, nextDue, settledThrough, policy }: Timer): readonly string[] => [
  key,
  `${timerWords(schedule)}${timeZone === null ? "" : `, ${timeZone}`}`,
  nextDue === null ? "-" : showMoment(nextDue),
  settledThrough === null ? "-" : showMoment(settledThrough),
  policy,
];
