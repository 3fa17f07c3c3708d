import { addDays, LIMITS, type Instant, type LocalDate } from "#base";
import type { ActivityItem, AuditQuery } from "#model";
import { readActivity } from "#runtime";
import { auditFailure, withAudit } from "../audit/chain.ts";
import { loadSetup } from "../client/setup.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { usage } from "../terminal/failure.ts";
import { instantAt, parseDay, showDay, showTime } from "../terminal/local-time.ts";

type Options = { readonly day?: string; readonly limit: string; readonly json?: boolean };

export const define: Define = (activity, act) => {
  activity
    .option("--day <day>", "only this day, 2026-11-15 or yesterday")
    .option("--limit <rows>", "at most this many", "100")
    .option("--json", "print JSON")
    .action(act(showActivity));
};

const showActivity: Handler<Options> = async ({ options, terminal, environment, here }) => {
  if (!/^[1-9]\d{0,2}$/.test(options.limit) || Number(options.limit) > LIMITS.pageRows) {
    throw usage(`--limit is a number from 1 to ${LIMITS.pageRows}, not "${options.limit}".`);
  }
  const times = options.day === undefined ? { from: null, to: null } : boundsOf(parseDay(options.day, here));
  const query: AuditQuery = { ...times, beforeSeq: null, limit: Number(options.limit) };
  const gates = loadSetup(environment).config.gates.system;
  const page = await withAudit(environment, (audit) => readActivity({ audit, titles: audit, gates }, query));
  if (!page.ok) throw auditFailure(page.error);
  if (options.json) return terminal.json(page.value);
  const { items, next_before_seq: next } = page.value;
  if (items.length === 0) return terminal.note("Nothing was recorded.");
  let day: string | null = null;
  for (const item of items) {
    if (showDay(item.at) !== day) {
      if (day !== null) terminal.line();
      day = showDay(item.at);
      terminal.line(terminal.paint.bold(day));
    }
    terminal.line(`  ${showTime(item.at)}  ${markOf(item)}${item.sentence}`);
  }
  if (next !== null) terminal.note("There is more; --limit shows more, --day shows one day.");
};

const boundsOf = (day: LocalDate): { readonly from: Instant; readonly to: Instant } => ({
  from: instantAt(day, { hour: 0, minute: 0 }),
  to: instantAt(addDays(day, 1), { hour: 0, minute: 0 }),
});

const markOf = ({ state }: ActivityItem): string => (state === "unfinished" ? "? " : state === "failed" ? "! " : "");
