import { LIMITS, ok, oneLine, sha256Hex, type Result } from "#base";
import {
  CHOOSE_MOVE,
  MOVE_FILES,
  readChoice,
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
  type ReadPayload,
  type RiskLevel,
  type ShownPayload,
} from "#model";
import { limitRisk, limitWords } from "./autonomy/card-limits.ts";
import { decisionWords, draftWords } from "./card-ask.ts";
import { connectionRisk, connectionWords } from "./card-connection.ts";
import { escalationRisk, escalationWords } from "./connection/card-escalation.ts";
import { detailsState, orderCtas } from "./card-plan.ts";
import { skillWords } from "./card-skill.ts";
import { stepWords } from "./card-step.ts";
import { promotionWords } from "./memory/card-promotion.ts";
import { quantity } from "./card-words.ts";
import { frictionFor, type StrongAuth, batchReversibility, riskOf } from "./risk.ts";

/** The card that asks about something else than a plan. As with a plan, it is made of what is signed. [APPR-10] */
export function cardForPayload(
  payload: Payload,
  { strongAuth }: { readonly strongAuth: StrongAuth },
): Result<Card, ProjectionRefusal> {
  const projection = payloadProjection(payload);
  return cardForShown({ kind: payload.kind, projection, notes: projectionRows(payloadSays(payload)), strongAuth });
}

type PayloadToShow = PayloadTerms & {
  readonly kind: PayloadKind;
  /** The canonical text of what is signed. */
  readonly projection: string;
};
type PayloadTerms = {
  /** What the proposer says about it, which is not in that text. */
  readonly notes: readonly CardRow[];
  readonly strongAuth: StrongAuth;
};

function cardForShown({ kind, projection, ...terms }: PayloadToShow): Result<Card, ProjectionRefusal> {
  const read = readPayload(kind, projection);
  return read.ok ? ok(cardOfPayload({ ...read.value, planHash: sha256Hex(projection) }, terms)) : read;
}

/** The same of a projection that was read before. */
export function cardOfPayload(
  { payload: shown, whole, planHash }: ReadPayload & Pick<Card, "planHash">,
  { notes, strongAuth }: PayloadTerms,
): Card {
  const riskLevel = riskOfPayload(shown);
  const { intent, rationale, approve, decline, affectedItems, tighten = null, further = [] } = wordsFor(shown);
  return {
    cardType: shown.kind,
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
    planHash,
    ctas: orderCtas([
      { action: "decline", role: "decline", consequenceLabel: decline },
      { action: "approve", role: "recommended", consequenceLabel: approve },
      ...further,
      ...(tighten === null ? [] : [{ action: "tighten_now", role: "safe", consequenceLabel: tighten } as const]),
    ]),
  };
}

/** By table from what would happen; the domain's word for an action weighs most when it is not known. [RISK-03] */
export function riskOfPayload(payload: ShownPayload): RiskLevel {
  switch (payload.kind) {
    case "batch_review": {
      const reversibility = batchReversibility(payload.action);
      return riskOf({ scope: "connection_act", actions: ["approve_batch"], reversibility });
    }
    case "autonomy_threshold":
      return limitRisk(payload.changes);
    case "memory_promotion":
      return riskOf({ scope: "memory_promotion", actions: [], reversibility: "reversible" });
    case "decision":
      return riskOf({ scope: "single_step", actions: ["acknowledge_status"], reversibility: "reversible" });
    case "draft_review":
      return riskOf({ scope: "single_step", actions: ["send_draft"], reversibility: "reversible" });
    case "gate_approval":
    case "step_approval":
      return riskOf({ scope: "single_step", actions: ["pass_gate"], reversibility: "reversible" });
    case "skill_install":
      return riskOf({ scope: "skill_install", actions: ["install_known_skill"], reversibility: "reversible" });
    case "connection_setup":
      return connectionRisk(payload);
    case "permission_escalation":
      return escalationRisk(payload);
  }
}

type CardWords = Pick<Card, "intent" | "rationale" | "affectedItems"> & {
  readonly approve: string;
  readonly decline: string;
  /** What it does to answer a wider limit by a tighter one; left out where that is no answer. */
  readonly tighten?: string | null;
  /** What else may be done besides approving and declining. */
  readonly further?: readonly Card["ctas"][number][];
};

/** Made of counts, limits and words of Silas, so that no text of the proposer argues for itself. [CARD-01] [CARD-02] */
function wordsFor(payload: ShownPayload): CardWords {
  return WORDS[payload.kind](payload as never);
}

type Batch = Extract<ShownPayload, { readonly kind: "batch_review" }>;

/** Known words that are said of things as they are; any other is quoted as the domain's, since it may mean anything. */
const PLAIN_ACTIONS: ReadonlySet<string> = new Set(["archive", "unarchive", "label", "unlabel", "move", "delete"]);

const batchWords = ({ action, count, params }: Batch): CardWords => ({
  intent: PLAIN_ACTIONS.has(action)
    ? `${action[0]?.toUpperCase()}${action.slice(1)} ${quantity(count, "item")}`
    : `Do ${action} to ${quantity(count, "item")}`,
  rationale: `One action would be done to exactly these items, ${params === null ? "without settings" : `with ${quantity(Object.keys(params).length, "setting")}`}. Another item, order or action needs another approval.`,
  affectedItems: { count, summary: quantity(count, "item") },
  approve: `Approve: ${action}${PLAIN_ACTIONS.has(action) ? "" : ","} ${quantity(count, "item")}`,
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
/** A question about one file. Its title is that of the batch it may become, so that both go by one name. */
function choiceWords({ action, params, item_ids }: Batch): CardWords | null {
  const read = action === CHOOSE_MOVE ? readChoice({ params: params as MoveParams, item_ids }) : null;
  if (read === null || !read.ok) return null;
  const { folder, moves } = read.value;
  const { from } = moves[0] ?? { from: "" };
  const name = folder.slice(folder.lastIndexOf("/") + 1);
  return {
    intent: oneLine(`Move files in ${[...name].slice(0, 40).join("")}`),
    rationale: `No rule is sure where this file belongs. Nothing happens to it unless you choose one of ${quantity(moves.length, "place")}; that is then signed as a batch of one file, and can be taken back for a while.`,
    affectedItems: { count: 1, summary: oneLine(`${from} in ${folder}`.slice(0, LIMITS.titleChars)) },
    approve: "Move it to the place you choose",
    decline: "Leave it where it is",
  };
}
type MoveParams = Parameters<typeof readMoveFiles>[0]["params"];

const WORDS: { readonly [K in PayloadKind]: (payload: Extract<ShownPayload, { readonly kind: K }>) => CardWords } = {
  batch_review: (payload) => moveWords(payload) ?? choiceWords(payload) ?? batchWords(payload),
  autonomy_threshold: limitWords,
  memory_promotion: promotionWords,
  gate_approval: ({ value }) => ({
    intent: "Let one value pass a gate",
    rationale: `A gate stopped a ${typeof value === "number" ? "number" : "text"} and asks you. Only this value at this moment would pass.`,
    affectedItems: null,
    approve: "Approve: let this one pass",
    decline: "Decline: it stays blocked",
  }),
  step_approval: stepWords,
  decision: decisionWords,
  draft_review: draftWords,
  skill_install: skillWords,
  connection_setup: connectionWords,
  permission_escalation: escalationWords,
};
