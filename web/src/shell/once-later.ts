type Later = { within(delayMs: number): void; cancel(): void };

/** However often it is asked for meanwhile, the work is done once, at the earliest moment asked for that keeps the gap. */
export function onceLater(work: () => void, gapMs: number): Later {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAtMs = Infinity;
  let doneAtMs = -Infinity;
  return {
    within: (delayMs) => {
      const nowMs = Date.now();
      const at = Math.max(nowMs + delayMs, doneAtMs + gapMs);
      if (at >= dueAtMs) return;
      dueAtMs = at;
      clearTimeout(timer);
      timer = setTimeout(() => {
        dueAtMs = Infinity;
        doneAtMs = Date.now();
        work();
      }, at - nowMs);
    },
    cancel: () => clearTimeout(timer),
  };
}
