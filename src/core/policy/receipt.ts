import { assert, canonicalJson, parseStrictJson, sha256Hex } from "#base";
import {
  receiptSchema,
  receiptToWire,
  RECEIPT_FORMAT,
  tokenSigningBytes,
  type ApprovalToken,
  type ApprovalUse,
  type AuditRow,
  type PublicKeyHex,
  type Receipt,
  type ReceiptKey,
} from "#model";
import {
  grantedIn,
  judgeAuditLines,
  judgeKey,
  judgeLifetime,
  judgePlan,
  judgeTokenId,
  judgeUses,
  type Granted,
} from "./receipt-checks.ts";
import { judgeDecisions } from "./receipt-decisions.ts";
import { hasExecutions, judgeExecutions } from "./receipt-executions.ts";

/** What is checked of a receipt, in this order. */
type ReceiptCheckName =
  | "file"
  | "shape"
  | "digest"
  | "token"
  | "plan"
  | "key"
  | "signature"
  | "verdict"
  | "lifetime"
  | "uses"
  | "audit"
  | "execution";
/** `absent`: the receipt carries nothing to check here. */
export type ReceiptCheck = {
  readonly name: ReceiptCheckName;
  readonly outcome: "ok" | "failed" | "absent";
  readonly reason: string | null;
};

type ReceiptTools = {
  /** Ed25519 over the UTF-8 bytes of a text. */
  verifySignature(claim: SignatureClaim): boolean;
  /** Whose approval it must be; left out, any key will do that made it. */
  readonly keyId?: string | undefined;
};
export type SignatureClaim = {
  readonly publicKey: PublicKeyHex;
  readonly bytes: string;
  readonly signature: Uint8Array;
};

export type ReceiptParts = {
  readonly token: ApprovalToken;
  readonly projection: string;
  readonly key: ReceiptKey;
  readonly uses: readonly ApprovalUse[];
  /** What the same decision gave besides. */
  readonly also: readonly { readonly token: ApprovalToken; readonly uses: readonly ApprovalUse[] }[];
  readonly audit: readonly AuditRow[] | null;
  /** What was run on them and has ended, in the order in which it began. */
  readonly executions: NonNullable<Receipt["executions"]>;
  /** The receipts of what single steps of them began on, in the order of those steps. */
  readonly decisions?: readonly string[];
};

/** A receipt as a file: canonical JSON and one line break. */
export function renderReceipt(parts: ReceiptParts): string {
  const { token, projection, key, uses, also, audit, executions, decisions = [] } = parts;
  const { digest: _none, ...body } = receiptToWire({
    format: RECEIPT_FORMAT,
    version: 1,
    token,
    projection,
    key,
    uses: [...uses],
    also: also.length === 0 ? undefined : also.map((one) => ({ token: one.token, uses: [...one.uses] })),
    audit: audit === null ? null : audit.map(({ seq, text, hash }) => ({ seq, text, hash: hash as Receipt["digest"] })),
    executions: executions.length === 0 ? undefined : [...executions],
    decisions: decisions.length === 0 ? undefined : [...decisions],
    // Stands in until the rest is written.
    digest: sha256Hex(""),
  });
  return `${canonical({ ...body, digest: sha256Hex(canonical(body)) })}\n`;
}

/**
 * Checks a receipt with nothing but itself and a way to check Ed25519. Every check is named with its outcome; a receipt
 * proves an approval only if none failed. A file that cannot be read, or says more or less than a receipt does, ends it.
 */
export function verifyReceipt(file: string, tools: ReceiptTools): readonly ReceiptCheck[] {
  const text = file.endsWith("\n") ? file.slice(0, -1) : file;
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return [failed("file", parsed.error.code)];
  // A second spelling of the same values would be a change that nothing notices.
  if (file !== `${canonical(parsed.value)}\n`) return [failed("file", "not_canonical")];
  const read = receiptSchema.safeParse(parsed.value);
  if (!read.success) return [passed("file"), failed("shape", read.error.issues[0]?.path.join(".") || "not_a_receipt")];
  if (canonical(receiptToWire(read.data)) !== text) return [passed("file"), failed("shape", "says_more_than_is_read")];
  return [passed("file"), passed("shape"), ...judgeReceipt(read.data, tools)];
}

/** True when every check that could be made was passed. */
export const isProven = (checks: readonly ReceiptCheck[]): boolean =>
  checks.length > 1 && checks.every(({ outcome }) => outcome !== "failed");

/** Every check is made of every token; the first that does not hold is named. */
function judgeReceipt(receipt: Receipt, tools: ReceiptTools): readonly ReceiptCheck[] {
  const { key, audit } = receipt;
  const granted = grantedIn(receipt).map((one) => ({ ...one, key }));
  const each = (judge: (one: Granted) => string | null): string | null =>
    granted.map(judge).find((reason) => reason !== null) ?? null;
  return [
    outcomeOf("digest", judgeDigest(receipt)),
    outcomeOf(
      "token",
      each(({ token }) => judgeTokenId(token)),
    ),
    outcomeOf("plan", judgePlan(receipt)),
    outcomeOf("key", each(judgeKey) ?? judgeWhose(receipt, tools)),
    outcomeOf(
      "signature",
      each((one) => judgeSignature(one, tools)),
    ),
    outcomeOf(
      "verdict",
      each(({ token }) => (token.verdict === "approved" ? null : "not_approved")),
    ),
    outcomeOf("lifetime", each(judgeLifetime)),
    outcomeOf("uses", each(judgeUses)),
    audit === null
      ? absent("audit")
      : outcomeOf(
          "audit",
          each(({ token }) => judgeAuditLines(audit, token.tokenId)),
        ),
    hasExecutions(receipt)
      ? outcomeOf("execution", judgeExecutions(receipt) ?? judgeDecisions(receipt, (one) => provenIn(one, tools)))
      : absent("execution"),
  ];
}

/** A receipt inside of another is checked as if it stood alone. */
function provenIn(file: string, { verifySignature }: ReceiptTools): Receipt | null {
  return isProven(verifyReceipt(file, { verifySignature })) ? readReceipt(file) : null;
}

/** What a receipt says, whether or not it holds; null when it is none. */
export function readReceipt(file: string): Receipt | null {
  const parsed = parseStrictJson(file.trimEnd());
  return receiptSchema.safeParse(parsed.ok ? parsed.value : null).data ?? null;
}

/** Anyone can make a key, and with it a receipt that holds: whose it is has to be known from elsewhere. */
const judgeWhose = ({ key }: Receipt, { keyId = key.keyId }: ReceiptTools): string | null =>
  key.keyId === keyId ? null : "signed_by_another_key";

function judgeDigest(receipt: Receipt): string | null {
  const { digest, ...body } = receiptToWire(receipt);
  return sha256Hex(canonical(body)) === digest ? null : "receipt_changed";
}

function judgeSignature({ token, key }: Granted, tools: ReceiptTools): string | null {
  const claim = { publicKey: key.publicKey, bytes: tokenSigningBytes(token), signature: token.signature };
  return tools.verifySignature(claim) ? null : "signature_does_not_match";
}

const passed = (name: ReceiptCheckName): ReceiptCheck => ({ name, outcome: "ok", reason: null });
const failed = (name: ReceiptCheckName, reason: string): ReceiptCheck => ({ name, outcome: "failed", reason });
const absent = (name: ReceiptCheckName): ReceiptCheck => ({ name, outcome: "absent", reason: null });
const outcomeOf = (name: ReceiptCheckName, reason: string | null): ReceiptCheck =>
  reason === null ? passed(name) : failed(name, reason);

function canonical(value: unknown): string {
  const text = canonicalJson(value);
  assert(text.ok, "a receipt has canonical bytes");
  return text.value;
}
