import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onceLater } from "./once-later.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("what is asked for many times is done once, at the earliest of the moments", () => {
  const work = vi.fn<() => void>();
  const later = onceLater(work, 0);
  later.within(500);
  later.within(40);
  later.within(300);
  vi.advanceTimersByTime(39);
  expect(work).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(work).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(2000);
  expect(work).toHaveBeenCalledTimes(1);
});

test("the first change is read soon, changes without end no more often than the gap, and the last one too", () => {
  const work = vi.fn<() => void>();
  const later = onceLater(work, 1500);
  later.within(200);
  vi.advanceTimersByTime(200);
  expect(work).toHaveBeenCalledTimes(1);
  for (let at = 0; at < 15_000; at += 50) {
    later.within(200);
    vi.advanceTimersByTime(50);
  }
  expect(work.mock.calls.length).toBeLessThanOrEqual(11);
  const before = work.mock.calls.length;
  later.within(200);
  vi.advanceTimersByTime(1500);
  expect(work).toHaveBeenCalledTimes(before + 1);
});

test("what was cancelled is not done", () => {
  const work = vi.fn<() => void>();
  const later = onceLater(work, 0);
  later.within(10);
  later.cancel();
  vi.advanceTimersByTime(100);
  expect(work).not.toHaveBeenCalled();
});
