/**
 * engine: one of each machine that the product runs on.
 *
 * The durable queue: what must happen later is a message on it. A reader leases messages of some kinds, handles each
 * under a lease until its work is over, and settles it together with what its handler writes.
 * The timers: what is due at a time is a row, and one loop sleeps until the nearest one. A row that is due becomes a
 * message, and its owner handles it.
 * Decisions: the commit of a decision sends a message, and one table with one settler per kind carries it out.
 * Conversations: `converse` holds every conversation with a model, one step at a time, and each call of a model is a row of
 * the one ledger, which budgets are sums of.
 * The turn feed: carries a reply to open pages and terminals while it is written; nothing hangs on it.
 * Tools: what a tool without a sandbox program does, by its name; the tools themselves are in `#tools`.
 * Invariants: a message is handled at least once and settled once; messages with the same order key never overlap; only
 * the newest lease settles. Methods throw a `Fault` when the database fails; `asResult` serves callers that expect values.
 */
export type { Database } from "./database.ts";
export { asResult, SQLITE_CORRUPT, faultOf } from "./fault.ts";
export { createQueue, type Queue } from "./queue/queue.ts";
export { createReader, DONE, UNUSED, type Outcome, type Reader, type ReaderDeps } from "./queue/reader.ts";
export { deadLetterOf, readMessage, type DeadLetter, type DeadRow, type QueueText } from "./queue/rows.ts";
export type { LeasedMessage } from "./queue/table.ts";
export { createJobs, type Job, type TimerJobs } from "./timers/jobs.ts";
export { createTimerLoop, type TimerOwner, type TimerOwners } from "./timers/loop.ts";
export { createTimerTable, type TimerTable } from "./timers/table.ts";
export { loadTimetable } from "./timers/timetable.ts";
export { performAsk } from "./tools/ask.ts";
export { createDecisions, type Decisions } from "./decisions/create.ts";
export type { DecisionParts } from "./decisions/settler.ts";
export { converse, type ConversationOutcome } from "./conversation/converse.ts";
export type { ModelCallDeps } from "./models/call-model.ts";
export { createModelLedger, type ModelLedger } from "./models/ledger.ts";
export { createTurnFeed, type TurnPublisher } from "./turn-feed.ts";
