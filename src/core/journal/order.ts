import { err, ok, orderBetween, orderSeries, type Result } from "#base";
import { ORDER_KEY_CHARS, type JournalError, type JournalFacts, type JournalRead, type RecordId } from "#model";

type Ordered = { readonly id: string; readonly body: { readonly order: string } };

/** By key, then by id: two devices may have given the same key, and every list must still look the same. */
export function byOrder(one: Ordered, other: Ordered): number {
  return byText(one.body.order, other.body.order) || byText(one.id, other.id);
}

const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** `count` keys behind the last of these siblings. */
export function ordersAtEnd(count: number, siblings: readonly Ordered[]): Result<readonly string[], JournalError> {
  return ordersBetween(count, { before: siblings.toSorted(byOrder).at(-1), after: undefined });
}

export type Gap = { readonly before: Ordered | undefined; readonly after: Ordered | undefined };

export function ordersBetween(count: number, { before, after }: Gap): Result<readonly string[], JournalError> {
  const keys = orderSeries(count, { before: before?.body.order ?? null, after: after?.body.order ?? null });
  const tooLong = keys.some((key) => key.length > ORDER_KEY_CHARS);
  return tooLong ? err({ code: "limit_reached", limit: "orderKeyChars", max: ORDER_KEY_CHARS }) : ok(keys);
}

type Neighbour = { readonly of: "task" | "category"; readonly after: RecordId | null };

/**
 * Two siblings may have the same key, made on two devices or by undoing and redoing. There is no room between them, so
 * the place behind one is the place behind the other, and what follows that one has to be known.
 */
export function readsPastTie({ of, after }: Neighbour, facts: JournalFacts): readonly JournalRead[] {
  const before = after === null ? undefined : facts.records.get(after);
  if (before === undefined || before.kind !== of) return [];
  const { order } = before.body;
  const tied = [...facts.records.values()].filter(
    (record) => record.kind === of && record.body.order === order && record.deletedAt === null && record.id > before.id,
  );
  return tied.map((record): JournalRead => ({ kind: "place", of, at: { after: record.id } }));
}

/** The place right behind one sibling, or before all when there is none to be behind. */
export function gapAfter(before: Ordered | undefined, siblings: readonly Ordered[]): Gap {
  // Only a strictly greater key leaves room; siblings with an equal key keep their place before the gap.
  const behind = siblings.filter((sibling) => before === undefined || sibling.body.order > before.body.order);
  return { before, after: behind.toSorted(byOrder)[0] };
}

export function orderInGap({ before, after }: Gap): Result<string, JournalError> {
  const key = orderBetween(before?.body.order ?? null, after?.body.order ?? null);
  return key.length > ORDER_KEY_CHARS
    ? err({ code: "limit_reached", limit: "orderKeyChars", max: ORDER_KEY_CHARS })
    : ok(key);
}
