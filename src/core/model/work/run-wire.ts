import * as z from "zod/mini";
import type { Instant } from "#base";
import { recordOf, snakeRecord } from "../approval/record-codec.ts";
import {
  toldConsultSchema,
  toldConsultToWire,
  type ToldConsult,
  type ToldConsultBody,
} from "../consult/consultation.ts";
import { undoSchema, undoToWire, type UndoBody, type UndoView } from "../batch/undo.ts";
import { networkUseSchema, networkUseToWire, type NetworkUse, type NetworkUseBody } from "../egress/network-use.ts";
import { instantSchema } from "../values.ts";
import {
  runSettlementSchema,
  runSettlementToWire,
  type RunSettlement,
  type RunSettlementBody,
} from "./doubt-records.ts";
import {
  projectSummarySchema,
  projectSummaryToWire,
  type ProjectSummary,
  type ProjectSummaryBody,
} from "./project-wire.ts";
import {
  ledgerEntrySchema,
  ledgerEntryToWire,
  runRecordSchema,
  runRecordToWire,
  type LedgerEntry,
  type LedgerEntryBody,
  type RunRecord,
  type RunRecordBody,
} from "./run-records.ts";
import { resultOfRun, workItemResultSchema, workItemResultToWire, type WorkItemResultBody } from "./work-result.ts";

/** Where a run is right now. */
const progressSchema = recordOf(
  z.strictObject({
    attempt: z.int(),
    /** Counted from 1; null while checks run. */
    step: z.nullable(z.int()),
    /** Null where a model chooses them: nobody knows how many there will be. */
    steps: z.nullable(z.int()),
    name: z.string(),
    /** The last line it printed: from outside, and to be shown as nothing else. */
    last_line: z.string(),
    since: instantSchema,
  }),
);
export type RunProgress = {
  readonly attempt: number;
  readonly step: number | null;
  readonly steps: number | null;
  readonly name: string;
  readonly lastLine: string;
  readonly since: Instant;
};

/** A run as a list shows it. `progress` is there while it runs in this Silas. */
export type WorkSummary = {
  readonly run: RunRecord;
  readonly requestId: string;
  readonly title: string;
  readonly progress: RunProgress | null;
  /** What was decided about a run in doubt. */
  readonly settlement: RunSettlement | null;
  /** The run of the project it is a task of. */
  readonly projectRunId: string | null;
  /** Its tasks, if it is a project. */
  readonly project: ProjectSummary | null;
  /** More of a connection was approved for its next step, which begins when that has been signed in for again. */
  readonly signsIn?: boolean;
};
export type WorkDetail = WorkSummary & {
  readonly ledger: readonly LedgerEntry[];
  /** Where it was on the network, and how much went either way. */
  readonly network: readonly NetworkUse[];
  /** How a batch can be taken back; null for whatever is no batch. */
  readonly undo: UndoView | null;
  /** What the planner was asked about it; left out where nothing was. */
  readonly consults?: readonly ToldConsult[];
};

const summarySchema = z.strictObject({
  run: runRecordSchema,
  request_id: z.string(),
  title: z.string(),
  progress: z.nullable(progressSchema),
  settlement: z.nullable(runSettlementSchema),
  project_run_id: z.nullable(z.string()),
  project: z.nullable(projectSummarySchema),
  signs_in: z.optional(z.boolean()),
});
const detailSchema = z.extend(summarySchema, {
  ledger: z.array(ledgerEntrySchema),
  network: z.array(networkUseSchema),
  undo: z.nullable(undoSchema),
  result: z.nullable(workItemResultSchema),
  consults: z.optional(z.array(toldConsultSchema)),
});

export type WorkSummaryBody = {
  readonly run: RunRecordBody;
  readonly request_id: string;
  readonly title: string;
  readonly progress: z.input<typeof progressSchema> | null;
  readonly settlement: RunSettlementBody | null;
  readonly project_run_id: string | null;
  readonly project: ProjectSummaryBody | null;
  readonly signs_in?: boolean | undefined;
};
export type WorkDetailBody = WorkSummaryBody & {
  readonly ledger: readonly LedgerEntryBody[];
  readonly network: readonly NetworkUseBody[];
  readonly undo: UndoBody | null;
  /** What came of it in the shape that all work shares; null while it has not ended. */
  readonly result: WorkItemResultBody | null;
  readonly consults?: readonly ToldConsultBody[];
};

export const workSummaryToWire = ({ run, requestId, title, ...now }: WorkSummary): WorkSummaryBody => ({
  run: runRecordToWire(run),
  request_id: requestId,
  title,
  progress: now.progress === null ? null : snakeRecord(now.progress),
  settlement: now.settlement === null ? null : runSettlementToWire(now.settlement),
  project_run_id: now.projectRunId,
  project: now.project === null ? null : projectSummaryToWire(now.project),
  ...(now.signsIn === true ? { signs_in: true } : {}),
});

export function workDetailToWire({ ledger, network, undo, consults, ...summary }: WorkDetail): WorkDetailBody {
  const result = resultOfRun(summary);
  return {
    ...workSummaryToWire(summary),
    ledger: ledger.map(ledgerEntryToWire),
    network: network.map(networkUseToWire),
    undo: undo === null ? null : undoToWire(undo),
    result: result === null ? null : workItemResultToWire(result),
    ...(consults === undefined ? {} : { consults: consults.map(toldConsultToWire) }),
  };
}

/** Null when it is no such thing. */
export function workSummaryFromWire(body: unknown): WorkSummary | null {
  const { data } = summarySchema.safeParse(body);
  if (data === undefined) return null;
  const { request_id: requestId, project_run_id: projectRunId, signs_in: signsIn = false, ...summary } = data;
  return { ...summary, requestId, projectRunId, ...(signsIn ? { signsIn } : {}) };
}

export function workDetailFromWire(body: unknown): WorkDetail | null {
  const { data } = detailSchema.safeParse(body);
  if (data === undefined) return null;
  const { request_id: requestId, project_run_id: projectRunId, result: _follows, consults, ...rest } = data;
  const { signs_in: signsIn = false, ...detail } = rest;
  const told = { ...(signsIn ? { signsIn } : {}), ...(consults === undefined ? {} : { consults }) };
  return { ...detail, requestId, projectRunId, ...told };
}
