import type { Cycle } from "./goal-records.ts";

/** A schedule in words where they are short and certain; else the fields as they are written. */
export function scheduleWords(schedule: string | null): string {
  if (schedule === null) return "only when you ask";
  if (schedule === "always_on") return "every minute, always on";
  const [minute = "", hour = "", ...rest] = schedule.split(/ +/);
  if (rest.join(" ") === "* * *") {
    const step = /^\*\/(\d+)$/.exec(minute)?.[1];
    if (hour === "*") {
      if (minute === "*") return "every minute";
      if (step !== undefined && 60 % Number(step) === 0) return step === "1" ? "every minute" : `every ${step} minutes`;
      if (/^\d+$/.test(minute)) return `every hour at minute ${Number(minute)}`;
    }
    if (/^\d+$/.test(hour) && /^\d+$/.test(minute))
      return `every day at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  }
  return `by ${schedule}`;
}

/** Where a cycle stands or how it ended, as one short line. */
export function cycleLine({ state, ended, reason, repair, results, recheck }: Cycle): string {
  const last = recheck ?? results;
  const passed = `${last.filter((result) => result.passed).length} of ${last.length} passed`;
  if (ended === "healthy") return repair === null ? `Well, ${passed}` : `Repaired, ${passed}`;
  if (ended !== null) {
    const why = reason === null ? null : (REASONS[reason] ?? reason);
    return why === null ? `Does not hold, ${passed}` : `Does not hold, ${passed}: ${why}`;
  }
  if (state === "waiting" || state === "asking")
    return `Waits for your decision: ${whyAsked(repair?.whyAsked ?? null)}`;
  return state === "rechecking" ? "Checks again after its repair" : "Is being repaired";
}

const whyAsked = (code: string | null): string => (code === null ? "it needs one" : (REASONS[code] ?? code));

const REASONS: Readonly<Record<string, string>> = {
  no_checks: "the goal has no checks, so nothing can tell",
  repair_needs_model: "it has no steps, and a repair without steps needs a model",
  repair_blocked: "the repair could not be run",
  repair_in_doubt: "the repair before it ended in doubt",
  still_failing: "the repair did not help",
  declined: "you declined the repair",
  declined_before: "you declined the repair of this failure",
  not_decided: "nobody decided on the repair in time",
  missed_before: "nobody decided on the repair of this failure; it is under Missed",
  standing_missing: "no repairs were approved in advance",
  approval_spent: "the repairs that were approved in advance are used up",
  uses_exhausted: "the repairs that were approved in advance are used up",
  approval_expired: "the time of the repairs approved in advance is over",
  approval_key_revoked: "the key that approved repairs in advance was revoked",
  too_many_pending: "too many requests wait already",
};
