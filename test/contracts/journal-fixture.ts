import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { instantFromMs, sha256Hex, type Instant, type Result } from "#base";
import type { BodyOf, HostId, JournalCommit, OperationId, RecordId, RecordKind, RecordWrite } from "#model";
import type { Clock, JournalStore, Randomness } from "#ports";
import { openJournal } from "#stores";
import { journalInMemory } from "../stores-in-memory.ts";

export const HOST = "host-a" as HostId;

/** A directory of its own that goes away with the test. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "silas-stores-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export const fixedClock: Clock = { now: () => at(0) };

/** A clock that a test moves, in minutes as `at` counts them. */
export function createMovableClock() {
  let now = at(0);
  return { now: () => now, moveTo: (minutes: number) => void (now = at(minutes)) };
}

/** Counting bytes: every id differs, every run is the same. */
export function countingRandom(): Randomness {
  let next = 0;
  return { bytes: (count) => Uint8Array.from({ length: count }, () => (next = (next + 1) % 256)) };
}

export function at(minutes: number): Instant {
  return must(instantFromMs(Date.UTC(2026, 10, 15, 8, 0) + minutes * 60_000));
}

export function must<T, E>(result: Result<T, E>): T {
  if (!result.ok) throw new Error(`expected ok, got ${JSON.stringify(result.error)}`);
  return result.value;
}

export type OpenStore = () => Promise<JournalStore>;

export const openMemory: OpenStore = async () => journalInMemory(HOST);

export const openFile: OpenStore = async () => {
  const dataDir = join(tempDir(), "data");
  const store = must(await openJournal({ dataDir, clock: fixedClock, random: countingRandom() }));
  onTestFinished(() => store.close());
  return store;
};

export const id = (name: string): RecordId => name as RecordId;

const BODIES: { readonly [K in RecordKind]: BodyOf<K> } = {
  category: { name: "Home", colour: 1, order: "a", archivedAt: null },
  label: { name: "quick" },
  task: {
    categoryId: null,
    title: "Call Ana",
    notes: "",
    status: "OPEN",
    priority: null,
    dueDate: null,
    dueTime: null,
    estimateMinutes: null,
    language: null,
    labelIds: [],
    sourceTaskId: null,
    repeat: null,
    order: "a",
    concludedAt: null,
    archivedAt: null,
  },
  checklist: { taskId: id("t1"), title: "", order: "a" },
  checklistItem: { checklistId: id("c1"), title: "Milk", checked: false, order: "a" },
  timeEntry: { taskId: null, startedAt: at(0), endedAt: at(30), description: "", sourceEntryId: null },
  entry: {
    form: "text",
    occurredAt: at(0),
    text: "",
    categoryId: null,
    taskId: null,
    workoutType: null,
    durationSeconds: null,
  },
  dayPlan: { planDate: "2026-11-15" as BodyOf<"dayPlan">["planDate"], pinnedTaskIds: [], note: "" },
  planBlock: {
    planId: id("plan-2026-11-15"),
    categoryId: null,
    taskId: null,
    startTime: at(0),
    endTime: at(30),
    note: "",
  },
  rating: { targetType: "day", targetId: id("2026-11-15"), value: 3, note: "" },
  link: { fromId: id("t1"), toId: id("t2"), relation: "relates_to" },
};

type Write<K extends RecordKind> = {
  readonly id: string;
  readonly kind: K;
  readonly body?: Partial<BodyOf<K>>;
  readonly sees?: number | null;
  readonly deleted?: boolean;
};

/** A write with a plain body of its kind; `sees` is the revision it expects, none by default. */
export function write<K extends RecordKind>(given: Write<K>): RecordWrite {
  return {
    id: id(given.id),
    kind: given.kind,
    body: { ...BODIES[given.kind], ...given.body },
    deleted: given.deleted ?? false,
    expectedRevision: given.sees ?? null,
  } as unknown as RecordWrite;
}

export function commitOf(
  name: string,
  writes: readonly RecordWrite[],
  more: Partial<JournalCommit> = {},
): JournalCommit {
  const command = { kind: "label.delete", id: id(name) } as const;
  return {
    operationId: name as OperationId,
    command,
    commandDigest: sha256Hex(JSON.stringify(command)),
    at: at(0),
    subjectId: writes[0]?.id ?? null,
    writes,
    undoes: null,
    ...more,
  };
}
