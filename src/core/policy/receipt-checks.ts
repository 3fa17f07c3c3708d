import { sha256Hex } from "#base";
import { grantsOf, kindsOfScope, tokenIdOf, type ApprovalToken, type AuditRow, type Grant, type Receipt } from "#model";
import { parseRow } from "./chain.ts";
import { readShown } from "./shown.ts";

/** Each answers with the first thing that is wrong, or null. */
type Reason = string | null;

export function judgeTokenId(token: ApprovalToken): Reason {
  return token.tokenId === tokenIdOf(token.nonce) ? null : "token_id_differs";
}

/** One token of a receipt with its uses and the key that signed it. */
export type Granted = Pick<Receipt, "token" | "uses" | "key">;

/** Every token of a receipt, the request's own first. */
export const grantedIn = ({ token, uses, also = [] }: Receipt): readonly Omit<Granted, "key">[] => [
  { token, uses },
  ...also,
];

/** The plan in the receipt, or what stands in its place, is the one that was approved. */
export function judgePlan(receipt: Receipt): Reason {
  const { token, projection } = receipt;
  const kind = kindsOfScope(token.scope).find((one) => readShown(one, projection) !== null);
  const shown = kind === undefined ? null : readShown(kind, projection);
  if (kind === undefined || shown === null) return "plan_unreadable";
  if (sha256Hex(projection) !== token.planHash) return "plan_hash_differs";
  if (shown.itemId !== token.workItemId) return "work_item_differs";
  return judgeTokens(grantsOf({ kind, projection }), receipt);
}

/** Exactly the tokens that an approval of this becomes, each for its own part of it: none is missing, none is more. */
function judgeTokens(grants: readonly Grant[] | null, receipt: Receipt): Reason {
  const granted = grantedIn(receipt);
  if (grants?.length !== granted.length) return "tokens_differ";
  return granted.every(({ token }, index) => isGranted(token, grants[index])) ? null : "tokens_differ";
}

function isGranted(token: ApprovalToken, grant: Grant | undefined): boolean {
  if (grant === undefined) return false;
  const { workItemId, planHash, scope, usesMax, expiresAt, conditions } = grant;
  return (
    token.workItemId === workItemId &&
    token.planHash === planHash &&
    token.scope === scope &&
    (usesMax ?? token.maxExecutions) === token.maxExecutions &&
    (expiresAt ?? token.expiresAt) === token.expiresAt &&
    Object.entries(conditions).every(([name, value]) => token.conditions[name] === value)
  );
}

/** The key is the one the token names; an id is nothing but a short digest of the key itself. */
export function judgeKey({ token, key }: Granted): Reason {
  if (sha256Hex(bytesOfHex(key.publicKey)).slice(0, key.keyId.length) !== key.keyId) return "key_id_differs";
  return token.keyId === key.keyId ? null : "signed_by_another_key";
}

/** The approval was given by a key that counted then, and ends after it begins. */
export function judgeLifetime({ token, key }: Granted): Reason {
  if (token.expiresAt <= token.issuedAt) return "ends_before_it_begins";
  if (token.issuedAt < key.enrolledAt) return "issued_before_key_was_enrolled";
  return key.revokedAt !== null && key.revokedAt <= token.issuedAt ? "issued_after_key_was_revoked" : null;
}

/** Uses are numbered from one without a gap, within what was signed: count, time, plan, one per chain of attempts. */
export function judgeUses({ token, key, uses }: Granted): Reason {
  if (uses.length > token.maxExecutions) return "more_uses_than_signed";
  if (new Set(uses.map(({ attemptLineage }) => attemptLineage)).size < uses.length) return "lineage_used_twice";
  for (const [index, use] of uses.entries()) {
    if (use.nonce !== token.nonce) return "use_of_another_token";
    if (use.useNumber !== index + 1) return "use_number_differs";
    if (token.scope !== "standing" && use.contentHash !== token.planHash) return "use_of_another_plan";
    if (use.at < token.issuedAt || token.expiresAt <= use.at) return "used_outside_its_time";
    if (key.revokedAt !== null && key.revokedAt <= use.at) return "used_after_key_was_revoked";
  }
  return null;
}

/** The lines are whole, in order, linked where they are neighbours, and speak of this token. */
export function judgeAuditLines(lines: readonly AuditRow[], tokenId: string): Reason {
  let before: AuditRow | null = null;
  let isMentioned = false;
  for (const line of lines) {
    if (sha256Hex(line.text) !== line.hash) return "audit_entry_changed";
    const entry = parseRow(line);
    if (!entry.ok || !line.text.endsWith(`,"seq":${line.seq}}`)) return "audit_entry_unreadable";
    if (before !== null && line.seq <= before.seq) return "audit_entries_out_of_order";
    if (before !== null && line.seq === before.seq + 1 && entry.value.prev_hash !== before.hash)
      return "audit_link_differs";
    isMentioned ||= entry.value.data["token_id"] === tokenId;
    before = line;
  }
  return isMentioned ? null : "audit_does_not_mention_it";
}

function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
