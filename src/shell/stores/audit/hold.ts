import { err, ok, type Instant, type Result } from "#base";
import { VOIDED_ACT, type AuditActor, type AuditRules, type Hold, type StoreFault } from "#model";
import type { JournalStore } from "#ports";
import type { Sqlite } from "../sqlite.ts";
import { guardedValue } from "../store-fault.ts";
import type { HeadsFile } from "./heads.ts";
import { createAuditLog, type RecordAct } from "./log.ts";
import { keptHeadOf } from "./marks.ts";
import type { Migrated } from "./migrations.ts";
import { judgePlace, type PlaceProblem } from "./place.ts";
import { headOf, sourceOf, type ReaderParts } from "./read.ts";

/** Why the stores refuse every write, and the owner's way out of it. */
export type StoreHold = {
  /** Null when nothing is held, or no longer. */
  current(): Hold | null;
  /** Voids every unused approval by one entry of the chain, notes this state as the newest and lets writes through. */
  accept(by: { readonly at: Instant; readonly actor: AuditActor }): Result<void, StoreFault>;
};

const NO_HOLD: StoreHold = { current: () => null, accept: () => ok() };

type HoldParts = {
  readonly problem: PlaceProblem;
  /** The connection of the stores, which is frozen. */
  readonly db: Sqlite;
  /** A connection of its own that still writes: for signing in, and for accepting. */
  readonly own: Sqlite;
  readonly recordAct: RecordAct;
  readonly rules: AuditRules;
  readonly heads: HeadsFile;
  readonly onAccepted: () => Result<void, StoreFault>;
};

type Opening = ReaderParts & {
  readonly db: Sqlite;
  readonly recordAct: RecordAct;
  readonly recordMigrations: (migrated: Migrated) => Result<void, StoreFault>;
};

/**
 * Compares the database with what is noted beside it, and freezes it where they differ. Signing in works all the same,
 * by a connection of its own: the owner has to get to the card.
 */
export function openHeld(opening: Opening) {
  const { db, rules, heads, recordAct, recordMigrations } = opening;
  const problem = judgePlace(opening);
  if (problem === null) return { hold: NO_HOLD, own: db, recordOwn: recordAct, recordMigrations, close: db.close };
  const own = db.openSibling();
  const recordOwn = createAuditLog({ db: own, rules, heads }).recordAct;
  let later: Migrated | null = null;
  const onAccepted = () => (later === null ? ok() : recordMigrations(later));
  return {
    hold: createHold({ problem, db, own, recordAct: recordOwn, rules, heads, onAccepted }),
    own,
    recordOwn,
    recordMigrations: (migrated: Migrated): Result<void, StoreFault> => {
      later = migrated;
      return ok();
    },
    close: () => {
      own.close();
      db.close();
    },
  };
}

/** Freezes the stores at once. */
function createHold({ problem, db, own, recordAct, rules, heads, onAccepted }: HoldParts): StoreHold {
  const { reason, lost } = problem;
  let isHeld = true;
  db.freeze();
  return {
    current: () => {
      if (!isHeld) return null;
      const { seq, hash } = headOf({ db, rules });
      return { reason, seq, hash, missing: lost === null ? null : Math.max(0, lost.seq - seq) };
    },
    accept: ({ at, actor }) => {
      if (!isHeld) return ok();
      const accepted = guardedValue(() => {
        own.transaction(() => {
          recordAct({ event: "approvals_voided", data: { act_id: VOIDED_ACT, reason, replaced: lost }, at, actor });
          return ok();
        });
        noteAnew({ db: own, rules, heads }, at);
      });
      if (!accepted.ok) return accepted;
      isHeld = false;
      db.thaw();
      return onAccepted();
    },
  };
}

/**
 * Takes what is noted beside the database from the database itself: the heads of its checkpoints, and its last entry.
 * Only for a database that the owner chose; what was noted before stays beside it under another name.
 */
export function noteAnew(parts: ReaderParts, at: Instant): void {
  const source = sourceOf(parts);
  const kept = source.checkpointsFrom(1).flatMap((checkpoint) => keptHeadOf({ ...parts, source }, checkpoint) ?? []);
  parts.heads.replace(kept, at);
  parts.heads.note(headOf(parts));
}

/** The journal is another file, and as read-only as the rest. */
export function holdJournal(journal: JournalStore, hold: StoreHold): JournalStore {
  const refused = err({ code: "store_read_only", retryable: false } as const);
  return {
    ...journal,
    commit: async (commit) => (hold.current() === null ? journal.commit(commit) : refused),
    importRecords: async (records) => (hold.current() === null ? journal.importRecords(records) : refused),
  };
}
