import * as z from "zod/mini";
import { LIMITS, type Instant } from "#base";
import {
  bodySchemas,
  captionSchema,
  LINK_RELATIONS,
  RATING_TARGETS,
  repeatSchema,
  type JournalRecord,
} from "./journal-records.ts";
import {
  instantSchema,
  localDateSchema,
  localTimeSchema,
  givenNameSchema,
  givenTitleSchema,
  onOneLine,
  operationIdSchema,
  recordIdSchema,
  textSchema,
  titleSchema,
  type OperationId,
  type RecordId,
  maxLength,
  minLength,
} from "./values.ts";

const id = recordIdSchema;
const optional = z.optional;
const nullable = z.nullable;
const many = <T extends z.core.$ZodType>(schema: T) => z.array(schema).check(maxLength(LIMITS.recordsPerCommand));
const some = <T extends z.core.$ZodType>(schema: T) =>
  z.array(schema).check(minLength(1), maxLength(LIMITS.recordsPerCommand));

const task = bodySchemas.task.shape;
const givenCaption = onOneLine(captionSchema);
const taskFields = {
  categoryId: optional(nullable(id)),
  title: optional(givenTitleSchema),
  notes: optional(textSchema),
  status: optional(z.enum(["OPEN", "IN_PROGRESS"])),
  priority: optional(task.priority),
  dueDate: optional(nullable(localDateSchema)),
  dueTime: optional(nullable(localTimeSchema)),
  estimateMinutes: optional(task.estimateMinutes),
  language: optional(task.language),
  labelIds: optional(task.labelIds),
  repeat: optional(nullable(repeatSchema)),
} as const;

/** Where an element goes among its siblings: right after the named one, or first when null. */
const after = nullable(id);

/** The day it is where the owner is, for the next date of a repeating task; the UTC day when absent. */
const today = optional(localDateSchema);

const timeFields = {
  taskId: optional(nullable(id)),
  startedAt: optional(instantSchema),
  endedAt: optional(instantSchema),
  description: optional(textSchema),
  sourceEntryId: optional(nullable(id)),
} as const;

const entryFields = {
  occurredAt: optional(instantSchema),
  text: optional(textSchema),
  categoryId: optional(nullable(id)),
  taskId: optional(nullable(id)),
  workoutType: optional(nullable(givenNameSchema)),
  durationSeconds: optional(bodySchemas.entry.shape.durationSeconds),
} as const;

/**
 * Everything a person (and later a tool) can do to the journal. One command is one transaction and one undo step.
 * `was` carries the values the author saw; a field that someone else changed meanwhile gives `edit_conflict`.
 */
export const journalCommandSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("category.create"),
    name: givenNameSchema,
    colour: optional(bodySchemas.category.shape.colour),
  }),
  z.strictObject({
    kind: z.literal("category.update"),
    id,
    set: z.strictObject({ name: optional(givenNameSchema), colour: optional(bodySchemas.category.shape.colour) }),
  }),
  z.strictObject({ kind: z.literal("category.move"), id, after }),
  z.strictObject({ kind: z.literal("category.archive"), id }),
  z.strictObject({ kind: z.literal("category.unarchive"), id }),
  z.strictObject({ kind: z.literal("label.create"), name: givenNameSchema }),
  z.strictObject({ kind: z.literal("label.update"), id, name: givenNameSchema }),
  z.strictObject({ kind: z.literal("label.delete"), id }),
  z.strictObject({
    kind: z.literal("task.create"),
    ...taskFields,
    title: givenTitleSchema,
    /** Names instead of ids, as captured by hand: a missing category or label is created in the same command. */
    categoryName: optional(givenNameSchema),
    labelNames: optional(z.array(givenNameSchema).check(maxLength(LIMITS.labelsPerTask))),
    items: optional(many(givenTitleSchema)),
  }),
  z.strictObject({
    kind: z.literal("task.update"),
    id,
    set: z.strictObject(taskFields),
    was: optional(z.strictObject({ ...taskFields, title: optional(titleSchema) })),
  }),
  z.strictObject({ kind: z.literal("task.move"), id, after }),
  z.strictObject({ kind: z.literal("task.conclude"), id, as: z.enum(["DONE", "DROPPED"]), today }),
  z.strictObject({ kind: z.literal("task.reopen"), id }),
  z.strictObject({ kind: z.literal("task.archive"), id }),
  z.strictObject({ kind: z.literal("task.unarchive"), id }),
  z.strictObject({ kind: z.literal("task.delete"), id }),
  z.strictObject({
    kind: z.literal("task.followUp"),
    sourceTaskId: id,
    newTaskTitle: givenTitleSchema,
    carryOverOpenChecklistItems: z.boolean(),
    closeSourceTaskAs: nullable(z.enum(["DONE", "DROPPED"])),
    preserveCategoryAndLabels: z.boolean(),
    today,
  }),
  z.strictObject({
    kind: z.literal("checklist.create"),
    taskId: id,
    title: givenCaption,
    items: many(givenTitleSchema),
  }),
  z.strictObject({ kind: z.literal("checklist.update"), id, title: givenCaption }),
  z.strictObject({ kind: z.literal("checklist.delete"), id }),
  z.strictObject({ kind: z.literal("item.add"), checklistId: id, titles: some(givenTitleSchema) }),
  z.strictObject({
    kind: z.literal("item.update"),
    items: some(z.strictObject({ id, title: optional(givenTitleSchema), checked: optional(z.boolean()) })),
  }),
  /** Moves items, keeping their ids and order, to the end of a checklist or after one of its items. */
  z.strictObject({
    kind: z.literal("item.move"),
    itemIds: some(id),
    fromChecklistId: id,
    toChecklistId: id,
    after: optional(after),
    preserveCheckedState: z.boolean(),
  }),
  z.strictObject({ kind: z.literal("item.delete"), itemIds: some(id) }),
  z.strictObject({
    kind: z.literal("timer.start"),
    taskId: nullable(id),
    startedAt: instantSchema,
    description: textSchema,
  }),
  z.strictObject({ kind: z.literal("timer.stop"), endedAt: instantSchema }),
  z.strictObject({
    kind: z.literal("time.add"),
    taskId: nullable(id),
    startedAt: instantSchema,
    endedAt: instantSchema,
    description: textSchema,
    sourceEntryId: nullable(id),
  }),
  z.strictObject({ kind: z.literal("time.update"), id, set: z.strictObject(timeFields) }),
  z.strictObject({ kind: z.literal("time.delete"), id }),
  z.strictObject({
    kind: z.literal("entry.create"),
    form: bodySchemas.entry.shape.form,
    ...entryFields,
    occurredAt: instantSchema,
    text: textSchema,
  }),
  z.strictObject({
    kind: z.literal("entry.update"),
    id,
    set: z.strictObject(entryFields),
    was: optional(z.strictObject({ ...entryFields, workoutType: optional(bodySchemas.entry.shape.workoutType) })),
  }),
  z.strictObject({ kind: z.literal("entry.delete"), id }),
  z.strictObject({ kind: z.literal("plan.note"), planDate: localDateSchema, note: textSchema }),
  z.strictObject({ kind: z.literal("plan.pin"), planDate: localDateSchema, taskIds: some(id) }),
  z.strictObject({ kind: z.literal("plan.unpin"), planDate: localDateSchema, taskIds: some(id) }),
  /** Sets the order of pinned tasks; the ids must be exactly those pinned. */
  z.strictObject({ kind: z.literal("plan.reorder"), planDate: localDateSchema, taskIds: some(id) }),
  z.strictObject({
    kind: z.literal("plan.blocks"),
    planDate: localDateSchema,
    upserts: z
      .array(
        z.strictObject({
          id: nullable(id),
          categoryId: nullable(id),
          taskId: nullable(id),
          startTime: instantSchema,
          endTime: instantSchema,
          note: textSchema,
        }),
      )
      .check(maxLength(LIMITS.blocksPerDay)),
    deletes: z.array(id).check(maxLength(LIMITS.blocksPerDay)),
  }),
  z.strictObject({
    kind: z.literal("rating.set"),
    targetType: z.enum(RATING_TARGETS),
    targetId: id,
    value: bodySchemas.rating.shape.value,
    note: textSchema,
  }),
  z.strictObject({ kind: z.literal("rating.clear"), targetType: z.enum(RATING_TARGETS), targetId: id }),
  z.strictObject({ kind: z.literal("link.add"), fromId: id, toId: id, relation: z.enum(LINK_RELATIONS) }),
  z.strictObject({ kind: z.literal("link.remove"), id }),
  /** Puts back what an earlier operation changed, unless something else changed it since. */
  z.strictObject({ kind: z.literal("undo"), operationId: operationIdSchema }),
]);
export type JournalCommand = z.infer<typeof journalCommandSchema>;
export type JournalCommandKind = JournalCommand["kind"];
export type CommandOf<K extends JournalCommandKind> = Extract<JournalCommand, { readonly kind: K }>;

export const journalRequestSchema = z.strictObject({
  operationId: operationIdSchema,
  command: journalCommandSchema,
  /** `preview` decides and reports what would change, and writes nothing. */
  mode: optional(z.enum(["apply", "preview"])),
});
export type JournalRequest = z.infer<typeof journalRequestSchema>;

/** What a command did. `records` are the changed records as they are now, deleted ones with `deletedAt`. */
export type JournalOutcome = {
  readonly operationId: OperationId;
  readonly at: Instant;
  /** True when this operation had been applied before and nothing was written now. */
  readonly replayed: boolean;
  /** The record the command was about: the created one, or the first changed one. */
  readonly subjectId: RecordId | null;
  readonly records: readonly JournalRecord[];
};
