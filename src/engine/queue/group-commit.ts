import { err, ok, type Result } from "#base";
import type { Database } from "../database.ts";

type GroupCommit = <T, E>(work: () => Result<T, E>) => Promise<Result<T, E>>;

type Answer = Result<unknown, unknown>;
type Waiting = {
  readonly work: () => Answer;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (cause: unknown) => void;
};

/**
 * Commits concurrent work together: each commit waits for the disk, so one commit for many callers is many times faster
 * than one each. Work that is refused or throws is rolled back alone, for which the whole group may run a second time; a
 * commit that fails rejects for all of its callers.
 */
export function createGroupCommit(db: Database): GroupCommit {
  let waiting: Waiting[] = [];
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    try {
      commit(db, group);
    } catch (cause) {
      for (const { reject } of group) reject(cause);
    }
  };
  return <T, E>(work: () => Result<T, E>) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result<T, E>>();
    // Callers that run in the same tick are in the same group.
    if (waiting.length === 0) queueMicrotask(flush);
    waiting.push({ work, resolve: resolve as Waiting["resolve"], reject });
    return promise;
  };
}

function commit(db: Database, group: readonly Waiting[]): void {
  const [first, ...others] = group;
  if (first === undefined) return;
  if (others.length === 0) return first.resolve(db.transaction(first.work));
  const answers = commitAll(db, group);
  if (answers === null) return commitApart(db, group);
  for (const [index, { resolve }] of group.entries()) resolve(answers[index] as Answer);
}

/** The usual case: every one succeeds. Null when one does not, and then nothing is written. */
function commitAll(db: Database, group: readonly Waiting[]): readonly Answer[] | null {
  const answers: Answer[] = [];
  const committed = db.transaction((): Result<void, null> => {
    for (const { work } of group) {
      const answer = attempt(work);
      if (!answer.ok || !answer.value.ok) return err(null);
      answers.push(answer.value);
    }
    return ok();
  });
  return committed.ok ? answers : null;
}

/** Each in a savepoint of its own. */
function commitApart(db: Database, group: readonly Waiting[]): void {
  const settled: (() => void)[] = [];
  db.transaction(() => {
    for (const one of group) settled.push(inSavepoint(db, one));
    return ok();
  });
  for (const settle of settled) settle();
}

/** Answers with how to settle its caller once the commit stands. */
function inSavepoint(db: Database, { work, resolve, reject }: Waiting): () => void {
  db.run("SAVEPOINT one");
  const answer = attempt(work);
  if (!answer.ok || !answer.value.ok) undo(db, answer);
  db.run("RELEASE one");
  return () => (answer.ok ? resolve(answer.value) : reject(answer.error));
}

/** SQLite ends the whole transaction by itself after some failures, a full disk among them: those are everyone's. */
function undo(db: Database, answer: Result<Answer, unknown>): void {
  try {
    db.run("ROLLBACK TO one");
  } catch (cause) {
    throw answer.ok ? cause : answer.error;
  }
}

function attempt(work: () => Answer): Result<Answer, unknown> {
  try {
    return ok(work());
  } catch (cause) {
    return err(cause);
  }
}
