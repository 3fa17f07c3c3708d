import * as z from "zod/mini";
import { LIMITS, type Instant, type LocalDate } from "#base";
import { RATING_TARGETS, RECORD_KINDS, type RecordKind, type RecordOf } from "./journal-records.ts";
import {
  idPartSchema,
  instantSchema,
  localDateSchema,
  operationIdSchema,
  recordIdSchema,
  type OperationId,
  type RecordId,
  maxLength,
} from "./values.ts";

const optional = z.optional;
const rows = optional(z.int().check(z.gte(1), z.lte(LIMITS.pageRows)));
const cursor = optional(z.string().check(maxLength(512)));
const kinds = optional(z.array(z.enum(RECORD_KINDS as [RecordKind, ...RecordKind[]])));

/** Which tasks a list shows. `today` includes what is overdue. The caller says which day it is where the owner is. */
export const TASK_VIEWS = ["open", "today", "upcoming", "inbox", "done", "archived"] as const;
export type TaskView = (typeof TASK_VIEWS)[number];

export const journalQuerySchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("tasks"),
    view: z.enum(TASK_VIEWS),
    today: localDateSchema,
    categoryId: optional(recordIdSchema),
    labelId: optional(recordIdSchema),
    limit: rows,
    cursor,
  }),
  z.strictObject({ kind: z.literal("task"), id: recordIdSchema }),
  z.strictObject({ kind: z.literal("categories") }),
  z.strictObject({ kind: z.literal("labels") }),
  z.strictObject({ kind: z.literal("timer") }),
  /** Notes, observed records, time entries and concluded tasks between two instants, newest first. */
  z.strictObject({ kind: z.literal("timeline"), from: instantSchema, to: instantSchema, limit: rows, cursor }),
  z.strictObject({ kind: z.literal("time"), from: instantSchema, to: instantSchema, taskId: optional(recordIdSchema) }),
  z.strictObject({ kind: z.literal("day"), date: localDateSchema }),
  z.strictObject({
    kind: z.literal("ratings"),
    targetType: z.enum(RATING_TARGETS),
    from: localDateSchema,
    to: localDateSchema,
  }),
  z.strictObject({
    kind: z.literal("search"),
    text: z.string().check(maxLength(1000)),
    kinds,
    limit: optional(z.int().check(z.gte(1), z.lte(LIMITS.searchRows))),
  }),
  /** The records whose id begins or ends with a text, as a person types what a list showed. */
  z.strictObject({ kind: z.literal("find"), idPart: idPartSchema, kinds }),
  /** What was done lately, newest first: the material of undo. */
  z.strictObject({ kind: z.literal("operations"), limit: rows }),
  z.strictObject({ kind: z.literal("operation"), id: operationIdSchema }),
  /** Change units in the order they were committed, after a counter of this host. */
  z.strictObject({ kind: z.literal("changes"), after: z.int().check(z.gte(0)), limit: rows }),
  z.strictObject({ kind: z.literal("counts"), today: localDateSchema }),
]);
export type JournalQuery = z.infer<typeof journalQuerySchema>;

export type TaskRow = {
  readonly task: RecordOf<"task">;
  readonly itemsTotal: number;
  readonly itemsChecked: number;
  readonly spentSeconds: number;
  /** Set while a timer runs on the task. */
  readonly runningSince: Instant | null;
};
export type TaskDetail = TaskRow & {
  readonly checklists: readonly {
    readonly checklist: RecordOf<"checklist">;
    readonly items: readonly RecordOf<"checklistItem">[];
  }[];
  readonly timeEntries: readonly RecordOf<"timeEntry">[];
  readonly entries: readonly RecordOf<"entry">[];
  readonly links: readonly {
    readonly link: RecordOf<"link">;
    readonly other: { readonly id: RecordId; readonly kind: RecordKind; readonly title: string } | null;
  }[];
  readonly source: RecordOf<"task"> | null;
  readonly followUps: readonly RecordOf<"task">[];
  readonly rating: RecordOf<"rating"> | null;
};
export type TimelineRow = RecordOf<"entry"> | RecordOf<"timeEntry"> | RecordOf<"task">;
export type DayView = {
  readonly date: LocalDate;
  readonly plan: RecordOf<"dayPlan"> | null;
  readonly blocks: readonly RecordOf<"planBlock">[];
  /** Pinned tasks in pinned order. */
  readonly pinned: readonly TaskRow[];
  readonly rating: RecordOf<"rating"> | null;
};
export type SearchHit = {
  readonly id: RecordId;
  readonly kind: RecordKind;
  /** The record to open: the task of a checklist item or time entry, else the record itself. */
  readonly openId: RecordId;
  readonly openKind: RecordKind;
  readonly title: string;
  /** Text around the match; matches are between U+0002 and U+0003. */
  readonly snippet: string;
  readonly at: Instant;
};
/** One record that fits a part of an id. Deleted ones are named only where no other fits. */
export type FoundRecord = {
  readonly id: RecordId;
  readonly kind: RecordKind;
  readonly title: string;
  readonly deleted: boolean;
};
export type OperationRow = {
  readonly operationId: OperationId;
  readonly at: Instant;
  readonly commandKind: string;
  readonly subjectId: RecordId | null;
  readonly title: string;
  readonly undoneBy: OperationId | null;
};
export type ChangeRow = {
  readonly hostId: string;
  readonly counter: number;
  readonly payloadType: string;
  readonly payloadId: RecordId;
  readonly kind: RecordKind;
  readonly at: Instant;
};
export type Page<T> = { readonly rows: readonly T[]; readonly nextCursor: string | null };

export type JournalAnswers = {
  readonly tasks: Page<TaskRow>;
  readonly task: TaskDetail | null;
  readonly categories: readonly RecordOf<"category">[];
  readonly labels: readonly RecordOf<"label">[];
  readonly timer: { readonly entry: RecordOf<"timeEntry">; readonly task: RecordOf<"task"> | null } | null;
  readonly timeline: Page<TimelineRow>;
  readonly time: readonly RecordOf<"timeEntry">[];
  readonly day: DayView;
  readonly ratings: readonly RecordOf<"rating">[];
  readonly search: { readonly hits: readonly SearchHit[]; readonly tookMs: number };
  /** At most `LIMITS.foundRows`: the whole id first, then in the order of their ids. */
  readonly find: readonly FoundRecord[];
  readonly operations: readonly OperationRow[];
  readonly operation: OperationRow | null;
  readonly changes: readonly ChangeRow[];
  readonly counts: { readonly [V in TaskView]: number };
};
export type AnswerOf<Q extends JournalQuery> = JournalAnswers[Q["kind"]];
