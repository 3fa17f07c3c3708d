import { assert, err, ok, type Result, type Sha256Hex } from "#base";
import type {
  AuditCheckpoint,
  AuditDraft,
  AuditEntry,
  AuditMark,
  AuditRules,
  ChainBroken,
  HeadKeyNeeded,
  InvalidInput,
  StoreFault,
} from "#model";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue } from "../store-fault.ts";
import type { HeadsFile } from "./heads.ts";
import { keptHeadOf } from "./marks.ts";
import { judgePlace } from "./place.ts";
import { sourceOf } from "./read.ts";
import { verifyChain } from "./verify.ts";

type Marking = {
  readonly db: Sqlite;
  readonly rules: AuditRules;
  readonly heads: HeadsFile;
  /** Inside the transaction of the checkpoint. */
  readonly append: (draft: AuditDraft) => Result<AuditEntry, InvalidInput>;
};
type Refusal = ChainBroken | HeadKeyNeeded | StoreFault;

/**
 * Verifies, marks and signs in one transaction, and notes the head beside the database behind the commit: a head that
 * speaks of an entry the disk never got would be a false alarm. So the line of the latest checkpoint alone may be
 * missing after a crash. It is written before there is another checkpoint; where it cannot be, there is none.
 */
export function writeCheckpoint(marking: Marking, mark: AuditMark): Result<AuditCheckpoint, Refusal> {
  const before = guarded(() => keepEarlierHead(marking));
  if (!before.ok) return before;
  const written = guarded(() => marking.db.transaction(() => markHead(marking, mark)));
  // What fails here is made up for, and told, by the next checkpoint.
  if (written.ok) guardedValue(() => keepHead(marking));
  return written;
}

/** A database that is not the one noted beside it gets no further line there: the next start has to find that out. */
function keepEarlierHead(marking: Marking): Result<void, ChainBroken> {
  const problem = judgePlace(marking);
  if (problem !== null) return err({ code: "chain_broken", broken: problem.broken });
  return ok(keepHead(marking));
}

/** One after the other over all processes: the line is looked for and written under the lock of the database. */
function keepHead({ db, rules, heads }: Marking): void {
  db.transaction(() => {
    const source = sourceOf({ db, rules, heads });
    const latest = source.latestCheckpoint();
    const head = latest === null ? null : keptHeadOf({ source, rules }, latest);
    if (head !== null) heads.append(head);
    return ok();
  });
}

function markHead(marking: Marking, mark: AuditMark): Result<AuditCheckpoint, ChainBroken | HeadKeyNeeded> {
  const { rules, append } = marking;
  const source = sourceOf(marking);
  const verdict = verifyChain({ source, rules }, "latest");
  if (!verdict.valid) return err({ code: "chain_broken", broken: verdict.broken });
  const latest = source.latestCheckpoint();
  // Nothing new since the last checkpoint means that it still stands.
  if (latest !== null && verdict.entriesChecked === 0) return ok(latest);
  const isKeyNeeded = source.latestSigned() === null && source.keys().some(({ kind }) => kind === "vault");
  if (mark.key === null && isKeyNeeded) return err({ code: "head_key_needed" });
  const { checkpointId, at } = mark;
  const keyId = mark.key?.keyId ?? null;
  const data = { checkpoint_id: checkpointId, key_id: keyId };
  const entry = append({ event: "audit_checkpoint", data, at, actor: { kind: "system" } });
  assert(entry.ok, "a checkpoint's entry fits its event");
  const signature = sign(mark, entry.value);
  const checkpoint = { checkpointId, seq: entry.value.seq, hash: entry.value.hash, signature };
  save(marking.db, checkpoint);
  return ok(checkpoint);
}

/** The statement that is signed is what the entry says, and nothing that could be another. */
function sign({ checkpointId, at, key }: AuditMark, { seq, hash }: { seq: number; hash: Sha256Hex }) {
  return key === null ? null : key.sign({ seq, hash, at, checkpointId, keyId: key.keyId });
}

function save(db: Sqlite, { checkpointId: id, seq, hash, signature }: AuditCheckpoint): void {
  // A database that was just put back from a copy of an earlier version has no place for signatures yet.
  if (signature === null) {
    db.run("INSERT INTO audit_checkpoints (checkpoint_id, seq, hash) VALUES (:id, :seq, :hash)", { id, seq, hash });
    return;
  }
  db.run("INSERT INTO audit_checkpoints (checkpoint_id, seq, hash, signature) VALUES (:id, :seq, :hash, :signature)", {
    id,
    seq,
    hash,
    signature,
  });
}
