import { LIMITS, ok, sha256Hex, type Result } from "#base";
import {
  activitySentence,
  byTitle,
  gateKey,
  type ActivityItem,
  type ActivityPage,
  type AuditEntry,
  type AuditQuery,
  type NameOf,
  type StoreFault,
} from "#model";
import type { ActivityDoor, AuditReader, ChainVerifier, WorkTitles } from "#ports";

type ActivityDeps = {
  readonly audit: AuditReader;
  readonly titles: WorkTitles;
  /** Those of the configuration. */
  readonly gates: readonly { readonly name: string }[];
};

export function createActivityDoor(
  deps: ActivityDeps & { readonly whole: Pick<ChainVerifier, "verify"> },
): ActivityDoor {
  const { audit, whole } = deps;
  const chains = {
    since_checkpoint: shared(() => audit.verify("latest")),
    whole: shared(() => whole.verify()),
  };
  return { read: (query) => readActivity(deps, query), chain: (extent) => chains[extent]() };
}

/**
 * What happened, in sentences, read from the audit chain. Marks of the chain itself are no activity, and of the steps
 * that bring a database up to date the last one is told. The chain knows work
 * by its id alone, and a gate with a name of several words by the digest of that; what they are called is looked up when
 * it is told, and what was recorded stays as it was.
 */
export async function readActivity(deps: ActivityDeps, query: AuditQuery): Promise<Result<ActivityPage, StoreFault>> {
  const { audit } = deps;
  const found: AuditEntry[] = [];
  const limit = Math.min(query.limit, LIMITS.pageRows);
  let { beforeSeq } = query;
  // One more than was asked for tells whether there is more.
  while (found.length <= limit) {
    const page = await audit.entries({ ...query, beforeSeq, limit: LIMITS.pageRows });
    if (!page.ok) return page;
    const told = await toldOf(audit, page.value);
    if (!told.ok) return told;
    found.push(...told.value);
    if (page.value.length < LIMITS.pageRows) break;
    beforeSeq = page.value.at(-1)?.seq ?? null;
  }
  const shown = found.slice(0, limit);
  const nameOf = await namesIn(shown, deps);
  return ok({
    items: shown.map((entry) => itemOf(entry, nameOf)),
    next_before_seq: found.length > limit ? (shown.at(-1)?.seq ?? null) : null,
  });
}

/** Who asks while the answer is being found gets that one: however many look, the work is that of one. [T22] */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= work().finally(() => void (running = null));
    return running;
  };
}

async function toldOf(
  audit: AuditReader,
  entries: readonly AuditEntry[],
): Promise<Result<readonly AuditEntry[], StoreFault>> {
  const begun = entries.filter(isBeginning).map(actIdOf);
  const ended = begun.length === 0 ? ok<ReadonlySet<string>>(new Set()) : await audit.endedActs(begun);
  if (!ended.ok) return ended;
  return ok(
    entries
      .filter((entry) => entry.event !== "audit_checkpoint")
      // The end of an act tells all of it; its beginning is shown only where no end is recorded.
      .filter((entry) => !isBeginning(entry) || !ended.value.has(actIdOf(entry)))
      // A database that was brought up to date in many steps came to the last of them.
      .filter((entry, at, told) => !isOvertaken(entry, told[at - 1])),
  );
}

/** Newest first, so what came right after an entry stands before it. */
function isOvertaken(entry: AuditEntry, next: AuditEntry | undefined): boolean {
  const isNext = next?.seq === entry.seq + 1 && next.event === entry.event;
  return isNext && entry.event === "migration_applied" && entry.data["store"] === next.data["store"];
}

/** One read for all of them. What cannot be looked up is told by its id: a missing name hides nothing that happened. */
async function namesIn(entries: readonly AuditEntry[], { titles, gates }: ActivityDeps): Promise<NameOf> {
  const ids = new Set(entries.map(({ data }) => data["work_item_id"]).filter((id) => typeof id === "string"));
  const known = ids.size === 0 ? ok(new Map<string, string>()) : await titles.titlesOf([...ids]);
  return byTitle(new Map([...(known.ok ? known.value : []), ...(await gatesIn(entries, { titles, gates }))]));
}

/** A name that has the digest is the name, wherever it was found. */
async function gatesIn(
  entries: readonly AuditEntry[],
  { titles, gates }: Omit<ActivityDeps, "audit">,
): Promise<readonly (readonly [string, string])[]> {
  const told = entries.filter(({ data: { gate } }) => typeof gate === "string" && gate.startsWith("sha256:"));
  if (told.length === 0) return [];
  const runIds = new Set(told.map(({ data }) => String(data["scope_id"])));
  const inPlans = await titles.gateNamesOf([...runIds]);
  const names = [...gates.map(({ name }) => name), ...(inPlans.ok ? inPlans.value : [])];
  return names.map((name) => [gateKey(`sha256:${sha256Hex(name)}`), name]);
}

function itemOf(entry: AuditEntry, nameOf: NameOf): ActivityItem {
  const { seq, at, event, actor, data, hash, prev_hash } = entry;
  const state = isBeginning(entry) ? "unfinished" : event.endsWith("_failed") ? "failed" : "done";
  const sentence = activitySentence(entry, nameOf);
  return {
    seq,
    at,
    event,
    actor,
    sentence: state === "unfinished" ? `${sentence}; no end of it is recorded` : sentence,
    state,
    data,
    hash,
    prev_hash,
  };
}

const isBeginning = ({ event, data }: AuditEntry): boolean => event.endsWith("_started") && "act_id" in data;
const actIdOf = ({ data }: AuditEntry): string => String(data["act_id"]);
