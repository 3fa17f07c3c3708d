import { assert } from "./result.ts";

/**
 * Order keys: base-62 texts whose plain comparison is the order of a list, with room between any two.
 *
 * A key reads as a fraction, so zeros at its end mean nothing and are never written. To keep lists that only grow at
 * their ends short, the first digit says how many digits count as a whole number: `a` one, `b` two, up to `z`; and
 * downward `Z` one, `Y` two, down to `A`. Appending counts that number up, prepending counts it down. Any base-62
 * text is a valid bound, also one that this file did not make.
 */
export function orderBetween(before: string | null, after: string | null): string {
  const low = before === null ? null : trim(before);
  const high = after === null ? null : trim(after);
  assert(low === null || high === null || low < high, "order bounds: before < after");
  assert(high !== "", "order bounds: there is nothing before zero");
  if (low !== null && high !== null) return midpoint(low, high);
  if (low !== null) return countUp(low) ?? midpoint(low, null);
  return high === null ? FIRST : (countDown(high) ?? midpoint("", high));
}

/** `count` ascending keys between two bounds, spread so that all of them stay short. */
export function orderSeries(
  count: number,
  { before, after }: { readonly before: string | null; readonly after: string | null },
): readonly string[] {
  assert(Number.isSafeInteger(count) && count >= 0, "orderSeries: a count");
  const keys: string[] = [];
  if (after === null) {
    for (let last = before; keys.length < count; keys.push(last)) last = orderBetween(last, null);
  } else if (before === null) {
    for (let first: string = after; keys.length < count; keys.push(first)) first = orderBetween(null, first);
    keys.reverse();
  } else {
    fill({ keys, count, before, after });
  }
  return keys;
}

type Gap = { readonly keys: string[]; readonly count: number; readonly before: string; readonly after: string };

// Halving the gap keeps every key within a few digits of its bounds; one after the other they would grow steadily.
function fill({ keys, count, before, after }: Gap): void {
  if (count === 0) return;
  const middle = orderBetween(before, after);
  const left = Math.floor((count - 1) / 2);
  fill({ keys, count: left, before, after: middle });
  keys.push(middle);
  fill({ keys, count: count - 1 - left, before: middle, after });
}

// In code unit order, so that comparing texts compares digits.
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE = DIGITS.length;
const HIGHEST = "z";
const HEAD_DOWN = DIGITS.indexOf("A");
const HEAD_UP = DIGITS.indexOf("a");
const FIRST = "a";

/** Behind its end a key goes on with zeros: the empty text that stands there is found at 0. */
function digitAt(key: string, index: number): number {
  return DIGITS.indexOf(key.charAt(index));
}

function trim(key: string): string {
  assert(/^[0-9A-Za-z]+$/.test(key), "an order key is base-62 text");
  let length = key.length;
  while (key.charAt(length - 1) === "0") length -= 1;
  return key.slice(0, length);
}

// Four digits count fourteen million places: enough to go on from a far head that this file would not have reached.
const COUNTED_DIGITS = 4;

/** How many digits after the head are counted; never more than a key already has, once it has enough. */
function widthOf(head: number, keyLength: number): number {
  const width = head >= HEAD_UP ? head - HEAD_UP + 1 : head >= HEAD_DOWN ? HEAD_UP - head : 0;
  return Math.min(width, Math.max(COUNTED_DIGITS, keyLength - 1));
}

function countUp(key: string): string | null {
  for (let index = widthOf(digitAt(key, 0), key.length); index >= 0; index -= 1) {
    const digit = digitAt(key, index);
    if (digit + 1 < BASE) return key.slice(0, index).padEnd(index, "0") + DIGITS.charAt(digit + 1);
  }
  return null;
}

function countDown(key: string): string | null {
  const head = digitAt(key, 0);
  const width = widthOf(head, key.length);
  for (let index = width; index > 0; index -= 1) {
    const digit = digitAt(key, index);
    if (digit > 0) return trim(key.slice(0, index) + DIGITS.charAt(digit - 1) + HIGHEST.repeat(width - index));
  }
  return head > 1 ? DIGITS.charAt(head - 1) + HIGHEST.repeat(widthOf(head - 1, 0)) : null;
}

/** The shortest middle of two fractions; `high` null stands for one. Neither ends in zero, and low < high. */
function midpoint(low: string, high: string | null): string {
  let upper = high;
  for (let index = 0; ; index += 1) {
    const from = digitAt(low, index);
    const to = upper === null ? BASE : digitAt(upper, index);
    if (to === from) continue;
    const prefix = low.slice(0, index).padEnd(index, "0");
    if (to - from > 1) return prefix + DIGITS.charAt(Math.round((from + to) / 2));
    if (upper !== null && upper.length > index + 1) return prefix + DIGITS.charAt(to);
    // Neighbouring digits: below the upper one everything that begins with the lower digit is free.
    upper = null;
  }
}
