import { reasonWords } from "../audit/reason-words.ts";
import type { Cycle, FoundItems } from "./goal-records.ts";
import type { GoalStatus } from "./goal-wire.ts";

/** How a goal stands, in the words of the page and the terminal alike. */
export const GOAL_STATES: Readonly<Record<GoalStatus, string>> = {
  healthy: "Well",
  failing: "Does not hold",
  repairing: "Is being repaired",
  waiting_for_you: "Waits for you",
  paused: "Paused",
  never_checked: "Not checked yet",
};

/** A schedule in words where they are short and certain; else the fields as they are written. */
export function scheduleWords(schedule: string | null): string {
  if (schedule === null) return "only when you ask";
  if (schedule === "always_on") return "every minute, always on";
  const [minute = "", hour = "", ...rest] = schedule.split(/ +/);
  const days = daysOf(rest);
  if (days !== null && isNumber(hour) && isNumber(minute)) {
    return `${days} at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  }
  if (days === "every day" && hour === "*") {
    const step = /^\*\/(\d+)$/.exec(minute)?.[1];
    if (minute === "*" || step === "1") return "every minute";
    if (step !== undefined && 60 % Number(step) === 0) return `every ${step} minutes`;
    if (isNumber(minute)) return `every hour at minute ${Number(minute)}`;
  }
  return `by ${schedule}`;
}

const isNumber = (field: string): boolean => /^\d+$/.test(field);
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** The three fields of the day in words; null where they are not short and certain. */
function daysOf([day = "", month = "", weekday = ""]: readonly string[]): string | null {
  if (day === "*" && month === "*") {
    if (weekday === "*") return "every day";
    const [from, to] = weekday.split("-").map((each) => (isNumber(each) ? WEEKDAYS[Number(each)] : undefined));
    if (from === undefined || weekday.split("-").length > 2) return null;
    if (!weekday.includes("-")) return `every ${from}`;
    return to === undefined ? null : `every ${from} to ${to}`;
  }
  if (weekday !== "*" || !isNumber(day)) return null;
  if (month === "*") return `on day ${Number(day)} of every month`;
  const name = isNumber(month) ? MONTHS[Number(month) - 1] : undefined;
  return name === undefined ? null : `every year on ${Number(day)} ${name}`;
}

/** Where a cycle stands or how it ended, as one short line. */
export function cycleLine({ state, ended, reason, repair, found, ...cycle }: Cycle): string {
  const last = cycle.recheck ?? cycle.results;
  const isEmpty = ended === "healthy" && last.length > 0 && cycle.isVerified === false;
  const passes = `${last.filter((result) => result.passed).length} of ${last.length} passed`;
  const checks = isEmpty ? `${passes}, none of which can fail` : passes;
  const passed = found === null ? checks : foundWords(found, last.length === 0 ? "" : `${checks}, `);
  if (ended === "healthy") return repair === null ? `Well, ${passed}` : `Repaired, ${passed}`;
  if (ended !== null) {
    const why = reason === null ? null : goalReason(reason);
    return why === null ? `Does not hold, ${passed}` : `Does not hold, ${passed}: ${why}`;
  }
  if (state === "waiting" || state === "asking")
    return `Waits for your decision: ${whyAsked(repair?.whyAsked ?? null)}`;
  return state === "rechecking" ? "Checks again after its repair" : "Is being repaired";
}

function foundWords({ inBatches, inQuestions, candidates }: FoundItems, checks: string): string {
  const asked = inBatches + inQuestions;
  const later = candidates - asked;
  const rest = later === 0 ? "" : `, ${later} later`;
  if (asked === 0) return `${checks}${later === 0 ? "nothing to ask about" : `${later} wait for what you decide`}`;
  return `${checks}asked about ${asked === 1 ? "1 file" : `${asked} files`}${rest}`;
}

const whyAsked = (code: string | null): string => (code === null ? "it needs one" : goalReason(code));

/** Why a look ended as it did, or the owner was asked. */
export const goalReason = (code: string): string => REASONS[code] ?? reasonWords(code);

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
  standing_limit_scope: "limits you approved let no approval stand",
  standing_limit_uses: "a limit you approved lets an approval stand for fewer repairs",
  standing_limit_days: "a limit you approved lets an approval stand for a shorter time",
  approval_spent: "the repairs that were approved in advance are used up",
  approval_void: "the repairs approved in advance are void since an older database was put back",
  uses_exhausted: "the repairs that were approved in advance are used up",
  approval_not_yet_valid: "the repairs were approved in advance at a time that this clock has not reached",
  approval_expired: "the time of the repairs approved in advance is over",
  approval_key_revoked: "the key that approved repairs in advance was revoked",
  folder_refused: "its folder cannot be looked at",
  folder_unreadable: "its folder cannot be read",
  too_many_pending: "too many requests wait already",
};
