import { join } from "node:path";
import { cpSync } from "node:fs";
import type { HostId, JournalRecord, RecordId } from "../src/core/model/index.ts";
import { createAuditRules } from "../src/core/policy/index.ts";
import { systemClock, systemRandomness, systemSha256 } from "../src/shell/runtime/index.ts";
import { openStores, type Stores } from "../src/shell/stores/index.ts";
import { makeDir } from "./places.ts";

const HOST = "0192f0c1-7a3b-7c11-9e55-00000000b0b0" as HostId;
/** Now, so that a span of the last days holds some of what was recorded. */
const AT = new Date().toISOString();
const DAY_MS = 86_400_000;
/** Days over which tasks are due, half of them past. */
const DUE_DAYS = 200;
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
  const recordsLater = count - index;
  if (index % 4 === 2) return { ...meta, kind: "entry", body: entryBody(words, recordsLater) } as JournalRecord;
  if (index % 4 === 3) return { ...meta, kind: "timeEntry", body: timeBody(words, recordsLater) } as JournalRecord;
  return { ...meta, kind: "task", body: taskBody(words, { index, recordsLater }) } as JournalRecord;
}

const idOf = (index: number): RecordId => `0192f0c1-7a3b-7c11-9e55-${String(index).padStart(12, "0")}` as RecordId;

function textAt(index: number, count: number): string {
  const rare = index % Math.ceil(count / 6) === 3 ? ` ${WORDS.rare}` : "";
  const some = index % 50 === 7 ? ` ${WORDS.some}` : "";
  const second = SECOND[(index * 7) % SECOND.length];
  const noun = second === WORDS.some ? "window" : second;
  return `${FIRST[index % FIRST.length]} ${THIRD[(index * 5) % THIRD.length]} about the ${noun} ${WORDS.common}${some}${rare} no${index}`;
}

type TaskPlace = { readonly index: number; readonly recordsLater: number };

function taskBody(title: string, { index, recordsLater }: TaskPlace): object {
  return {
    categoryId: null,
    title,
    notes: `${title}. Ask first, then write it down, and look again next week.`,
    status: index % 3 === 0 ? "DONE" : "OPEN",
    priority: (index % 4) + 1,
    dueDate: dueDateAt(index),
    dueTime: null,
    estimateMinutes: 30,
    language: null,
    labelIds: [],
    sourceTaskId: null,
    repeat: null,
    // Base-62 order keys that grow with the index and never end in a zero.
    order: `a${String(index).padStart(7, "0")}V`,
    concludedAt: index % 3 === 0 ? new Date(momentMs(recordsLater)).toISOString() : null,
    archivedAt: null,
  };
}

/** Tasks of both states are due on every day: two of four records are tasks, and every third is done. */
function dueDateAt(index: number): string {
  const days = (Math.floor(index / 4) % DUE_DAYS) - DUE_DAYS / 2;
  return new Date(Date.parse(AT) + days * DAY_MS).toISOString().slice(0, 10);
}

function entryBody(text: string, recordsLater: number): object {
  return {
    form: "text",
    occurredAt: new Date(momentMs(recordsLater)).toISOString(),
    text: `${text}\nThe long version of it, with a second line.`,
    categoryId: null,
    taskId: null,
    workoutType: null,
    durationSeconds: null,
  };
}

function timeBody(description: string, recordsLater: number): object {
  const startedMs = momentMs(recordsLater) - HALF_HOUR_MS;
  return {
    taskId: null,
    startedAt: new Date(startedMs).toISOString(),
    endedAt: new Date(startedMs + HALF_HOUR_MS).toISOString(),
    description,
    sourceEntryId: null,
  };
}

const HALF_HOUR_MS = 1_800_000;

/** Eight a day, an hour apart, the last of them at `AT`: a span of days holds as many however long the history. */
function momentMs(recordsLater: number): number {
  const later = Math.floor(recordsLater / 4);
  return Date.parse(AT) - Math.floor(later / 8) * DAY_MS - (later % 8) * 3_600_000;
}
