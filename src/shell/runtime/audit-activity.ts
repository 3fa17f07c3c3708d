import { LIMITS, ok, type Result } from "#base";
import { activitySentence, type ActivityItem, type AuditEntry, type StoreFault } from "#model";
import type { ActivityDoor, AuditReader } from "#ports";

/** What happened, in sentences, read from the audit chain. Marks of the chain itself are no activity. */
export function createActivityDoor(audit: AuditReader): ActivityDoor {
  return {
    async read(query) {
      const items: ActivityItem[] = [];
      const limit = Math.min(query.limit, LIMITS.pageRows);
      let { beforeSeq } = query;
      // One more than was asked for tells whether there is more.
      while (items.length <= limit) {
        const page = await audit.entries({ ...query, beforeSeq, limit: LIMITS.pageRows });
        if (!page.ok) return page;
        const shown = await itemsOf(audit, page.value);
        if (!shown.ok) return shown;
        items.push(...shown.value);
        if (page.value.length < LIMITS.pageRows) break;
        beforeSeq = page.value.at(-1)?.seq ?? null;
      }
      const shown = items.slice(0, limit);
      return ok({ items: shown, next_before_seq: items.length > limit ? (shown.at(-1)?.seq ?? null) : null });
    },
    chain: () => audit.verify("genesis"),
  };
}

async function itemsOf(
  audit: AuditReader,
  entries: readonly AuditEntry[],
): Promise<Result<readonly ActivityItem[], StoreFault>> {
  const begun = entries.filter(isBeginning).map(actIdOf);
  const ended = begun.length === 0 ? ok<ReadonlySet<string>>(new Set()) : await audit.endedActs(begun);
  if (!ended.ok) return ended;
  return ok(
    entries
      .filter((entry) => entry.event !== "audit_checkpoint")
      // The end of an act tells all of it; its beginning is shown only where no end is recorded.
      .filter((entry) => !isBeginning(entry) || !ended.value.has(actIdOf(entry)))
      .map(itemOf),
  );
}

function itemOf(entry: AuditEntry): ActivityItem {
  const { seq, at, event, actor, data, hash, prev_hash } = entry;
  const state = isBeginning(entry) ? "unfinished" : event.endsWith("_failed") ? "failed" : "done";
  const sentence = activitySentence(entry);
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
