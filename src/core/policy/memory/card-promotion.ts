import type { Card, ShownPayload } from "#model";
import { quantity } from "../card-words.ts";

type Promotion = Extract<ShownPayload, { readonly kind: "memory_promotion" }>;
type PromotionWords = Pick<Card, "intent" | "rationale" | "affectedItems"> & {
  readonly approve: string;
  readonly decline: string;
};

/** About a message, or about a memory, which is verified by it. No word of the item argues for itself. [CARD-01] */
export const promotionWords = (payload: Promotion): PromotionWords =>
  payload.memory === undefined ? trustWords(payload) : verifyWords(payload);

const trustWords = ({ from, to, content }: Promotion): PromotionWords => ({
  intent: `Trust one item as ${TRUST_WORDS[to]}`,
  rationale: `It counts as ${TRUST_WORDS[from]} and would count as ${TRUST_WORDS[to]} from then on. It has ${quantity(content.length, "character")}.`,
  affectedItems: { count: 1, summary: "1 item" },
  approve: `Approve: trust it as ${TRUST_WORDS[to]}`,
  decline: `Decline: it stays ${TRUST_WORDS[from]}`,
});

const verifyWords = ({ from, content }: Promotion): PromotionWords => ({
  intent: "Verify one memory",
  rationale: `It is kept as ${TRUST_WORDS[from]} and would count as verified by you from then on, with exactly these words. It has ${quantity(content.length, "character")}.`,
  affectedItems: { count: 1, summary: "1 memory" },
  approve: "Approve: this is true and counts as mine",
  decline: `Decline: it stays ${TRUST_WORDS[from]}`,
});

const TRUST_WORDS = { external: "text from outside", auth: "text of a known sender", owner: "your own words" } as const;
