import type { ItemOutcome, NetworkUseBody, SettleChoice } from "#model";
import { plural } from "./plural.ts";

/** The catalogue's part about one run; only the pages that show one load it. */
export const runPageWords = {
  network: {
    title: "Network",
    use: ({ requests, bytes_sent: sent, bytes_received: received }: NetworkUseBody) =>
      `${plural(requests, { one: "request", many: "requests" })}, ${plural(sent, { one: "byte", many: "bytes" })} sent, ${plural(received, { one: "byte", many: "bytes" })} received`,
  },
  said: {
    title: "What the model says",
    note: "Its own words; they decide nothing.",
    next: "It suggests",
  },
  planner: {
    decide: "Decide on the other way",
    show: "Show the other way",
    run: "Show the run of the other way",
  },
  budget: {
    title: "Budget used",
    time: "Time",
    attempts: "Attempts",
    tokens: "Tokens",
    planner: "Advice",
    count: (count: number) => count.toLocaleString(),
    cost: "Cost",
    moment: "under 1 s",
    dollars: (amount: number) => `$${amount}`,
    usedOf: (used: string, of: string) => `${used} of ${of}`,
  },
  after: {
    moved: (done: number, all: number) => `Moved ${done} of ${plural(all, { one: "file", many: "files" })}`,
    putBack: (done: number, all: number) => `Put back ${done} of ${plural(all, { one: "file", many: "files" })}`,
    verified: (passed: number, all: number) => `Verified ${passed}/${all}`,
    unverified: "Not verified: nothing outside confirmed it",
    notAsApproved: "Left as they were",
    notBack: "Not put back",
    undo: "Undo",
    undoOf: (title: string) => `Undo: ${title}`,
    left: (time: string) => `${time} left`,
    undoing: "Putting it back",
    closing: "Closing",
    closed: "Undo closed",
    closedBody: "Its time has passed. The way back is now a batch of its own, with an approval of its own.",
    reverse: "Plan a reversal",
    show: "Show the run",
    showBack: "Show what undo does",
  },
  outcomes: {
    done: "done",
    there_already: "was there already",
    changed: "changed since, left alone",
    gone: "not there any more",
    taken: "another has its name there, left alone",
    not_a_file: "a link or no plain file, left alone",
    other_disk: "on another disk, left alone",
    failed: "could not be moved",
    not_reached: "not reached",
  } satisfies { readonly [O in ItemOutcome]: string },
  project: {
    title: "Tasks",
    of: (done: number, all: number) => `${done} of ${all} done`,
    done: "Done",
    waits: (names: string) => `Waits for ${names}`,
    toProject: "Show the project",
  },
  doubt: {
    title: "In doubt",
    intent: (title: string) => `Did this happen? ${title}`,
    open: (number: number, name: string) => `Step ${number}, ${name}, was begun and its end was never seen.`,
    closed: (number: number, name: string) => `Step ${number}, ${name}, ended; Silas was interrupted after it.`,
    look: "Look here before you decide",
    noPlaces: "Nothing outside of its workspace could have been changed.",
    saw: "What the checks saw after the interruption",
    choices: {
      happened: "It happened",
      again: "Ask for it again",
      leave: "Leave it",
    } satisfies { readonly [C in SettleChoice]: string },
    means: {
      happened: (checks: number) =>
        checks === 0
          ? "Nothing is repeated. The plan has no checks, so the result stays unverified."
          : `Nothing is repeated; the ${plural(checks, { one: "check", many: "checks" })} of the plan decide now.`,
      again: () => "The same plan is proposed once more and needs its own approval.",
      leave: () => "Nothing more is done, and it stays in doubt.",
    } satisfies { readonly [C in SettleChoice]: (checks: number) => string },
    said: {
      happened: "Noted that it happened; the checks decide.",
      again: "Proposed again; it waits for your approval.",
      leave: "Left as it is.",
    } satisfies { readonly [C in SettleChoice]: string },
    settled: {
      happened: "You said that it happened.",
      again: "You asked for it again.",
      leave: "You left it as it is.",
    } satisfies { readonly [C in SettleChoice]: string },
    decide: "Say what became of it",
    busy: "Keeping your answer",
  },
};
