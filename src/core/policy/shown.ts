import {
  isPayloadKind,
  projectionRows,
  readPayload,
  readProjection,
  type CardRow,
  type RequestKind,
  type RiskLevel,
} from "#model";
import { riskOfPayload } from "./card-payload.ts";
import { riskOfPlan } from "./card-plan.ts";

/** What follows from a projection alone, whatever else a row or a receipt says. */
export type Shown = { readonly itemId: string; readonly risk: RiskLevel; readonly rows: readonly CardRow[] };

/** Null when the text is no projection of this kind. */
export function readShown(kind: RequestKind, projection: string): Shown | null {
  if (isPayloadKind(kind)) {
    const read = readPayload(kind, projection);
    if (!read.ok) return null;
    const { payload, subjectId, whole } = read.value;
    return { itemId: subjectId, risk: riskOfPayload(payload), rows: projectionRows(whole) };
  }
  const read = readProjection(projection);
  if (!read.ok) return null;
  const { plan, whole } = read.value;
  return { itemId: plan.id, risk: riskOfPlan(plan), rows: projectionRows(whole) };
}
