import { assert, uuidV7 } from "#base";
import type { HostId, JournalRequest, NotificationBatch, OperationId } from "#model";
import type { JournalDoor, JournalStore } from "#ports";
import { createJournalDoor } from "#runtime";
import { openJournalInMemory } from "#stores";
import { withAnomaly, type Anomaly } from "./anomaly.ts";
import { checkBatches, checkState, checkTrees, loadState } from "./journal-checks.ts";
import { randomCommand } from "./journal-commands.ts";
import { createSeeded, createVirtualClock } from "./seeded.ts";

const START_MS = 1_794_729_600_000;
const COMMANDS = 8;
const HOST = "host-sim" as HostId;

type JournalRun = {
  /** Every command, its outcome and the final state as one text: equal seeds give equal bytes. */
  readonly transcript: string;
  /** The final records and change log alone: what a crash must not change. */
  readonly state: string;
  readonly calls: number;
};

type JournalRunOptions = { readonly seed: number; readonly anomaly?: Anomaly; readonly store?: JournalStore };

/**
 * Random commands through the real door of the journal. When a call fails the process is gone: a new door is opened on
 * the same store and the owner's client sends the same operation again, as it does when an answer never came.
 */
export async function runJournal(options: JournalRunOptions): Promise<JournalRun> {
  const seeded = createSeeded(options.seed);
  const clock = createVirtualClock(START_MS);
  const disk = options.store ?? openJournalInMemory({ hostId: HOST, clock });
  const { store, calls } = withAnomaly(disk, options.anomaly ?? null);
  const batches: NotificationBatch[] = [];
  const feed = {
    publish: (published: readonly NotificationBatch[]) => void batches.push(...published),
    publishLost: () => undefined,
    subscribe: () => () => undefined,
    close: () => undefined,
  };
  const boot = (): JournalDoor => createJournalDoor({ store, feed, clock, randomness: createSeeded(options.seed) });
  let door = boot();
  const lines: string[] = [];
  const applied: OperationId[] = [];
  for (let index = 0; index < COMMANDS; index += 1) {
    // Mostly forwards, now and then a jump back: a laptop that slept, a clock that was set.
    clock.moveMs(seeded.below(10) === 0 ? -seeded.below(3_600_000) : 1 + seeded.below(3_600_000));
    const { records } = await loadState(disk);
    const command = randomCommand({ seeded, at: clock.now(), records, applied });
    const request = { operationId: uuidV7(clock.now(), seeded.bytes(10)) as OperationId, command };
    let outcome = await door.submit(request);
    if (!outcome.ok && outcome.error.code === "store_failed") {
      door = boot();
      outcome = await door.submit(request);
    }
    const code = outcome.ok ? "applied" : outcome.error.code;
    if (outcome.ok) applied.push(request.operationId);
    assert(code !== "store_failed", "only one call fails");
    lines.push(JSON.stringify({ command: request.command, code }));
    await checkRepeat({ door, request, applied: outcome.ok });
  }
  const state = await loadState(disk);
  checkState(state, disk.hostId);
  checkTrees(state);
  checkBatches(batches);
  const text = JSON.stringify(state);
  if (options.store === undefined) await disk.close();
  return { transcript: [...lines, text].join("\n"), state: text, calls: calls() };
}

type Repeat = { readonly door: JournalDoor; readonly request: JournalRequest; readonly applied: boolean };

/** Sending an applied operation once more writes nothing. [JOURNAL-11] */
async function checkRepeat({ door, request, applied }: Repeat): Promise<void> {
  if (!applied) return;
  const again = await door.submit(request);
  // The failing call may be this very one; then there is nothing to compare.
  if (!again.ok && again.error.code === "store_failed") return;
  assert(again.ok && again.value.replayed, "JOURNAL-11 an applied operation is replayed");
}

/** Fails every single call of the run, before and after its effect, and finds the same state in the end. */
export async function runEveryAnomaly(seed: number): Promise<{ readonly clean: JournalRun; readonly runs: number }> {
  const clean = await runJournal({ seed });
  let runs = 0;
  for (let call = 1; call <= clean.calls; call += 1) {
    for (const when of ["before", "after"] as const) {
      const cut = await runJournal({ seed, anomaly: { call, when } });
      assert(cut.state === clean.state, `seed ${seed}: call ${call} failed ${when} its effect and left another state`);
      runs += 1;
    }
  }
  return { clean, runs };
}
