import { assert, err, LIMITS, ok, type Result } from "#base";
import {
  CHOOSE_MOVE,
  type ApprovalUse,
  type BatchProposal,
  type KeptRequest,
  type KeyError,
  type RequestRefusal,
  type SpendRefusal,
  type StoreFault,
} from "#model";
import type {
  ApprovalStore,
  BatchSeries,
  BatchStore,
  GoalItem,
  KeptUndo,
  NewGoalItems,
  Spending,
  Undoing,
} from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { undoneDraft } from "./drafts.ts";

type Row = {
  readonly seriesId: string;
  readonly position: number;
  readonly goalId: string;
  readonly batch: BatchProposal;
  readonly requestId: string | null;
};
type Kept = {
  readonly undos: KeptUndo[];
  rows: readonly Row[];
  readonly items: Map<string, (GoalItem & { readonly foundAt: string })[]>;
  readonly approvals: ApprovalStore;
  readonly recordAct: RecordAct;
};
export type MemoryBatchParts = { readonly recordAct: RecordAct; readonly approvals: ApprovalStore };
export type MemoryBatches = {
  readonly batches: BatchStore;
  /** The approvals it was given, by way of which ways back are kept and series go on: one file has both. */
  readonly approvals: ApprovalStore;
};

/** The in-memory twin of the batch store: the same behaviour in the plainest code. */
export function createMemoryBatchStore({ recordAct, approvals }: MemoryBatchParts): MemoryBatches {
  const kept: Kept = { undos: [], rows: [], items: new Map(), approvals, recordAct };
  return {
    batches: {
      findUndo: async (runId) => ok(undoOf(kept, runId)),
      beginUndo: (undoing) => beginUndo(kept, undoing),
      addSeries: async (series) => {
        kept.rows = kept.rows.filter(({ goalId }) => goalId !== series.goalId);
        return ok(insert(kept, series));
      },
      nextOfSeries: async () => {
        const open = await openRows(kept);
        const asked = new Set(open.filter(({ requestId }) => requestId !== null).map(({ seriesId }) => seriesId));
        const firsts = inOrder(open).filter(({ seriesId, requestId }) => requestId === null && !asked.has(seriesId));
        const isFirst = (row: Row): boolean => firsts.find(({ seriesId }) => seriesId === row.seriesId) === row;
        return ok(firsts.filter(isFirst).map(({ seriesId, position, batch }) => ({ seriesId, position, batch })));
      },
      itemsOf: async (goalId) => {
        const open = (await openRows(kept)).filter((row) => row.goalId === goalId);
        const openQuestions = open.filter(({ batch }) => batch.action === CHOOSE_MOVE).length;
        const items = (kept.items.get(goalId) ?? []).map(({ name, sha256 }) => ({ name, sha256 }));
        const sorted = items.toSorted((a, b) => (a.name + a.sha256 < b.name + b.sha256 ? -1 : 1));
        return ok({ items: sorted, openBatches: open.length - openQuestions, openQuestions });
      },
      addItems: (found) => addItems(kept, found),
      markAsked: async ({ seriesId, position }, requestId) => {
        const isIt = (row: Row): boolean => row.seriesId === seriesId && row.position === position;
        kept.rows = kept.rows.map((row) => (isIt(row) ? { ...row, requestId } : row));
        return ok();
      },
    },
    approvals: {
      ...approvals,
      propose: async (request) => follow(kept, { request, proposed: await approvals.propose(request) }),
      replace: async (made, request) => follow(kept, { request, proposed: await approvals.replace(made, request) }),
      spend: async (spending) => {
        const used = await approvals.spend(spending);
        if (used.ok) keepUndos(kept, spending);
        return used;
      },
    },
  };
}

const inOrder = (rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((a, b) => (a.seriesId === b.seriesId ? a.position - b.position : a.seriesId < b.seriesId ? -1 : 1));

const undoOf = ({ undos }: Kept, runId: string): KeptUndo | null =>
  undos.find((undo) => undo.runId === runId || undo.undoRunId === runId) ?? null;

function keepUndos({ undos }: Kept, { requestId, attemptLineage: runId, also }: Spending): void {
  for (const { token, undo } of also) {
    if (undo === undefined || requestId === null) continue;
    undos.push({ runId, requestId, tokenId: token.tokenId, ...undo, undoRunId: null });
  }
}

type Refused = RequestRefusal | SpendRefusal | KeyError | StoreFault;

async function beginUndo(
  kept: Kept,
  { runId, spending, items }: Undoing,
): Promise<Result<ApprovalUse | null, Refused>> {
  const undo = undoOf(kept, runId);
  assert(undo !== null && undo.runId === runId, "UNDO-01 what is taken back has its way back");
  if (undo.undoRunId !== null) return ok(null);
  const { tokenId } = spending.token;
  if (tokenId !== undo.tokenId) return err({ code: "token_differs", tokenId });
  const used = await kept.approvals.spend(spending);
  if (!used.ok) return used;
  kept.undos[kept.undos.indexOf(undo)] = { ...undo, undoRunId: spending.attemptLineage };
  kept.recordAct(undoneDraft(undo, { spending, items }));
  return used;
}

/** What stands in a request's place stands in its series too. */
function follow<R extends Awaited<ReturnType<ApprovalStore["propose"]>>>(
  kept: Kept,
  { request, proposed }: { readonly request: KeptRequest; readonly proposed: R },
): R {
  const { requestId, againOf } = request;
  if (proposed.ok && proposed.value.isNew && againOf !== null) {
    kept.rows = kept.rows.map((row) => (row.requestId === againOf ? { ...row, requestId } : row));
  }
  return proposed;
}

function insert(kept: Kept, { seriesId, goalId, batches }: BatchSeries): void {
  const added = batches.map((batch, position) => ({ seriesId, position, goalId, batch, requestId: null }));
  kept.rows = [...kept.rows, ...added];
}

/** Not asked about yet, or without an answer. */
async function openRows({ rows, approvals }: Kept): Promise<readonly Row[]> {
  const listed = await approvals.list(["pending", "approved", "declined", "expired"]);
  const all = listed.ok ? listed.value : [];
  const isDecidedLater = (request: KeptRequest): boolean =>
    all.some(
      ({ workItemId, planHash, state, createdAt }) =>
        workItemId === request.workItemId &&
        planHash === request.planHash &&
        (state === "approved" || state === "declined") &&
        createdAt >= request.createdAt,
    );
  return rows.filter(({ requestId }) => {
    const request = all.find((one) => one.requestId === requestId);
    if (requestId === null || request === undefined) return requestId === null;
    return request.state === "pending" || (request.state === "expired" && !isDecidedLater(request));
  });
}

async function addItems(kept: Kept, { goalId, items, series, at }: NewGoalItems): Promise<Result<void, StoreFault>> {
  const open = new Set((await openRows(kept)).map(({ seriesId }) => seriesId));
  kept.rows = kept.rows.filter((row) => row.goalId !== goalId || open.has(row.seriesId));
  const known = kept.items.get(goalId) ?? [];
  const isKnown = ({ name, sha256 }: GoalItem): boolean =>
    known.some((item) => item.name === name && item.sha256 === sha256);
  const all = [...known, ...items.filter((item) => !isKnown(item)).map((item) => ({ ...item, foundAt: at }))];
  const oldest = all.toSorted((a, b) => (a.foundAt < b.foundAt ? 1 : -1))[LIMITS.goalItemsKept]?.foundAt ?? "";
  kept.items.set(
    goalId,
    all.filter(({ foundAt }) => foundAt >= oldest),
  );
  for (const one of series) insert(kept, one);
  return ok();
}
