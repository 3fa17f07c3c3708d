import { setImmediate as turn } from "node:timers/promises";
import { assert, type Result } from "#base";
import type { Log } from "#ports";

/** A database whose n-th statement fails, counted from when it was told so. */
export type FailingStatements = {
  readonly onStatement: (sql: string) => void;
  failAt(statement: number): void;
  /** Ends the trouble; answers with the statement that failed, if it came to that. */
  heal(): string | null;
};

export function failingStatements(): FailingStatements {
  let left = 0;
  let failed: string | null = null;
  return {
    onStatement(sql) {
      if (left === 0) return;
      left -= 1;
      if (left > 0) return;
      failed = sql;
      throw Object.assign(new Error("simulated failure"), { code: "ERR_SQLITE_ERROR", errcode: 5 });
    },
    failAt(statement) {
      left = statement;
      failed = null;
    },
    heal() {
      left = 0;
      return failed;
    },
  };
}

export type LoggedFaults = { readonly log: Log; readonly events: () => readonly string[]; clear(): void };

/** Keeps the names of the faults that were logged. */
export function loggedFaults(): LoggedFaults {
  let events: readonly string[] = [];
  const keep = (event: string): void => void (events = [...events, event]);
  return { log: { info: () => {}, warn: keep, error: keep }, events: () => events, clear: () => void (events = []) };
}

type DoorAnswer = Result<unknown, { readonly code: string }>;
export type DoorCall<Place> = {
  /** Makes what the call needs, and answers with the call itself. */
  readonly prepare: (place: Place) => Promise<() => Promise<DoorAnswer>>;
  /** How it is refused once it was done: what failed then was only the answer. */
  readonly done?: string;
};
export type CallUnderFault = {
  /** What failed in the call, and how the call answered. */
  readonly sql: string;
  readonly answer: DoorAnswer;
  readonly logged: readonly string[];
};

type Trying<Place> = { readonly place: Place; readonly failing: FailingStatements; readonly faults: LoggedFaults };

/**
 * Makes a call again and again, each time with its next statement failing, until none is left to fail; then it must
 * succeed. Only a call that was made, in spite of a fault or before it, is prepared anew.
 */
export async function failEachStatement<Place>(
  { prepare, done }: DoorCall<Place>,
  { place, failing, faults }: Trying<Place>,
): Promise<readonly CallUnderFault[]> {
  const tried: CallUnderFault[] = [];
  let call = await prepare(place);
  for (let at = 1; at <= STATEMENTS_MAX; at += 1) {
    await settled();
    faults.clear();
    failing.failAt(at);
    const answer = await call();
    await settled();
    const sql = failing.heal();
    if (!answer.ok && answer.error.code === done) {
      at -= 1;
      call = await prepare(place);
      continue;
    }
    if (sql === null) {
      assert(answer.ok, `undisturbed it succeeds: ${JSON.stringify(answer)}`);
      return tried;
    }
    tried.push({ sql, answer, logged: faults.events() });
    if (answer.ok) call = await prepare(place);
  }
  throw new Error("it does not come to an end");
}

const STATEMENTS_MAX = 500;

/** What a call set off goes on for a few turns after its answer. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await turn();
}
