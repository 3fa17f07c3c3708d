import { LIMITS, ok, oneLine, sha256Hex, type Result } from "#base";
import {
  MOVE_FILES,
  readMoveFiles,
  payloadProjection,
  payloadSays,
  projectionRows,
  readPayload,
  type Card,
  type CardRow,
  type Payload,
  type PayloadKind,
  type ProjectionRefusal,
  type RiskLevel,
  type ShownPayload,
} from "#model";
import { detailsState, orderCtas } from "./card-plan.ts";
import { quantity } from "./card-words.ts";
import { frictionFor, type StrongAuth } from "./friction.ts";
import { batchReversibility, riskOf } from "./risk.ts";

/** The card that asks about something else than a plan. As with a plan, it is made of what is signed. [APPR-10] */
export function cardForPayload(
  payload: Payload,
  { strongAuth }: { readonly strongAuth: StrongAuth },
): Result<Card, ProjectionRefusal> {
  const projection = payloadProjection(payload);
  return cardForShown({ kind: payload.kind, projection, notes: projectionRows(payloadSays(payload)), strongAuth });
}

export type PayloadToShow = {
  readonly kind: PayloadKind;
  /** The canonical text of what is signed. */
  readonly projection: string;
  /** What the proposer says about it, which is not in that text. */
  readonly notes: readonly CardRow[];
  readonly strongAuth: StrongAuth;
};

export function cardForShown({ kind, projection, notes, strongAuth }: PayloadToShow): Result<Card, ProjectionRefusal> {
  const read = readPayload(kind, projection);
  if (!read.ok) return read;
  const { payload: shown, whole } = read.value;
  const riskLevel = riskOfPayload(shown);
  const { intent, rationale, approve, decline, affectedItems } = wordsFor(shown);
  return ok({
    cardType: kind,
    intent,
    riskLevel,
    rationale,
    friction: [...frictionFor(riskLevel, strongAuth)],
    checks: [],
    budget: null,
    capabilities: null,
    affectedItems,
    details: {
      state: detailsState(riskLevel),
      rows: [...projectionRows(whole)],
      notes: [...notes],
    },
    planHash: sha256Hex(projection),
    ctas: orderCtas([
      { action: "decline", role: "decline", consequenceLabel: decline },
      { action: "approve", role: "recommended", consequenceLabel: approve },
    ]),
  });
}

/** By table from what would happen; the domain's word for an action weighs most when it is not known. [RISK-03] */
export function riskOfPayload(payload: ShownPayload): RiskLevel {
  switch (payload.kind) {
    case "batch_review": {
      const reversibility = batchReversibility(payload.action);
      return riskOf({ scope: "connection_act", actions: ["approve_batch"], reversibility });
    }
    case "autonomy_threshold":
      return riskOf({ scope: "autonomy_threshold", actions: [], reversibility: "reversible" });
    case "memory_promotion":
      return riskOf({ scope: "memory_promotion", actions: [], reversibility: "reversible" });
    case "gate_approval":
      return riskOf({ scope: "single_step", actions: ["pass_gate"], reversibility: "reversible" });
  }
}

type CardWords = Pick<Card, "intent" | "rationale" | "affectedItems"> & {
  readonly approve: string;
  readonly decline: string;
};

/** Made of counts, limits and words of Silas, so that no text of the proposer argues for itself. [CARD-01] [CARD-02] */
function wordsFor(payload: ShownPayload): CardWords {
  return WORDS[payload.kind](payload as never);
}

type Batch = Extract<ShownPayload, { readonly kind: "batch_review" }>;

const batchWords = ({ action, count, params }: Batch): CardWords => ({
  intent: `Do ${action} to ${quantity(count, "item")}`,
  rationale: `One action would be done to exactly these items, ${params === null ? "without settings" : `with ${quantity(Object.keys(params).length, "setting")}`}. Another item, order or action needs another approval.`,
  affectedItems: { count, summary: quantity(count, "item") },
  approve: `Approve: ${action}, ${quantity(count, "item")}`,
  decline: `Decline: ${quantity(count, "item")} left alone`,
});

/** A batch that Silas itself carries out says what that is. The count is not in the title, which stays the same for all of a folder. */
function moveWords({ action, count, params, item_ids }: Batch): CardWords | null {
  const read = action === MOVE_FILES ? readMoveFiles({ params: params as MoveParams, item_ids }) : null;
  if (read === null || !read.ok) return null;
  const { folder } = read.value;
  const name = folder.slice(folder.lastIndexOf("/") + 1);
  return {
    intent: oneLine(`Move files in ${[...name].slice(0, 40).join("")}`),
    rationale: `Each of these files would be moved inside this folder, if it still has exactly the bytes that were seen. What is there already is never replaced, and all of it can be taken back for a while.`,
    affectedItems: { count, summary: oneLine(`${quantity(count, "file")} in ${folder}`.slice(0, LIMITS.titleChars)) },
    approve: `Approve: move ${quantity(count, "file")}`,
    decline: `Decline: ${quantity(count, "file")} left alone`,
  };
}
type MoveParams = Parameters<typeof readMoveFiles>[0]["params"];

const WORDS: { readonly [K in PayloadKind]: (payload: Extract<ShownPayload, { readonly kind: K }>) => CardWords } = {
  batch_review: (payload) => moveWords(payload) ?? batchWords(payload),
  autonomy_threshold: ({ changes, sample_size, correction_rate }) => {
    const widening = changes.filter(({ direction }) => direction === "widen").length;
    return {
      intent: `Change ${quantity(changes.length, "limit")} of what runs without asking`,
      rationale: `${widening} of ${quantity(changes.length, "change")} would widen what Silas may do. Of ${quantity(sample_size, "decision")} you corrected ${Math.round(correction_rate * 1000) / 10} percent.`,
      affectedItems: { count: changes.length, summary: quantity(changes.length, "limit") },
      approve: `Approve: change ${quantity(changes.length, "limit")}`,
      decline: "Decline: every limit stays as it is",
    };
  },
  memory_promotion: ({ from, to, content }) => ({
    intent: `Trust one item as ${TRUST_WORDS[to]}`,
    rationale: `It counts as ${TRUST_WORDS[from]} and would count as ${TRUST_WORDS[to]} from then on. It has ${quantity(content.length, "character")}.`,
    affectedItems: { count: 1, summary: "1 item" },
    approve: `Approve: trust it as ${TRUST_WORDS[to]}`,
    decline: `Decline: it stays ${TRUST_WORDS[from]}`,
  }),
  gate_approval: ({ value }) => ({
    intent: "Let one value pass a gate",
    rationale: `A gate stopped a ${typeof value === "number" ? "number" : "text"} and asks you. Only this value at this moment would pass.`,
    affectedItems: null,
    approve: "Approve: let this one pass",
    decline: "Decline: it stays blocked",
  }),
};

const TRUST_WORDS = { external: "text from outside", auth: "text of a known sender", owner: "your own words" } as const;
