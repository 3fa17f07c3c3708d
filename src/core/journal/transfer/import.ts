import { err, ok, type Result } from "#base";
import { hostIdSchema, journalRecordSchema, type HostId, type JournalRecord } from "#model";
import { brokenLawOf } from "../laws.ts";
import { isSameValue } from "../same-value.ts";
import { compareClocks, counterOf } from "./vector-clock.ts";

type ImportInput = {
  readonly existing: JournalRecord | null;
  readonly incoming: JournalRecord;
  readonly hostId: HostId;
  /** The last counter this host has given out. */
  readonly ownCounter: number;
};

/** What an imported record does: `record` is what to store, with its place in this device's own revisions. */
type ImportVerdict =
  | { readonly verdict: "add" | "replace"; readonly record: JournalRecord }
  | { readonly verdict: "unchanged" | "conflict" };

type ImportError = {
  readonly code: "invalid_record" | "broken_law" | "counter_not_in_clock" | "own_counter_never_issued" | "kind_differs";
  readonly detail: string;
};

/**
 * Newer versions replace, older and equal ones change nothing, and where both sides changed the one that is here stays
 * and is reported. A record that claims to come from this host's future, or contradicts itself, is refused.
 */
export function decideImport(input: ImportInput): Result<ImportVerdict, ImportError> {
  const { existing, incoming } = input;
  const sound = checkIncoming(input);
  if (!sound.ok) return sound;
  if (existing === null) return ok({ verdict: "add", record: { ...incoming, revision: 1 } });
  if (existing.kind !== incoming.kind) return refuse("kind_differs", `${existing.kind} here, ${incoming.kind} there`);
  switch (compareClocks(incoming.vectorClock, existing.vectorClock)) {
    case "after":
      return ok({ verdict: "replace", record: { ...incoming, revision: existing.revision + 1 } });
    case "before":
      return ok({ verdict: "unchanged" });
    case "concurrent":
      return ok({ verdict: "conflict" });
    case "equal":
      // One version has one content. Where it has two, somebody edited a file: nothing is overwritten, and it is said.
      return ok({ verdict: isSameVersion(existing, incoming) ? "unchanged" : "conflict" });
  }
}

function checkIncoming({ incoming, hostId, ownCounter }: ImportInput): Result<void, ImportError> {
  const parsed = journalRecordSchema.safeParse(incoming);
  if (!parsed.success) return refuse("invalid_record", parsed.error.issues[0]?.path.join(".") ?? "");
  const unknownHost = Object.keys(incoming.vectorClock).find((host) => !hostIdSchema.safeParse(host).success);
  if (unknownHost !== undefined) return refuse("invalid_record", "vectorClock");
  const broken = brokenLawOf(incoming);
  if (broken !== null) return refuse("broken_law", broken);
  if (counterOf(incoming.vectorClock, incoming.hostId) !== incoming.counter) {
    return refuse("counter_not_in_clock", `${incoming.hostId} ${incoming.counter}`);
  }
  const own = counterOf(incoming.vectorClock, hostId);
  // Accepting it would give the same counter out a second time, for another change.
  return own > ownCounter ? refuse("own_counter_never_issued", String(own)) : ok();
}

function isSameVersion(existing: JournalRecord, incoming: JournalRecord): boolean {
  return isSameValue({ ...existing, revision: 1 }, { ...incoming, revision: 1 });
}

const refuse = (code: ImportError["code"], detail: string) => err({ code, detail } as const);
