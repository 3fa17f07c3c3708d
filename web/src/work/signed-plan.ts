import { readProjection, type ShownTask, type WorkSummaryBody } from "#model";
import { useRequest } from "../review/review-reads.ts";

/** The plan of a run in the text that was signed: its own, or that of the task of a project. Null until it is known. */
export function useSignedPlan({ request_id: requestId, run }: WorkSummaryBody): ShownTask | null {
  const { data } = useRequest(requestId === "" ? null : requestId, "approved");
  if (data === undefined) return null;
  const read = readProjection(data.projection);
  if (!read.ok) return null;
  const { plan } = read.value;
  return [plan, ...plan.children].find((each) => each?.id === run.work_item_id) ?? null;
}
