import { err, ok, orderBetween, orderSeries, type Result } from "#base";
import { ORDER_KEY_CHARS, type JournalError } from "#model";

type Ordered = { readonly id: string; readonly body: { readonly order: string } };

/** By key, then by id: two devices may have given the same key, and every list must still look the same. */
export function byOrder(one: Ordered, other: Ordered): number {
  if (one.body.order !== other.body.order) return one.body.order < other.body.order ? -1 : 1;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}

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
