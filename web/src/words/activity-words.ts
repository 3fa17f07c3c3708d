import { plural } from "./plural.ts";

type Away = { readonly count: number; readonly failed: number; readonly isAll: boolean };

/** The catalogue's part about what happened and the chain that proves it. */
export const activityWords = {
  activity: {
    lead: "Everything Silas did, and who approved it.",
    who: "Who",
    all: "All",
    by: { owner: "Devices", terminal: "Terminal", system: "Silas" },
    actor: {
      owner: "A signed-in device",
      terminal: "The terminal of this machine",
      system: "Silas itself",
      model: "A model, which can only ask",
    },
    state: { done: "Done", failed: "Did not succeed", unfinished: "No end recorded" },
    empty: "Nothing is recorded yet. What is done here appears in sentences, newest first.",
    noneOf: "Nothing of this among what is shown.",
    earlier: "Show earlier",
    openProof: "Show the proof",
    ofRun: (count: number) => `${plural(count, { one: "entry", many: "entries" })} of the same run before it`,
    away: (since: string) => `While you were away since ${since}:`,
    awayBody: ({ count, failed, isAll }: Away) => {
      const entries = isAll ? plural(count, { one: "entry", many: "entries" }) : `more than ${count} entries`;
      return failed === 0
        ? `${entries}, and nothing of it went wrong.`
        : `${entries}, ${failed} of them did not end well.`;
    },
  },
  chain: {
    checking: "Checking the chain",
    holds: (count: number) => `Chain verified, ${plural(count, { one: "entry", many: "entries" })}`,
    newHold: (count: number) => `New entries verified: ${count}`,
    checkAll: "Check all entries",
    broken: "Chain broken",
    brokenBody: (count: number) =>
      `${plural(count, { one: "entry", many: "entries" })} before that could be verified. Nothing was repaired. Keep a copy of the data directory, and look closer in a terminal:`,
    command: "silas audit verify --full",
    unchecked: "Chain not checked while offline",
    failed: "The chain could not be checked",
  },
  proof: {
    title: (seq: number) => `Entry ${seq}`,
    event: "Event",
    outcome: "Outcome",
    who: "Who",
    when: "When",
    place: "Place in the chain",
    placeOf: (seq: number, last: number) => `${seq} of ${last}`,
    hash: "Hash of this entry",
    previous: "Hash of the entry before",
    data: "Recorded data",
    copy: (what: string) => `Copy: ${what}`,
    check: "The hash covers all of this and the hash before it. The whole chain is checked by",
  },
};
