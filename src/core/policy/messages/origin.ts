import { msOfInstant, type Instant, oneLine } from "#base";
import type { Origin, Taint, Source, Suggestion } from "#model";

/** What the shell found out about a signature; `absent` when none came. */
export type ClaimFact = "absent" | "valid" | "signature_invalid" | "key_unknown" | "key_revoked";
/** Whether the channel knows who sends: an owner's session, somebody else it has authenticated, or nobody. */
export type IdentityFact = "owner" | "known" | "unknown";

export type OriginFacts = {
  readonly claim: ClaimFact;
  readonly identity: IdentityFact;
  /** What the sender signed as the time of writing; null without a claim. */
  readonly timestamp: Instant | null;
  readonly at: Instant;
  readonly freshnessMs: number;
};

export type Judged = { readonly taint: Taint; readonly origin: Origin };
type OriginVerdict = {
  /** What the message is, given that its nonce was never spent. */
  readonly first: Judged;
  /** What it is otherwise; null when no nonce has to be spent. */
  readonly replayed: Judged | null;
};

/**
 * Where a message comes from. Only a valid signature, made just now and never seen before, makes it the owner's; a
 * signature that does not hold makes it foreign even where the channel knows the sender. Neither the text nor anything
 * else that was sent has a say. [MSG-04] [MSG-05] [MSG-06] [MSG-07]
 */
export function judgeOrigin(facts: OriginFacts): OriginVerdict {
  const { claim, identity } = facts;
  if (claim === "absent") {
    return settled(identity === "unknown" ? outside("unknown_sender") : { taint: "auth", origin: "identity" });
  }
  if (claim !== "valid") return settled(outside(claim));
  const late = lateness(facts);
  if (late !== null) return settled(outside(late));
  return { first: { taint: "owner", origin: "signature" }, replayed: outside("nonce_used") };
}

const outside = (origin: Origin): Judged => ({ taint: "external", origin });
const settled = (first: Judged): OriginVerdict => ({ first, replayed: null });

/** The window reaches as far ahead as back: clocks of two devices differ both ways. */
function lateness({ timestamp, at, freshnessMs }: OriginFacts): "timestamp_stale" | "timestamp_ahead" | null {
  const sinceMs = timestamp === null ? Number.POSITIVE_INFINITY : msOfInstant(at) - msOfInstant(timestamp);
  if (sinceMs > freshnessMs) return "timestamp_stale";
  return sinceMs < -freshnessMs ? "timestamp_ahead" : null;
}

/** A text as suggestions keep theirs: one line, with nothing around it. */
export const suggestedWords = (text: string): string => oneLine(text).trim();

/**
 * What a message owes to a suggestion: the words of a suggestion that are sent as they were are a model's, whoever sends
 * and signs them. Words that were changed are the sender's own. [TAINT-06]
 */
export function suggestionSources(
  text: string,
  suggestion: Pick<Suggestion, "suggestionId" | "rationale"> | null,
): readonly Source[] {
  if (suggestion === null || suggestedWords(suggestion.rationale) !== suggestedWords(text)) return [];
  return [{ item_id: suggestion.suggestionId, relation: "suggestion", taint: "external" }];
}
