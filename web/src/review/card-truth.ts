import { parseStrictJson, type JsonValue } from "#base";
import { projectionRows, readProjection, type CardRow, type ShownPlan, type ShownRequestBody } from "#model";
import { judgeShown } from "../trust/index.ts";

/** What the page made of the signed text itself; nothing in here comes from the card the server drew. [T7] */
export type CardTruth =
  | {
      readonly kind: "holds";
      readonly rows: readonly CardRow[];
      /** The plan in the signed text; null for what is no plan. */
      readonly plan: ShownPlan | null;
    }
  | { readonly kind: "tampered" };

const TAMPERED = { kind: "tampered" } as const;

/**
 * Whether what is shown is what would be signed: the hash is computed here, from the text, and the rows of the card must
 * be those of the text. A card that does not hold has no way to be approved.
 */
export function cardTruth(request: ShownRequestBody): CardTruth {
  const { projection, card } = request;
  if (!judgeShown(request).ok || card.risk_level !== request.risk_level) return TAMPERED;
  const parsed = parseStrictJson(projection);
  if (!parsed.ok || !isMap(parsed.value)) return TAMPERED;
  const read = readProjection(projection);
  return { kind: "holds", rows: projectionRows(parsed.value), plan: read.ok ? read.value.plan : null };
}

const isMap = (value: JsonValue): value is { readonly [field: string]: JsonValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
