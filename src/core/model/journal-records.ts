import * as z from "zod/mini";
import { isWellFormed, LIMITS } from "#base";
import {
  hostIdSchema,
  instantSchema,
  localDateSchema,
  localTimeSchema,
  nameSchema,
  recordIdSchema,
  textSchema,
  titleSchema,
  type RecordId,
  maxLength,
} from "./values.ts";

/** `TaskStatus.DONE` and `DROPPED` close a task; the other two are open. */
export const TASK_STATUSES = ["OPEN", "IN_PROGRESS", "DONE", "DROPPED"] as const;

export const RATING_TARGETS = ["day", "task", "timeEntry"] as const;
export const LINK_RELATIONS = ["relates_to", "blocks", "follows", "mentions"] as const;
const ENTRY_FORMS = ["text", "audio", "observed"] as const;
export const REPEAT_UNITS = ["day", "week", "month", "year"] as const;
/** Some 1,500 moves to the very same place fit; then the list must be sorted another way. */
export const ORDER_KEY_CHARS = 256;

const nullable = z.nullable;
/** Base-62 text without zeros at its end, so that there is always room on both sides of it. */
const orderKey = z.string().check(maxLength(ORDER_KEY_CHARS), z.regex(/^[0-9A-Za-z]*[1-9A-Za-z]$/));
/** A title that may be empty. */
export const captionSchema = z
  .string()
  .check(maxLength(LIMITS.titleChars), z.refine<string>(isWellFormed, "invalid_text"));

/** `from: "due"` keeps the rhythm of the calendar; `"done"` counts from the day the task was concluded. */
export const repeatSchema = z.strictObject({
  every: z.int().check(z.gte(1), z.lte(999)),
  unit: z.enum(REPEAT_UNITS),
  weekdays: z.array(z.int().check(z.gte(1), z.lte(7))).check(maxLength(7)),
  from: z.enum(["due", "done"]),
  /** The day of the month the rhythm belongs to, kept while a short month made a due date earlier. */
  anchorDay: z.optional(z.int().check(z.gte(1), z.lte(31))),
});
export type Repeat = z.infer<typeof repeatSchema>;

export const bodySchemas = {
  category: z.strictObject({
    name: nameSchema,
    colour: z.int().check(z.gte(0), z.lte(11)),
    order: orderKey,
    archivedAt: nullable(instantSchema),
  }),
  label: z.strictObject({ name: nameSchema }),
  task: z.strictObject({
    categoryId: nullable(recordIdSchema),
    title: titleSchema,
    notes: textSchema,
    status: z.enum(TASK_STATUSES),
    /** 1 is the most urgent, 4 the least; null is none. */
    priority: nullable(z.int().check(z.gte(1), z.lte(4))),
    dueDate: nullable(localDateSchema),
    dueTime: nullable(localTimeSchema),
    estimateMinutes: nullable(z.int().check(z.gte(0), z.lte(LIMITS.estimateMinutes))),
    /** BCP 47 tag of the language the task is written in. */
    language: nullable(z.string().check(maxLength(35), z.regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/))),
    labelIds: z.array(recordIdSchema).check(maxLength(LIMITS.labelsPerTask)),
    sourceTaskId: nullable(recordIdSchema),
    repeat: nullable(repeatSchema),
    order: orderKey,
    concludedAt: nullable(instantSchema),
    archivedAt: nullable(instantSchema),
  }),
  checklist: z.strictObject({
    taskId: recordIdSchema,
    title: captionSchema,
    order: orderKey,
  }),
  checklistItem: z.strictObject({
    checklistId: recordIdSchema,
    title: titleSchema,
    checked: z.boolean(),
    order: orderKey,
  }),
  timeEntry: z.strictObject({
    taskId: nullable(recordIdSchema),
    startedAt: instantSchema,
    endedAt: nullable(instantSchema),
    description: textSchema,
    sourceEntryId: nullable(recordIdSchema),
  }),
  entry: z.strictObject({
    form: z.enum(ENTRY_FORMS),
    occurredAt: instantSchema,
    text: textSchema,
    categoryId: nullable(recordIdSchema),
    taskId: nullable(recordIdSchema),
    workoutType: nullable(nameSchema),
    durationSeconds: nullable(z.int().check(z.gte(0), z.lte(604_800))),
  }),
  dayPlan: z.strictObject({
    planDate: localDateSchema,
    pinnedTaskIds: z.array(recordIdSchema).check(maxLength(LIMITS.pinsPerDay)),
    note: textSchema,
  }),
  planBlock: z.strictObject({
    planId: recordIdSchema,
    categoryId: nullable(recordIdSchema),
    taskId: nullable(recordIdSchema),
    startTime: instantSchema,
    endTime: instantSchema,
    note: textSchema,
  }),
  rating: z.strictObject({
    targetType: z.enum(RATING_TARGETS),
    /** A record id, or the date itself when a day is rated. */
    targetId: recordIdSchema,
    value: z.int().check(z.gte(1), z.lte(5)),
    note: textSchema,
  }),
  link: z.strictObject({ fromId: recordIdSchema, toId: recordIdSchema, relation: z.enum(LINK_RELATIONS) }),
} as const;

export type RecordKind = keyof typeof bodySchemas;
export const RECORD_KINDS = Object.keys(bodySchemas) as readonly RecordKind[];
export type BodyOf<K extends RecordKind> = z.infer<(typeof bodySchemas)[K]>;

const metaShape = {
  id: recordIdSchema,
  createdAt: instantSchema,
  updatedAt: instantSchema,
  deletedAt: nullable(instantSchema),
  /** Version on this device, counted from 1; guards writes against lost updates and is not part of any sync. */
  revision: z.int().check(z.gte(1)),
  /** The host and its counter that wrote this version: the record's change unit. [JOURNAL-10] */
  hostId: hostIdSchema,
  counter: z.int().check(z.gte(1)),
  vectorClock: z.record(z.string(), z.int().check(z.gte(1))),
} as const;
const metaSchema = z.strictObject(metaShape);
export type RecordMeta = z.infer<typeof metaSchema>;

/** One journal record as stored, sent and exported: its meta data and its body by kind. */
export type RecordOf<K extends RecordKind> = {
  [P in K]: RecordMeta & { readonly kind: P; readonly body: BodyOf<P> };
}[K];
export type JournalRecord = RecordOf<RecordKind>;

const recordSchema = <K extends RecordKind>(kind: K) =>
  z.strictObject({ ...metaShape, kind: z.literal(kind), body: bodySchemas[kind] });

export const journalRecordSchema = z.discriminatedUnion("kind", [
  recordSchema("category"),
  recordSchema("label"),
  recordSchema("task"),
  recordSchema("checklist"),
  recordSchema("checklistItem"),
  recordSchema("timeEntry"),
  recordSchema("entry"),
  recordSchema("dayPlan"),
  recordSchema("planBlock"),
  recordSchema("rating"),
  recordSchema("link"),
]);

/** The parent whose tree a record belongs to: checklists hang on tasks, items on checklists, blocks on plans. */
export function parentIdOf(record: { readonly kind: RecordKind; readonly body: object }): RecordId | null {
  const { kind, body } = record as JournalRecord;
  switch (kind) {
    case "checklist":
      return body.taskId;
    case "checklistItem":
      return body.checklistId;
    case "timeEntry":
      return body.taskId;
    case "planBlock":
      return body.planId;
    default:
      return null;
  }
}

/** One plan per day and one rating per target, on every device: their ids derive from what they are about. */
export const dayPlanId = (planDate: string): RecordId => `plan-${planDate}` as RecordId;
export const ratingId = (targetType: string, targetId: string): RecordId =>
  `rating-${targetType}-${targetId}` as RecordId;
