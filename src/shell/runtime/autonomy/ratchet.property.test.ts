import * as fc from "fast-check";
import { expect, test } from "vitest";
import { instantFromMs, ok, type Instant } from "#base";
import { OUTCOMES, type DecidedAction, type Outcome } from "#model";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { createAutonomy } from "./create.ts";
import { limitSettings } from "./settings.ts";

const BEGIN_MS = Date.UTC(2026, 10, 16, 9, 0);
const TERMINAL = { kind: "terminal" } as const;
const CONFIG = {
  batchReview: { defaultSize: 10, confidence: { highMin: 0.85, mediumMin: 0.5 } },
  limits: { autonomyProposalsPerWeekPerScope: 1000 },
  autonomy: {
    enabled: true,
    minSamples: 5,
    windowActions: 8,
    windowDays: 14,
    widenCorrectionRateMax: 0.05,
    tightenCorrectionRateMin: 0.2,
    hysteresisDelta: 0.05,
    maxStandingExecutions: 100,
    maxBatchReviewSize: 50,
    minHighConfidence: 0.7,
  },
};

/** A Silas that decisions are told to, minute by minute. */
function openAutonomy() {
  const { approvals, autonomy: kept, timers: timerTable, close } = openInMemory();
  const decided: DecidedAction[] = [];
  let minutes = 0;
  const now = (): Instant => {
    const at = instantFromMs(BEGIN_MS + minutes * 60_000);
    if (!at.ok) throw new Error("no such moment");
    return at.value;
  };
  const store = {
    ...kept,
    decided: async () => ok(decided.toReversed()),
  };
  let random = 0;
  const autonomy = createAutonomy({
    config: CONFIG,
    store,
    approvals,
    isStopped: async () => false,
    clock: { now },
    randomness: { bytes: (count) => new Uint8Array(count).map(() => (random = (random * 31 + 7) % 251)) },
    timerTable,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const tell = (outcome: Outcome): void => {
    minutes += 1;
    decided.push({ outcome, at: now() });
  };
  return { autonomy, approvals, tell, now, pass: () => void (minutes += 1), close };
}

const acts = fc.array(fc.oneof(fc.constantFrom(...OUTCOMES), fc.constantFrom("check", "decline", "tighten")), {
  maxLength: 60,
});

test("[AUTO-18] whatever is decided, without an approved proposal no limit moves; and no family is asked about twice at once", async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (list) => {
      const { autonomy, approvals, tell, now, pass, close } = openAutonomy();
      for (const act of list) {
        if (act === "check") await autonomy.check();
        else if (act === "tighten") await autonomy.tighten({ requestId: null, actor: TERMINAL });
        else if (act === "decline") {
          pass();
          const waiting = await approvals.list(["pending"]);
          for (const { requestId, planHash } of waiting.ok ? waiting.value : []) {
            await approvals.decline({ requestId, planHash, at: now(), actor: TERMINAL });
          }
        } else tell(act as Outcome);
        expect(await autonomy.read()).toEqual(ok(limitSettings(CONFIG).configured));
        const open = await approvals.list(["pending"]);
        expect(open.ok && open.value.length).toBeLessThanOrEqual(2);
      }
      close();
    }),
    { numRuns: 100 },
  );
});
