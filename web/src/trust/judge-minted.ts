import { canonicalJson, err, msOfInstant, ok, sha256Hex, type Instant, type Result } from "#base";
import {
  FRICTIONS,
  grantsOf,
  isPayloadKind,
  passkeyChallenge,
  projectionRows,
  readPayload,
  readProjection,
  tokenIdOf,
  tokenSigningBytes,
  unsignedTokenSchema,
  type Friction,
  type Grant,
  type KeyId,
  type OwnerReply,
  type ProjectionRefusal,
  type ShownRequestBody,
  type UnsignedToken,
} from "#model";

/** The parts of a request, as the server sent it, that are shown and decided about. */
export type ShownRequest = Pick<
  ShownRequestBody,
  "request_id" | "kind" | "work_item_id" | "plan_hash" | "projection" | "card"
>;

/** Why this page does not sign. Nothing was decided. */
export type SigningRefusal =
  | { readonly code: "shown_differs"; readonly what: "hash" | "spelling" | "card" | "item" }
  | { readonly code: "token_differs"; readonly field: string };

/** What the page is about to sign is compared with; none of it comes from the minted tokens. */
export type Signing = {
  readonly request: ShownRequest;
  /** As it was performed in this page, without what a passkey adds. */
  readonly friction: readonly Friction[];
  /** What the owner says to a question; it is signed with it. */
  readonly answer?: OwnerReply | undefined;
  readonly keyId: KeyId;
  readonly at: Instant;
};

/** As the server answered; nothing of it is believed. */
export type Minted = {
  readonly tokens: readonly unknown[];
  readonly passkey: { readonly challenge: string } | null;
};

/**
 * What is shown is what its hash says, and the text that is hashed has one spelling: two texts that look the same on a
 * card are never two plans. The rows on the card are derived again, so that none of them can be missing. [T7]
 */
export function judgeShown(request: ShownRequest): Result<void, SigningRefusal> {
  const { projection, plan_hash: hash, card } = request;
  if (sha256Hex(projection) !== hash || card.plan_hash !== hash) return shownDiffers("hash");
  const read = readShown(request);
  if (!read.ok) return shownDiffers("spelling");
  if (read.value.subjectId !== request.work_item_id) return shownDiffers("item");
  return isSame(card.details.rows, projectionRows(read.value.whole)) ? ok() : shownDiffers("card");
}

type Read = { readonly subjectId: string; readonly whole: Parameters<typeof projectionRows>[0] };

function readShown({ kind, projection }: ShownRequest): Result<Read, ProjectionRefusal> {
  if (isPayloadKind(kind)) return readPayload(kind, projection);
  const read = readProjection(projection);
  return read.ok ? ok({ subjectId: read.value.plan.id, whole: read.value.whole }) : read;
}

/**
 * The tokens this page signs, or the first thing in them that the owner was not shown. INVARIANT: every field of a token
 * is either what the page itself knows or follows from one that is. [APPR-04] [KEY-06]
 */
export function judgeMinted(signing: Signing, minted: Minted): Result<readonly UnsignedToken[], SigningRefusal> {
  const shown = judgeShown(signing.request);
  if (!shown.ok) return shown;
  const grants = grantsOf(signing.request);
  if (grants === null) return shownDiffers("spelling");
  const { terms } = signing.request.card;
  if (terms === undefined || terms.max_executions !== (grants[0]?.usesMax ?? terms.max_executions))
    return shownDiffers("card");
  if (grants.length !== minted.tokens.length) return tokenDiffers("count");
  const tokens: UnsignedToken[] = [];
  for (const [index, grant] of grants.entries()) {
    const parsed = unsignedTokenSchema.safeParse(minted.tokens[index]);
    if (!parsed.success) return tokenDiffers(String(parsed.error.issues[0]?.path[0] ?? "shape"));
    const field = wrongField(signing, { token: parsed.data, grant, terms, hasPasskey: minted.passkey !== null });
    if (field !== null) return tokenDiffers(field);
    tokens.push(parsed.data);
  }
  return isAskedAbout(minted, tokens) ? ok(tokens) : tokenDiffers("challenge");
}

/** A passkey is asked about the first token, whole, and each token has a nonce of its own. */
function isAskedAbout({ passkey }: Minted, tokens: readonly UnsignedToken[]): boolean {
  const [first] = tokens;
  if (first === undefined || new Set(tokens.map(({ nonce }) => nonce)).size !== tokens.length) return false;
  return passkey === null || passkey.challenge === passkeyChallenge(tokenSigningBytes(first));
}

type Judged = {
  readonly token: UnsignedToken;
  readonly grant: Grant;
  readonly terms: NonNullable<ShownRequest["card"]["terms"]>;
  readonly hasPasskey: boolean;
};

function wrongField(
  { friction, keyId, at, answer }: Signing,
  { token, grant, terms, hasPasskey }: Judged,
): string | null {
  const performed = FRICTIONS.filter((each) => friction.includes(each) || (each === "strong_auth" && hasPasskey));
  const said = answer === undefined ? {} : { answer };
  const issuedMs = msOfInstant(token.issuedAt);
  const endsMs = grant.expiresAt === null ? issuedMs + terms.valid_ms + grant.laterMs : msOfInstant(grant.expiresAt);
  const checks: readonly (readonly [string, boolean])[] = [
    ["plan_hash", token.planHash === grant.planHash],
    ["work_item_id", token.workItemId === grant.workItemId],
    ["scope", token.scope === grant.scope],
    ["verdict", token.verdict === "approved"],
    ["key_id", token.keyId === keyId],
    ["token_id", token.tokenId === tokenIdOf(token.nonce)],
    ["max_executions", token.maxExecutions === (grant.usesMax ?? terms.max_executions)],
    ["expires_at", msOfInstant(token.expiresAt) === endsMs],
    ["issued_at", Math.abs(issuedMs - msOfInstant(at)) <= CLOCKS_APART_MS],
    ["conditions", isSame(token.conditions, { ...said, ...grant.conditions, friction: performed })],
  ];
  return checks.find(([, holds]) => !holds)?.[0] ?? null;
}

/** A phone's clock may be wrong; an approval of another day is not one of now. */
const CLOCKS_APART_MS = 24 * 3_600_000;

function isSame(said: unknown, expected: unknown): boolean {
  const [mine, theirs] = [canonicalJson(expected), canonicalJson(said)];
  return mine.ok && theirs.ok && mine.value === theirs.value;
}

const shownDiffers = (what: "hash" | "spelling" | "card" | "item") => err({ code: "shown_differs", what } as const);
const tokenDiffers = (field: string) => err({ code: "token_differs", field } as const);
