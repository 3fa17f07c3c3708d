import { create } from "zustand";
import type { JournalCommand, JournalOutcome, NotificationBatch, OperationId, RecordId } from "#model";
import { submitToServer, UNREACHABLE, type WireError } from "../wire/http.ts";
import { database, type Waiting } from "./database.ts";
import { isPendingId, mentions, standInOf, withRealIds } from "./stand-in.ts";

/**
 * Every write goes through here, online or not: it is shown at once, stored, sent in order, and forgotten only when the
 * server has answered. It is called waiting only once it is stored: a person who reads that may close the page. The
 * operation id makes a repeated send harmless.
 */
export type Sent =
  | { readonly status: "applied"; readonly outcome: JournalOutcome }
  | { readonly status: "queued"; readonly operationId: OperationId }
  | { readonly status: "refused"; readonly error: WireError; readonly operationId: OperationId };

type Outbox = {
  readonly rows: readonly Waiting[];
  /** What the server called the records that waited to be made. */
  readonly realIds: ReadonlyMap<RecordId, RecordId>;
};
export const useOutbox = create<Outbox>(() => ({ rows: [], realIds: new Map() }));

/** True for a record that waits to be made: this browser has stored it, and the server has not answered. */
export const useIsWaiting = (id: RecordId): boolean =>
  useOutbox(({ rows }) => isPendingId(id) && rows.some((row) => standInOf(row.operationId) === id && isWaiting(row)));

/** True for a write that is stored and not refused. */
export const isWaiting = (row: Waiting): boolean => row.refusal === null && row.isStoring !== true;

type Afterwards = () => Promise<unknown>;
let afterwards: Afterwards = () => Promise.resolve();
/** What to do between an applied write and the end of its preview: read the surfaces again. */
export const onApplied = (work: Afterwards): void => void (afterwards = work);

const listeners = new Map<OperationId, (sent: Sent) => void>();
let lastSequence = 0;

/** Takes in what other pages of this browser keep, and lets go of what they have sent meanwhile. */
async function loadOutbox(): Promise<void> {
  const found = await (await database()).getAll("outbox");
  const kept = found.filter((row) => !takenBack.has(row.operationId));
  useOutbox.setState(({ rows }) => {
    const known = new Set(kept.map((row) => row.operationId));
    const mine = rows.filter(
      (row) => !known.has(row.operationId) && (listeners.has(row.operationId) || isAnswered(row)),
    );
    return { rows: [...kept, ...mine].toSorted((one, other) => one.sequence - other.sequence) };
  });
}

const isAnswered = (row: Waiting): boolean => row.madeIds !== undefined;

const SENDING = "silas-outbox";

/**
 * Loads the outbox again once no page of this browser is sending. A write under way may be applied already: loaded now,
 * it would be shown beside the record it made, and nothing would remove it.
 */
export const refreshOutbox = (): Promise<void> =>
  navigator.locks.request(SENDING, { mode: "shared" }, loadOutbox).catch(() => undefined);

/** What is on its way to the server: it may be applied there, whatever becomes of the answer. */
let underWay: OperationId | null = null;
/** True while a write can be taken back by not sending it. */
export const isUnsent = (operationId: OperationId): boolean =>
  operationId !== underWay &&
  useOutbox.getState().rows.some((row) => row.operationId === operationId && !isAnswered(row));

export async function submit(given: JournalCommand): Promise<Sent> {
  const command = withRealIds(given, useOutbox.getState().realIds);
  const operationId = crypto.randomUUID() as OperationId;
  lastSequence = Math.max(lastSequence + 1, Date.now());
  const row: Waiting = { sequence: lastSequence, operationId, command, atMs: Date.now(), refusal: null };
  const { promise, resolve } = Promise.withResolvers<Sent>();
  listeners.set(operationId, resolve);
  useOutbox.setState(({ rows }) => ({ rows: [...rows, { ...row, isStoring: true }] }));
  // A browser without a database (some private windows) still gets to send it.
  await keepRow(row).catch(() => undefined);
  useOutbox.setState(({ rows }) => ({
    rows: rows.map((each) => (each.operationId === operationId ? { ...each, isStoring: false } : each)),
  }));
  void flush();
  return promise;
}

let leftovers: Promise<void> | null = null;
let isCaughtUp = false;
/** What an earlier visit left behind is sent before anything is read, so that nothing is shown twice. */
export function sendLeftovers(): Promise<void> {
  leftovers ??= loadOutbox()
    .then(() => (useOutbox.getState().rows.some((row) => row.refusal === null) ? flush() : undefined))
    .catch(() => undefined)
    .finally(() => {
      isCaughtUp = true;
    });
  return leftovers;
}

let flushing: Promise<void> | null = null;
let again = false;

/** Sends what waits, oldest first, one at a time; a second page of the same browser waits for the first. */
export function flush(): Promise<void> {
  if (flushing !== null) {
    again = true;
    return flushing;
  }
  flushing = navigator.locks
    .request(SENDING, sendAll)
    .catch(() => undefined)
    .finally(() => {
      flushing = null;
      if (again) {
        again = false;
        void flush();
      }
    });
  return flushing;
}

async function sendAll(): Promise<void> {
  await loadOutbox().catch(() => undefined);
  // In order, because a later write may depend on an earlier one.
  for (let row = nextToSend(); row !== undefined; row = nextToSend()) {
    underWay = row.operationId;
    const outcome = await sendOne(row).finally(() => {
      underWay = null;
    });
    if (outcome === "later") break;
  }
  if (!useOutbox.getState().rows.some(isAnswered)) return;
  // The first reads wait for the leftovers; waiting for those reads here would wait for ever.
  if (isCaughtUp) await afterwards();
  useOutbox.setState(({ rows }) => ({ rows: rows.filter((row) => !isAnswered(row)) }));
}

const nextToSend = (): Waiting | undefined =>
  useOutbox.getState().rows.find((row) => row.refusal === null && !isAnswered(row));

async function sendOne(row: Waiting): Promise<"answered" | "later"> {
  const { operationId } = row;
  // A write that another page of this browser kept may still speak of a record by its stand-in.
  const command = withRealIds(row.command, useOutbox.getState().realIds);
  const answer = await submitToServer({ operationId, command });
  if (answer.ok) {
    await settle(row, answer.value.subjectId);
    const madeIds = answer.value.records.map((record) => record.id);
    for (const id of madeIds) ownChanges.set(id, Date.now());
    replace({ ...row, madeIds });
    tell(operationId, { status: "applied", outcome: answer.value });
    return "answered";
  }
  if (answer.error.code === UNREACHABLE || isPassing(answer.error.code)) {
    for (const waiting of useOutbox.getState().rows) {
      tell(waiting.operationId, { status: "queued", operationId: waiting.operationId });
    }
    // A lost connection is followed by a new one, which flushes; a busy server has to be asked again.
    if (answer.error.code !== UNREACHABLE) setTimeout(() => void flush(), RETRY_MS);
    return "later";
  }
  await refuse(row, answer.error);
  return "answered";
}

const OWN_MS = 2000;
const ownChanges = new Map<string, number>();
/** True when everything a batch is about was changed by this page a moment ago. */
export function isOwnEcho(batch: NotificationBatch): boolean {
  for (const [id, atMs] of ownChanges) if (Date.now() - atMs > OWN_MS) ownChanges.delete(id);
  const ids = batch.typedTokens.filter(({ tokenClass }) => tokenClass === "entityId");
  return ids.length > 0 && ids.every(({ tokenValue }) => ownChanges.has(tokenValue));
}

/** Forgets an answered write and, in the same step, gives those behind it the real id of what it made. */
async function settle(row: Waiting, madeId: RecordId | null): Promise<void> {
  const standIn = standInOf(row.operationId);
  if (madeId === null) return forget(row.sequence);
  const realIds = new Map(useOutbox.getState().realIds).set(standIn, madeId);
  useOutbox.setState(({ rows }) => ({
    realIds,
    rows: rows.map((each) =>
      mentions(each.command, standIn) ? { ...each, command: withRealIds(each.command, realIds) } : each,
    ),
  }));
  await keepSettled(row, realIds).catch(() => undefined);
}

async function keepSettled(row: Waiting, realIds: Outbox["realIds"]): Promise<void> {
  const step = (await database()).transaction("outbox", "readwrite");
  const behind = (await step.store.getAll()).filter((each) => mentions(each.command, standInOf(row.operationId)));
  await Promise.all([
    step.store.delete(row.sequence),
    ...behind.map((each) => step.store.put({ ...each, command: withRealIds(each.command, realIds) })),
    step.done,
  ]);
}

const RETRY_MS = 3000;
const forget = async (sequence: number): Promise<void> =>
  database()
    .then((db) => db.delete("outbox", sequence))
    .catch(() => undefined);

/** The server could not answer now, but the same request may succeed later. */
const isPassing = (code: string): boolean =>
  code === "store_busy" || code === "unauthorized" || code === "rate_limited" || /^http_(401|429|5\d\d)$/.test(code);

async function refuse(row: Waiting, error: WireError): Promise<void> {
  const someoneListens = listeners.has(row.operationId);
  tell(row.operationId, { status: "refused", error, operationId: row.operationId });
  if (someoneListens && !carriesText(row.command)) {
    await discard(row.operationId);
    return;
  }
  const kept: Waiting = { ...row, refusal: { code: error.code, message: error.message } };
  await keepRow(kept).catch(() => undefined);
  replace(kept);
}

/** Words somebody typed are never thrown away because a server said no; the edit dialog keeps its own. */
const carriesText = ({ kind }: JournalCommand): boolean => kind === "task.create" || kind === "entry.create";

/** What may still be found in the database, and must not be sent any more. */
const takenBack = new Set<OperationId>();

/**
 * Takes a write back before it was sent, together with those that speak of what it would have made. They are gone from
 * what is sent at once: the database takes a moment, and whatever is sent in that moment is not unsent any more.
 */
export async function discard(operationId: OperationId): Promise<void> {
  const standIn = standInOf(operationId);
  const isGone = (each: Waiting): boolean => each.operationId === operationId || mentions(each.command, standIn);
  const gone = useOutbox.getState().rows.filter(isGone);
  for (const each of gone) takenBack.add(each.operationId);
  useOutbox.setState(({ rows }) => ({ rows: rows.filter((each) => !isGone(each)) }));
  await Promise.all(gone.map(({ sequence }) => forget(sequence)));
}

const keepRow = async (row: Waiting): Promise<unknown> => (await database()).put("outbox", row);

const replace = (row: Waiting): void =>
  useOutbox.setState(({ rows }) => ({ rows: rows.map((each) => (each.sequence === row.sequence ? row : each)) }));

function tell(operationId: OperationId, sent: Sent): void {
  listeners.get(operationId)?.(sent);
  listeners.delete(operationId);
}
