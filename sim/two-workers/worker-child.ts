/** Reads the queue of a data directory until it is killed or its input ends: `held ID` is printed for each leased message. */
import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { createInterface } from "node:readline";
import { assert, instantFromMs, type Instant } from "#base";
import { createQueue, createReader, type Outcome } from "#engine";
import { EFFECT, WORKER_BUS } from "./terms.ts";
import { openDatabase } from "./database.ts";

const WAKE_EVERY_MS = 5;

const [dataDir = "", name = ""] = process.argv.slice(2);
const waiting = new Map<string, () => void>();
const db = openDatabase(dataDir);
const recordAct = (): never => {
  throw new Error("no message dies here");
};
const now = (): Instant => {
  const at = instantFromMs(Date.now());
  assert(at.ok, "the clock stands within the calendar");
  return at.value;
};
const after = (delayMs: number, work: () => void): (() => void) => {
  const timer = setTimeout(work, delayMs);
  return () => clearTimeout(timer);
};
const complain = (event: string, fields?: object): void => {
  writeSync(2, `${name} ${event} ${JSON.stringify(fields)}\n`);
};

const reader = createReader(
  {
    queue: createQueue({ db, recordAct }),
    clock: { now },
    timers: { after },
    log: { info: () => {}, warn: () => {}, error: complain },
    bus: WORKER_BUS,
    isStopped: async () => false,
  },
  {
    name,
    kinds: ["user_message"],
    atOnce: 3,
    async handle({ id }): Promise<Outcome> {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(id, resolve);
      writeSync(1, `held ${id}\n`);
      await promise;
      return { how: "done", write: () => void db.run(EFFECT, { id, holder: name }) };
    },
    endDead: async () => {},
    halt: () => {},
  },
);
reader.start();
flushCompileCache();
const waking = setInterval(() => reader.wake(), WAKE_EVERY_MS);
for await (const id of createInterface({ input: process.stdin })) {
  waiting.get(id)?.();
  waiting.delete(id);
}
clearInterval(waking);
process.exit(0);
