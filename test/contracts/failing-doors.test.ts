import { describe, expect, test } from "vitest";
import { failEachStatement, failingStatements, loggedFaults, type CallUnderFault } from "#sim";
import { homeDir, openDesk } from "./batch-fixture.ts";
import { DONE, DOORS } from "./door-calls.ts";

/** What a call does in spite of a fault: it is told in the log, or it is one of those that need no word. */
const IN_SPITE: Readonly<Record<string, readonly string[]>> = {
  // The decision is kept, and its message is delivered again.
  "decide: approve what lets nothing run": ["decision_not_settled"],
  "decide: decline": ["goals_unreadable"],
  // A card about words that are gone does nothing.
  change: ["memory_promotion_not_withdrawn"],
  forget: ["memory_promotion_not_withdrawn"],
  "journal exportLines": ["audit_append_failed"],
  // Everything is stopped all the same, until Silas ends.
  stop: ["stop_not_recorded"],
  // What was approved since is taken up at the next look.
  "goals: show": ["goals_unreadable"],
  "goals: list": ["goals_unreadable"],
  "goals: pause": ["goals_unreadable"],
  "goals: resume": ["goals_unreadable"],
};

/**
 * The number of what waits is counted for open pages, and queues are read, after the call has its answer. A message whose
 * end could not be kept is delivered again, and so is that of a run which an earlier call let begin and which could not be
 * read or ended.
 */
const AFTERWARDS: ReadonlySet<string> = new Set([
  "review_count_failed",
  "queue_unreadable",
  "message_unsettled",
  "run_stopped",
  // A card that is withdrawn is declined. Nobody waits for what follows from that.
  "decision_not_settled",
]);

/** A stop that cannot be read counts as one, and an entry that only adds to the chain is not worth refusing the call. */
const UNSAID: Readonly<Record<string, RegExp>> = {
  "autonomy: check": /global_stops/,
  "the key of a device: offer": /^BEGIN|^COMMIT|audit_entries/,
  receive: /^BEGIN|^COMMIT|audit_entries|global_stops/,
  "receive from a stranger": /^BEGIN|^COMMIT|audit_entries|global_stops/,
  say: /^BEGIN|^COMMIT|audit_entries|global_stops/,
  list: /^BEGIN/,
};

/** Readers of the queue ask it beside any call. For whoever shows the stop itself, saying nothing would be wrong. */
const isStopOfReader = (name: string, sql: string): boolean =>
  sql.includes("FROM global_stops WHERE ended_at IS NULL") && !name.startsWith("stop");

function judge(name: string, { sql, answer, logged }: CallUnderFault): string | null {
  if (!answer.ok) return answer.error.code === "store_busy" ? null : `${name}: ${answer.error.code} after ${sql}`;
  const own = logged.filter((event) => !AFTERWARDS.has(event));
  if (own.some((event) => !IN_SPITE[name]?.includes(event))) return `${name}: ok, logged ${own.join(" ")}`;
  const needsNoWord = UNSAID[name]?.test(sql) === true || isStopOfReader(name, sql);
  return logged.length > 0 || needsNoWord ? null : `${name}: ok, and nothing said of ${sql}`;
}

describe("a call during which the database fails", () => {
  test.each(Object.entries(DOORS))(
    "of %s answers with that fault or has logged what it could not do, and works when it is made again",
    async (_door, calls) => {
      const failing = failingStatements();
      const faults = loggedFaults();
      const desk = await openDesk({}, homeDir(), 0, { onStatement: failing.onStatement, log: faults.log });
      for (const [name, prepare] of Object.entries(calls)) {
        const done = DONE[name];
        const call = { prepare, ...(done === undefined ? {} : { done }) };
        const tried = await failEachStatement(call, { place: desk, failing, faults });
        expect(tried.length, name).toBeGreaterThan(0);
        expect(tried.flatMap((one) => judge(name, one) ?? [])).toEqual([]);
        const spited = tried.flatMap(({ answer, logged }) => (answer.ok ? logged : []));
        for (const event of IN_SPITE[name] ?? []) expect(spited, name).toContain(event);
      }
    },
  );
});
