import { stepPlace, type RunRecordBody, type WorkSummaryBody } from "#model";
import { plural } from "./plural.ts";

type Ended = Pick<RunRecordBody, "status" | "is_verified" | "results" | "last_error">;
type Under = Pick<WorkSummaryBody, "progress" | "signs_in"> & {
  readonly run: Pick<RunRecordBody, "status" | "consult">;
};

const reasonOf = ({ last_error: error }: Ended): string => error ?? "No reason was kept";

/** The catalogue's part about runs: what is done right now, how it ended, and what to do then. */
export const workWords = {
  work: {
    title: "Run",
    running: "Running now",
    loading: "Reading this run",
    /** Where a run is, while it is on its way. */
    now: ({ run, progress, signs_in: signsIn }: Under): string => {
      if (run.status === "pending")
        return signsIn === true ? "Waits until you have signed in again" : "Waits for its turn";
      if (run.status === "paused") return "Paused";
      if (run.status === "waiting") return "Waits for your decision";
      if (run.status === "verifying") return progress?.step === null ? `Checking: ${progress.name}` : "Checking it";
      if (run.consult !== undefined) return "Asks the planner for advice";
      if (progress === null) return "Preparing its workspace";
      return progress.step === null ? `Checking: ${progress.name}` : `Step ${stepPlace(progress)}: ${progress.name}`;
    },
    tasks: ({ done, all, going }: { readonly done: number; readonly all: number; readonly going: readonly string[] }) =>
      `${done} of ${plural(all, { one: "task", many: "tasks" })} done${going.length === 0 ? "" : `, now: ${going.join(", ")}`}`,
    attempt: (count: number) => `attempt ${count}`,
    elapsed: "Since it began",
    still: (time: string) => `Still working, nothing new for ${time}`,
    lastLine: "Last line it printed",
    pause: {
      name: "Pause",
      of: (title: string) => `Pause: ${title}`,
      asked: "Pauses after this step",
      said: "it pauses after the step it is in",
    },
    resume: {
      name: "Go on",
      of: (title: string) => `Go on with: ${title}`,
      asked: "Goes on",
      said: "it goes on",
    },
    stopAll: "Stop everything",
    stop: "Stop",
    stopOf: (title: string) => `Stop: ${title}`,
    stopping: "Stopping",
    stopOffline: "Silas cannot be reached, so it cannot be stopped from here.",
    offline: "Not connected: this is how it was.",
    notStopped: "It could not be stopped. It may be over already.",
    openOf: (title: string) => `Show the run of: ${title}`,
    /** How a run ended, the same wherever it is shown. */
    outcome: (run: Ended): string => {
      const passed = run.results.filter((result) => result.passed).length;
      if (run.status === "done")
        return run.is_verified ? `Done, checked ${passed} of ${run.results.length}` : "Done, not checked";
      if (run.status === "cancelled") return "Stopped by you";
      if (run.status === "failed") return `Failed. ${reasonOf(run)}`;
      if (run.status === "stuck") return `Not done. ${reasonOf(run)}`;
      if (run.status === "blocked") return `Blocked: ${reasonOf(run)}`;
      return run.status === "in_doubt" ? `In doubt: ${reasonOf(run)}` : "Runs now";
    },
    doubtfulStep: (step: number) => `In doubt: step ${step} may or may not have happened`,
    said: (title: string, outcome: string) => `${title}: ${outcome}.`,
    next: {
      checked: "Every check of the plan passed, outside of the work itself.",
      empty: "Its checks come out the same whatever is done, so nothing confirmed the result. Look at it yourself.",
      unchecked: "The plan has no checks, so nothing outside of it confirmed the result. Look at it yourself.",
      cancelled: "It ended at once. What it had already changed outside of its workspace stays changed.",
      failed: "The other tasks were not begun. Mend what is named here, then propose the project again.",
      stuck: "It is not tried again. Change the plan in its file and propose it again.",
      /** What follows is said by the planner's line below it. */
      replanned: "It is not tried again.",
      blocked: "Mend what is named here, then propose the plan again.",
      in_doubt:
        "Its end was never seen, and it is not repeated by itself. Look whether it happened; propose the plan again only if it may happen once more.",
    },
    runsNow: "It runs now.",
    goesOn: "Its run goes on.",
    signIn: "Sign in",
    signInOf: (title: string) => `Sign in again for the next step of: ${title}`,
    decide: "Decide",
    decideOf: (title: string) => `Decide about the next step of: ${title}`,
    taskWaits: (names: string) => `Waits for your decision: ${names}`,
    steps: "Steps",
    noSteps: "No step has begun.",
    attemptHeading: (count: number) => `Attempt ${count}`,
    stepState: {
      started: "Under way",
      succeeded: "Done",
      failed: "Failed",
      stopped: "Stopped",
      in_doubt: "In doubt",
      left: "Not finished",
    },
    toCome: "To come",
    took: (time: string) => `took ${time}`,
    milliseconds: (count: number) => `${count} ms`,
    seconds: (count: string) => `${count} s`,
    end: {
      exit: (code: number) => `exit code ${code}`,
      signal: (signal: string) => `ended by ${signal}`,
      timeout: "ran out of time",
      limit: (which: string) => `reached its limit of ${which}`,
    },
    output: "Output",
    answer: "Answer",
    answerTo: (step: string) => `Answer: ${step}`,
    tokens: (count: number) => plural(count, { one: "token", many: "tokens" }),
    outputOf: (step: string) => `Output of ${step}`,
    checks: "Checks",
    checksOf: (passed: number, all: number) => `${passed} of ${all} passed`,
    noChecks: "The plan has none: the result is not checked.",
    checksNotRun: "None has run.",
    checksWaiting: "They run after the last step, in a second sandbox that can only read.",
    passed: "Passed",
    failed: "Failed",
    expected: "Expected",
    command: "Command",
    artifacts: "What it left",
    bytes: (count: number) => plural(count, { one: "byte", many: "bytes" }),
    copyHash: (name: string) => `Copy the hash of ${name}`,
    facts: { began: "Began", ended: "Ended", attempts: "Attempts", id: "Run", hash: "Plan hash" },
    toRequest: "The decision",
    receipt: "Receipt",
    activity: "Activity",
    unknown: "There is no such run",
    unknownBody: "It may be from another installation, or its address is incomplete.",
    toReview: "Go to Review",
    homeLine: (count: number) => `${count} more`,
  },
};
