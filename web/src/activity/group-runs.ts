import type { ActivityItem } from "#model";
import { localDateOf } from "../time/clock.ts";

/** One line with those that belong under it. */
export type ActivityGroup = { readonly head: ActivityItem; readonly rest: readonly ActivityItem[] };

/** What a day has of one run stands together, where the newest of it stands; everything else stands alone. */
export function groupRuns(items: readonly ActivityItem[]): readonly ActivityGroup[] {
  const groups: { readonly head: ActivityItem; readonly rest: ActivityItem[] }[] = [];
  const ofRun = new Map<string, (typeof groups)[number]>();
  for (const item of items) {
    const { run_id: runId } = item.data;
    const key = typeof runId === "string" ? `${localDateOf(new Date(item.at))} ${runId}` : null;
    const found = key === null ? undefined : ofRun.get(key);
    if (found !== undefined) {
      found.rest.push(item);
      continue;
    }
    const group = { head: item, rest: [] };
    groups.push(group);
    if (key !== null) ofRun.set(key, group);
  }
  return groups;
}
