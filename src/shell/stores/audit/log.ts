import { assert, err, ok, type Result, type Sha256Hex } from "#base";
import { faultOf } from "#engine";
import type { AuditDraft, AuditEntry, AuditHead, AuditRules, InvalidInput, StoreFault } from "#model";
import type { AuditLog } from "#ports";
import type { Sqlite } from "../sqlite.ts";
import type { HeadsFile } from "./heads.ts";
import { writeCheckpoint } from "./checkpoint.ts";
import { createAuditReader, headOf } from "./read.ts";

export type AuditLogParts = { readonly db: Sqlite; readonly rules: AuditRules; readonly heads: HeadsFile };

/** Records an act inside the transaction that does it, so that neither is there without the other. */
export type RecordAct = (draft: AuditDraft) => void;

/** The audit chain on a migrated `silas.db`, and the way into it for the other stores of that file. */
export function createAuditLog(parts: AuditLogParts): { readonly log: AuditLog; readonly recordAct: RecordAct } {
  const log: AuditLog = {
    ...createAuditReader(parts),
    append: createAppend(parts),
    checkpoint: async (mark) => writeCheckpoint({ ...parts, append: (draft) => appendWithin(parts, draft) }, mark),
  };
  return {
    log,
    recordAct: (draft) => {
      assert(parts.db.handle.isTransaction, "an act and its entry are in one transaction");
      const appended = appendWithin(parts, draft);
      if (appended.ok && isNoted(draft)) noteAfterCommit(parts, appended.value);
      assert(appended.ok, `AUD-08 the entry of an act fits its event: ${appended.ok ? "" : appended.error.path}`);
    },
  };
}

/**
 * Acts after which an older database would let something happen a second time, or take back the owner's "no". Each is
 * noted beside the database behind its commit, and before anything follows from it: a program starts only when the note
 * of its run is on the disk. What is newer in the database than beside it was cut off by a crash in between.
 */
const NOTED: ReadonlySet<AuditDraft["event"]> = new Set([
  "approval_granted",
  "approval_used",
  "approvals_voided",
  "run_started",
  "run_ended",
  "everything_stopped",
  "key_revoked",
  "device_revoked",
]);

const isNoted = ({ event }: Pick<AuditDraft, "event">): boolean => NOTED.has(event);

function noteAfterCommit({ db, heads }: AuditLogParts, { seq, hash }: AuditHead): void {
  db.afterCommit(() => heads.note({ seq, hash }));
}

type Appended = Result<AuditEntry, InvalidInput | StoreFault>;
type Answer = (appended: Appended) => void;

/**
 * Appends of one moment share one commit: each still waits for the disk, but they wait together. The head is read inside
 * the transaction, so that a second process appends behind this one and never beside it. [AUD-06]
 */
function createAppend(parts: AuditLogParts): AuditLog["append"] {
  let drafts: AuditDraft[] = [];
  let answers: Answer[] = [];
  const flush = () => {
    const batch = { drafts, answers };
    drafts = [];
    answers = [];
    const appended = appendBatch(parts, batch.drafts);
    batch.answers.forEach((answer, index) => answer(appended[index] ?? FAILED));
  };
  return (draft) =>
    new Promise((answer) => {
      answers.push(answer);
      if (drafts.push(draft) === 1) queueMicrotask(flush);
    });
}

const FAILED = err({ code: "store_failed", retryable: false } as const);

function appendBatch(parts: AuditLogParts, drafts: readonly AuditDraft[]): readonly Appended[] {
  try {
    const done = parts.db.transaction(() => {
      // Read once: inside the transaction nobody else appends.
      let head = headOf(parts);
      const rows: (readonly [seq: number, entry: string, hash: string])[] = [];
      const appended = drafts.map((draft) => {
        const sealed = parts.rules.seal(head, draft);
        if (!sealed.ok) return sealed;
        const { seq, text, hash } = sealed.value;
        const entry = entryOf({ draft, head, sealed: sealed.value });
        rows.push([seq, text, hash]);
        head = sealed.value;
        return ok(entry);
      });
      parts.db.insert(INSERT, rows);
      return ok(appended);
    });
    return done.ok ? done.value : [];
  } catch (cause) {
    const fault = err(faultOf(cause));
    return drafts.map(() => fault);
  }
}

function appendWithin(parts: AuditLogParts, draft: AuditDraft): Result<AuditEntry, InvalidInput> {
  const head = headOf(parts);
  const sealed = parts.rules.seal(head, draft);
  if (!sealed.ok) return sealed;
  const { seq, text, hash } = sealed.value;
  parts.db.insert(INSERT, [[seq, text, hash]]);
  return ok(entryOf({ draft, head, sealed: sealed.value }));
}

const INSERT = "INSERT INTO audit_entries (seq, entry, hash) VALUES (?, ?, ?)";

type Sealed = { readonly draft: AuditDraft; readonly head: AuditHead; readonly sealed: AuditHead };

function entryOf({ draft, head, sealed }: Sealed): AuditEntry {
  const { at, event, actor, data } = draft;
  const { seq, hash } = sealed;
  return { seq, at, event, actor, data, prev_hash: head.hash as Sha256Hex, hash: hash as Sha256Hex };
}
