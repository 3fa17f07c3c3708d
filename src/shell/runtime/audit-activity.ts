import { LIMITS, ok, type Result } from "#base";
import { activitySentence, byTitle, type ActivityItem, type AuditEntry, type NameOf, type StoreFault } from "#model";
import type { ActivityDoor, AuditReader, WorkTitles } from "#ports";

type ActivityDeps = { readonly audit: AuditReader; readonly titles: WorkTitles };

/**
 * What happened, in sentences, read from the audit chain. Marks of the chain itself are no activity. The chain knows work
 * by its id alone; what it is called is looked up when it is told, and what was recorded stays as it was.
 */
export function createActivityDoor({ audit, titles }: ActivityDeps): ActivityDoor {
  return {
    async read(query) {
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
      const nameOf = await namesIn(shown, titles);
      return ok({
        items: shown.map((entry) => itemOf(entry, nameOf)),
        next_before_seq: found.length > limit ? (shown.at(-1)?.seq ?? null) : null,
      });
    },
    chain: () => audit.verify("genesis"),
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
      .filter((entry) => !isBeginning(entry) || !ended.value.has(actIdOf(entry))),
  );
}

/** One read for all of them. What cannot be looked up is told by its id: a missing name hides nothing that happened. */
async function namesIn(entries: readonly AuditEntry[], titles: WorkTitles): Promise<NameOf> {
  const ids = new Set(entries.map(({ data }) => data["work_item_id"]).filter((id) => typeof id === "string"));
  const known = ids.size === 0 ? ok(new Map<string, string>()) : await titles.titlesOf([...ids]);
  return byTitle(known.ok ? known.value : new Map());
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
