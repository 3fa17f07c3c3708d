import { err, ok, type Result } from "#base";
import type { Database } from "../database.ts";
import { faultFrom } from "../fault.ts";

export type GroupCommit = <T, E>(work: () => Result<T, E>) => Promise<Result<T, E>>;

type Answer = Result<unknown, unknown>;
type Waiting = {
  readonly work: () => Answer;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (cause: unknown) => void;
};

type GroupParts = {
  readonly db: Database;
  /** Runs in each commit behind its work: what needs doing once for all of it. */
  readonly beforeCommit: () => void;
};

/**
 * Commits concurrent work together: each commit waits for the disk, so one commit for many callers is many times faster
 * than one each. Work that is refused or throws is rolled back alone, for which the whole group may run a second time; a
 * commit that fails rejects for all of its callers. What SQLite throws arrives as a `Fault`.
 */
export function createGroupCommit(parts: GroupParts): GroupCommit {
  let waiting: Waiting[] = [];
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    try {
      commit(parts, group);
    } catch (cause) {
      for (const one of group) fail(one, cause);
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

function commit(parts: GroupParts, group: readonly Waiting[]): void {
  const [first] = group;
  if (first === undefined) return;
  if (group.length === 1) return first.resolve(commitOne(parts, first));
  const answers = commitAll(parts, group);
  if (answers === null) return commitApart(parts, group);
  answers.forEach((answer, index) => group[index]?.resolve(answer));
}

const commitOne = ({ db, beforeCommit }: GroupParts, { work }: Waiting): Answer =>
  db.transaction(() => {
    const answer = work();
    if (answer.ok) beforeCommit();
    return answer;
  });

/** The usual case: every one succeeds. Null when one does not, and then nothing is written. */
function commitAll({ db, beforeCommit }: GroupParts, group: readonly Waiting[]): readonly Answer[] | null {
  const answers: Answer[] = [];
  const committed = db.transaction((): Result<void, null> => {
    for (const { work } of group) {
      const answer = attempt(work);
      if (!answer.ok || !answer.value.ok) return err(null);
      answers.push(answer.value);
    }
    beforeCommit();
    return ok();
  });
  return committed.ok ? answers : null;
}

/** Each in a savepoint of its own. */
function commitApart({ db, beforeCommit }: GroupParts, group: readonly Waiting[]): void {
  const settled: (() => void)[] = [];
  db.transaction(() => {
    for (const one of group) settled.push(inSavepoint(db, one));
    beforeCommit();
    return ok();
  });
  for (const settle of settled) settle();
}

/** Answers with how to settle its caller once the commit stands. */
function inSavepoint(db: Database, one: Waiting): () => void {
  db.run("SAVEPOINT one");
  const answer = attempt(one.work);
  if (!answer.ok || !answer.value.ok) undo(db, answer);
  db.run("RELEASE one");
  return () => (answer.ok ? one.resolve(answer.value) : fail(one, answer.error));
}

function fail({ reject }: Waiting, cause: unknown): void {
  try {
    reject(faultFrom(cause));
  } catch (bug) {
    reject(bug);
  }
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
