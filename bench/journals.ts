import { join } from "node:path";
import { cpSync } from "node:fs";
import type { HostId, JournalRecord, RecordId } from "../src/core/model/index.ts";
import { createAuditRules } from "../src/core/policy/index.ts";
import { systemClock, systemRandomness, systemSha256 } from "../src/shell/runtime/index.ts";
import { openStores, type Stores } from "../src/shell/stores/index.ts";
import { makeDir } from "./places.ts";

const HOST = "0192f0c1-7a3b-7c11-9e55-00000000b0b0" as HostId;
const AT = "2026-11-15T09:00:00.000Z";
const IMPORT_RECORDS = 5_000;
const FIRST = ["Call", "Write", "Plan", "Repair", "Order", "Read", "Sort", "Visit", "Pay", "Water", "Clean", "Book"];
const SECOND = ["invoice", "garden", "roof", "letters", "bicycle", "insurance", "kitchen", "photos", "taxes", "boiler"];
const THIRD = ["Ana", "Bea", "Carl", "Dora", "Emil", "Fatma", "Georg", "Hanna", "Ines", "Jonas", "Karla", "Liam"];

/** A word of every record, one of every fiftieth, and one of six in all. */
export const WORDS = { common: "today", some: "insurance", rare: "zanzibar" } as const;

const built = new Map<number, Promise<string>>();

/** A data directory with this many records of mixed kinds; each caller gets a copy of its own. */
export async function makeJournal(records: number): Promise<string> {
  const existing = built.get(records) ?? buildJournal(records);
  built.set(records, existing);
  const dir = join(makeDir(), "data");
  cpSync(await existing, dir, { recursive: true });
  return dir;
}

export async function openJournalAt(dataDir: string): Promise<Stores> {
  const opened = await openStores({
    dataDir,
    clock: systemClock,
    random: systemRandomness,
    auditRules: createAuditRules(systemSha256),
  });
  if (!opened.ok) throw new Error(`the journal does not open: ${opened.error.code}`);
  return opened.value;
}

async function buildJournal(count: number): Promise<string> {
  const dir = join(makeDir(), "data");
  const stores = await openJournalAt(dir);
  for (let first = 0; first < count; first += IMPORT_RECORDS) {
    const size = Math.min(IMPORT_RECORDS, count - first);
    const imported = await stores.journal.importRecords(
      Array.from({ length: size }, (_, index) => recordAt(first + index, count)),
    );
    if (!imported.ok) throw new Error(`the records were not imported: ${imported.error.code}`);
  }
  await stores.close();
  return dir;
}

/** Two tasks, one note and one time entry of every four records. */
function recordAt(index: number, count: number): JournalRecord {
  const id = idOf(index);
  const counter = index + 1;
  const meta: object = {
    id,
    createdAt: AT,
    updatedAt: AT,
    deletedAt: null,
    revision: 1,
    hostId: HOST,
    counter,
    vectorClock: { [HOST]: counter },
  };
  const words = textAt(index, count);
  if (index % 4 === 2) return { ...meta, kind: "entry", body: entryBody(words) } as JournalRecord;
  if (index % 4 === 3) return { ...meta, kind: "timeEntry", body: timeBody(words, count - index) } as JournalRecord;
  return { ...meta, kind: "task", body: taskBody(words, index) } as JournalRecord;
}

const idOf = (index: number): RecordId => `0192f0c1-7a3b-7c11-9e55-${String(index).padStart(12, "0")}` as RecordId;

function textAt(index: number, count: number): string {
  const rare = index % Math.ceil(count / 6) === 3 ? ` ${WORDS.rare}` : "";
  const some = index % 50 === 7 ? ` ${WORDS.some}` : "";
  const second = SECOND[(index * 7) % SECOND.length];
  const noun = second === WORDS.some ? "window" : second;
  return `${FIRST[index % FIRST.length]} ${THIRD[(index * 5) % THIRD.length]} about the ${noun} ${WORDS.common}${some}${rare} no${index}`;
}

function taskBody(title: string, index: number): object {
  return {
    categoryId: null,
    title,
    notes: `${title}. Ask first, then write it down, and look again next week.`,
    status: index % 3 === 0 ? "DONE" : "OPEN",
    priority: (index % 4) + 1,
    dueDate: `2026-${String((index % 12) + 1).padStart(2, "0")}-${String((index % 28) + 1).padStart(2, "0")}`,
    dueTime: null,
    estimateMinutes: 30,
    language: null,
    labelIds: [],
    sourceTaskId: null,
    repeat: null,
    // Base-62 order keys that grow with the index and never end in a zero.
    order: `a${String(index).padStart(7, "0")}V`,
    concludedAt: index % 3 === 0 ? AT : null,
    archivedAt: null,
  };
}

function entryBody(text: string): object {
  return {
    form: "text",
    occurredAt: AT,
    text: `${text}\nThe long version of it, with a second line.`,
    categoryId: null,
    taskId: null,
    workoutType: null,
    durationSeconds: null,
  };
}

/** Eight half hours a day, the last of them on the day of `AT`, so that a span of days holds as many however long the history. */
function timeBody(description: string, recordsLater: number): object {
  const entriesLater = Math.floor(recordsLater / 4);
  const startedMs = Date.parse(AT) - Math.floor(entriesLater / 8) * 86_400_000 - (entriesLater % 8) * 3_600_000;
  return {
    taskId: null,
    startedAt: new Date(startedMs).toISOString(),
    endedAt: new Date(startedMs + 1_800_000).toISOString(),
    description,
    sourceEntryId: null,
  };
}
