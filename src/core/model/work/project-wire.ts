import * as z from "zod/mini";
import { recordOf, snakeRecord } from "../approval/record-codec.ts";
import { budgetUsedSchema, RUN_STATUSES, type BudgetUsed, type RunStatus } from "./run-records.ts";

/** One task of a project as a list shows it. Its run is known from the approval on; until it begins it is `pending`. */
type ProjectChild = {
  readonly workItemId: string;
  readonly title: string;
  readonly runId: string;
  readonly status: RunStatus;
  /** Tasks of the project that must be done before it and are not. */
  readonly waitsFor: readonly string[];
};

/** A project with its tasks, in the order in which they run. */
export type ProjectSummary = {
  readonly runId: string;
  readonly workItemId: string;
  readonly title: string;
  readonly status: RunStatus;
  readonly children: readonly ProjectChild[];
  /** Its own use and that of all its tasks. [BUD-04] */
  readonly budgetUsed: BudgetUsed;
};

const status = z.enum(RUN_STATUSES);
const childSchema = recordOf(
  z.strictObject({
    work_item_id: z.string(),
    title: z.string(),
    run_id: z.string(),
    status,
    waits_for: z.array(z.string()),
  }),
);

export const projectSummarySchema = recordOf(
  z.strictObject({
    run_id: z.string(),
    work_item_id: z.string(),
    title: z.string(),
    status,
    children: z.array(childSchema),
    budget_used: budgetUsedSchema,
  }),
);
export type ProjectSummaryBody = z.input<typeof projectSummarySchema>;

export const projectSummaryToWire = ({ children, budgetUsed, ...project }: ProjectSummary): ProjectSummaryBody => ({
  ...snakeRecord(project),
  children: children.map((child) => ({ ...snakeRecord(child), waits_for: [...child.waitsFor] })),
  budget_used: snakeRecord(budgetUsed),
});
