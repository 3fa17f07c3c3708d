import { CHOOSE_MOVE, parsePayload, type BatchProposal, type KeptRequest } from "#model";
import type { Approvals } from "../approvals/http-approvals.ts";
import { orFail } from "../approvals/open-approvals.ts";
import { usage } from "../terminal/failure.ts";

export type Choice = { readonly only?: string; readonly without?: string; readonly choose?: string };

/** The batch that a request asks about; null for any other request. */
export function batchIn({ markdown, kind }: Pick<KeptRequest, "markdown" | "kind">): BatchProposal | null {
  const payload = kind === "batch_review" ? parsePayload(markdown) : null;
  return payload !== null && payload.ok && payload.value.kind === "batch_review" ? payload.value : null;
}

/** What is asked about after a choice of items: the same request when nothing was chosen, or another in its place. */
export async function withChoice(
  approvals: Approvals,
  { request, choice }: { readonly request: KeptRequest; readonly choice: Choice },
): Promise<KeptRequest> {
  const itemIds = chosenIds(request, choice);
  if (itemIds === null) return request;
  const actor = { kind: "terminal" } as const;
  const { request: chosen } = orFail(await approvals.select({ requestId: request.requestId, itemIds, actor }));
  return orFail(await approvals.show(chosen.requestId));
}

/** Whether it asks which of several ways one file goes; that is answered by a choice, or declined. [BATCH-03] */
export const isQuestion = (request: Pick<KeptRequest, "markdown" | "kind">): boolean =>
  batchIn(request)?.action === CHOOSE_MOVE;

function chosenIds(request: KeptRequest, { only: items, without, choose }: Choice): readonly string[] | null {
  const said = [items, without, choose].filter((one) => one !== undefined);
  if (said.length === 0) return null;
  if (said.length > 1) throw usage("--only, --without and --choose exclude each other.");
  const only = items ?? choose;
  const batch = batchIn(request);
  if (batch === null) throw usage("Only a batch has items to choose from.");
  if (choose !== undefined && batch.action !== CHOOSE_MOVE) throw usage("Nothing is to be chosen here: use --only.");
  const named = (only ?? without ?? "").split(",").map((id) => id.trim());
  const all = batch.items.map(({ item_id: id }) => id);
  const unknown = named.find((id) => !all.includes(id));
  if (unknown !== undefined) throw usage(`There is no item ${unknown} in this batch.`);
  return only === undefined ? all.filter((id) => !named.includes(id)) : named;
}

/** Items that nothing unusual was found about. */
export const usualIds = ({ items }: BatchProposal): readonly string[] =>
  items.filter(({ flags = [] }) => flags.length === 0).map(({ item_id: id }) => id);
