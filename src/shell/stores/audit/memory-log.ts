import { assert, err, ok, type Result } from "#base";
import type {
  AuditCheckpoint,
  AuditDraft,
  AuditEntry,
  AuditHeadKey,
  AuditMark,
  AuditQuery,
  AuditRow,
  AuditRules,
  ChainBroken,
  HeadKeyNeeded,
  InvalidInput,
  KeptHead,
} from "#model";
import type { AuditLog } from "#ports";
import { sign } from "./checkpoint.ts";
import type { RecordAct } from "./log.ts";
import { exportOf, parseRows } from "./read.ts";
import { verifyChain, type ChainSource } from "./verify.ts";

/** The in-memory twin of the audit chain: the same behaviour in the plainest code. The keys are those of a registry. */
export function createMemoryAuditLog(
  rules: AuditRules,
  keys: () => readonly AuditHeadKey[] = () => [],
): { readonly log: AuditLog; readonly recordAct: RecordAct } {
  const rows: AuditRow[] = [];
  const checkpoints: AuditCheckpoint[] = [];
  const heads: KeptHead[] = [];
  const head = () => rows.at(-1) ?? rules.genesis;
  const source: ChainSource = {
    batchAfter: (seq) => rows.slice(seq),
    firstSeq: () => rows[0]?.seq ?? null,
    rowAt: (seq) => rows[seq - 1] ?? null,
    checkpointsFrom: (seq) => checkpoints.filter((one) => one.seq >= seq),
    findCheckpoint: (id) => checkpoints.find((one) => one.checkpointId === id) ?? null,
    latestCheckpoint: () => checkpoints.at(-1) ?? null,
    checkpointBefore: (seq) => checkpoints.findLast((one) => one.seq < seq) ?? null,
    latestSigned: () => checkpoints.findLast(({ signature }) => signature !== null) ?? null,
    heads: (fromSeq) => ok(heads.filter(({ seq }) => seq >= fromSeq)),
    // Nothing in memory outlives the process, so nothing is noted between two checkpoints.
    noted: () => ok([]),
    keys,
  };
  const add = (draft: AuditDraft) => {
    const sealed = rules.seal(head(), draft);
    if (!sealed.ok) return sealed;
    rows.push(sealed.value);
    const entry = rules.parse(sealed.value);
    assert(entry.ok, "an entry that was just sealed is one");
    return entry;
  };
  const log: AuditLog = {
    append: async (draft) => add(draft),
    head: async () => ok({ seq: head().seq, hash: head().hash }),
    entries: async (query) => {
      const parsed = parseRows(rules, rows.toReversed());
      return parsed.ok ? ok(pageOf(parsed.value, query)) : parsed;
    },
    endedActs: async (actIds) => {
      const parsed = parseRows(rules, rows);
      if (!parsed.ok) return parsed;
      const ended = parsed.value.filter(({ event }) => !event.endsWith("_started"));
      return ok(new Set(actIds.filter((id) => ended.some(({ data }) => data["act_id"] === id))));
    },
    verify: async (from) => ok(verifyChain({ source, rules }, from)),
    checkpoint: async (mark) => writeCheckpoint({ source, rules, add, checkpoints, heads }, mark),
    exportLines: async function* () {
      yield* exportOf({ source, rules });
    },
    close: async () => {},
  };
  return {
    log,
    recordAct: (draft) => assert(add(draft).ok, "AUD-08 the entry of an act fits its event"),
  };
}

/** Without times in the order of the chain, between times in the order of times. */
function pageOf(entries: readonly AuditEntry[], { beforeSeq, from, to, limit }: AuditQuery): readonly AuditEntry[] {
  if (from === null && to === null) {
    return entries.filter(({ seq }) => beforeSeq === null || seq < beforeSeq).slice(0, limit);
  }
  const ordered = entries.toSorted(laterFirst);
  const shown = ordered.findIndex(({ seq }) => seq === beforeSeq);
  return ordered
    .slice(shown + 1)
    .filter(({ at }) => beforeSeq !== 0 && (from === null || at >= from) && (to === null || at < to))
    .slice(0, limit);
}

/** By time, and entries of one moment by their number. */
const laterFirst = (a: AuditEntry, b: AuditEntry): number => (a.at === b.at ? b.seq - a.seq : a.at < b.at ? 1 : -1);

type Marking = {
  readonly source: ChainSource;
  readonly rules: AuditRules;
  readonly add: (draft: AuditDraft) => Result<AuditEntry, InvalidInput>;
  readonly checkpoints: AuditCheckpoint[];
  readonly heads: KeptHead[];
};

function writeCheckpoint(
  { source, rules, add, checkpoints, heads }: Marking,
  mark: AuditMark,
): Result<AuditCheckpoint, ChainBroken | HeadKeyNeeded> {
  const verdict = verifyChain({ source, rules }, "latest");
  if (!verdict.valid) return err({ code: "chain_broken", broken: verdict.broken });
  const latest = checkpoints.at(-1);
  if (latest !== undefined && verdict.entriesChecked === 0) return ok(latest);
  const isKeyNeeded = source.latestSigned() === null && source.keys().some(({ kind }) => kind === "vault");
  if (mark.key === null && isKeyNeeded) return err({ code: "head_key_needed" });
  const { checkpointId, at } = mark;
  const keyId = mark.key?.keyId ?? null;
  const data = { checkpoint_id: checkpointId, key_id: keyId };
  const entry = add({ event: "audit_checkpoint", data, at, actor: { kind: "system" } });
  assert(entry.ok, "a checkpoint's entry fits its event");
  const { seq, hash } = entry.value;
  const checkpoint = { checkpointId, seq, hash, signature: sign(mark, entry.value) };
  checkpoints.push(checkpoint);
  heads.push({ ...checkpoint, at, keyId });
  return ok(checkpoint);
}
