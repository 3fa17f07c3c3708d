import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex, type Instant, type JsonValue } from "#base";
import type { AuditRow, KeyId, PublicKeyHex } from "#model";
import { AT, holds, KEY_ID, NONCE, pendingFor, PROJECTION, RECEIPT_KEY, textOf, tokenFor } from "./approval.fixture.ts";
import { AUDIT_GENESIS, sealEntry } from "./chain.ts";
import { isProven, renderReceipt, verifyReceipt, type ReceiptParts } from "./receipt.ts";

const pending = pendingFor(undefined, { usesMax: 2 });
const token = tokenFor(pending, { maxExecutions: 2 });
const LATER = "2026-11-15T21:10:00.000Z" as Instant;
const recorded = (useNumber: number) => ({
  nonce: NONCE,
  useNumber,
  contentHash: pending.planHash,
  attemptLineage: `attempt-${useNumber}`,
  at: LATER,
});

function auditLines(): readonly AuditRow[] {
  const rows: AuditRow[] = [];
  const data = {
    token_id: token.tokenId,
    plan_hash: token.planHash,
    content_hash: token.planHash,
    key_id: KEY_ID,
    lineage_id: "attempt-1",
  };
  for (const use_number of [1, 2]) {
    const draft = {
      event: "approval_used",
      data: { ...data, use_number },
      at: LATER,
      actor: { kind: "terminal" },
    } as const;
    const sealed = sealEntry({ head: rows.at(-1) ?? AUDIT_GENESIS, draft, hash: sha256Hex, isMoment: () => true });
    if (!sealed.ok) throw new Error(sealed.error.reason);
    rows.push(sealed.value);
  }
  return rows;
}

const parts: ReceiptParts = {
  token,
  projection: pending.projection,
  key: RECEIPT_KEY,
  uses: [recorded(1), recorded(2)],
  also: [],
  audit: auditLines(),
  executions: [],
};
const tools = { verifySignature: holds };
const receipt = renderReceipt(parts);
const failuresOf = (file: string) =>
  verifyReceipt(file, tools).flatMap(({ name, outcome, reason }) =>
    outcome === "failed" ? [`${name}: ${reason}`] : [],
  );
const failuresWith = (change: Partial<ReceiptParts>) => failuresOf(renderReceipt({ ...parts, ...change }));

test("a receipt proves itself, with every check named", () => {
  const checks = verifyReceipt(receipt, tools);
  expect(checks.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    "file ok",
    "shape ok",
    "digest ok",
    "token ok",
    "plan ok",
    "key ok",
    "signature ok",
    "verdict ok",
    "lifetime ok",
    "uses ok",
    "audit ok",
    "execution absent",
  ]);
  expect(isProven(checks)).toBe(true);
  const alone = verifyReceipt(renderReceipt({ ...parts, audit: null, uses: [] }), tools);
  expect([alone.at(-1)?.outcome, isProven(alone)]).toEqual(["absent", true]);
});

test("a receipt that a stranger signed holds by itself, and fails where the owner's key is demanded", () => {
  expect(failuresOf(receipt)).toEqual([]);
  expect(isProven(verifyReceipt(receipt, { ...tools, keyId: KEY_ID }))).toBe(true);
  const demanding = verifyReceipt(receipt, { ...tools, keyId: "0".repeat(32) });
  expect(demanding.filter(({ outcome }) => outcome === "failed")).toEqual([
    { name: "key", outcome: "failed", reason: "signed_by_another_key" },
  ]);
});

test("what is no receipt at all is said to be none", () => {
  for (const text of ["null", "[]", "1", '"receipt"', `${"[".repeat(60)}${"]".repeat(60)}`]) {
    expect(failuresOf(`${text}\n`)).toEqual(["shape: not_a_receipt"]);
  }
});

test("whichever byte of the file is changed, put in or taken out, the receipt fails and says where", () => {
  const bytes = Buffer.from(receipt);
  const damage = fc.record({
    at: fc.nat(bytes.length - 1),
    byte: fc.integer({ min: 1, max: 255 }),
    how: fc.constantFrom("change", "insert", "remove", "cut"),
  });
  fc.assert(
    fc.property(damage, ({ at, byte, how }) => {
      const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
      const here = bytes[at] ?? 0;
      const damaged = {
        change: Buffer.concat([before, Buffer.from([here ^ byte]), after]),
        insert: Buffer.concat([before, Buffer.from([byte]), bytes.subarray(at)]),
        remove: Buffer.concat([before, after]),
        cut: before,
      }[how];
      const checks = verifyReceipt(damaged.toString("utf8"), tools);
      expect(isProven(checks)).toBe(false);
      expect(checks.some(({ outcome, reason }) => outcome === "failed" && reason !== "")).toBe(true);
    }),
    { numRuns: 400 },
  );
});

/** A receipt whose maker also mended the digest: what is left is what the signature and the chain hold. */
function mended(change: (body: Record<string, JsonValue>) => void): string {
  const { digest: _old, ...body } = JSON.parse(receipt) as Record<string, JsonValue>;
  change(body);
  return `${textOf({ ...body, digest: sha256Hex(textOf(body)) })}\n`;
}

describe("a receipt with a mended digest still fails by name", () => {
  const inToken = (field: string, value: JsonValue) =>
    failuresOf(mended((body) => ((body["token"] as Record<string, JsonValue>)[field] = value)));

  test("[APPR-04] for every field of the token", () => {
    const fields: readonly [string, JsonValue][] = [
      ["token_id", "tok_1"],
      ["plan_hash", "ab".repeat(32)],
      ["work_item_id", "task-2"],
      ["scope", "single_step"],
      ["verdict", "conditional"],
      ["key_id", "ab".repeat(16)],
      ["issued_at", "2026-11-15T21:00:00.001Z"],
      ["expires_at", "2027-11-15T21:30:00.000Z"],
      ["nonce", "ab".repeat(32)],
      ["conditions", { more: true }],
      ["max_executions", 1000],
      ["signature", `${"A".repeat(86)}==`],
    ];
    for (const [field, value] of fields) {
      expect(inToken(field, value), field).toContain("signature: signature_does_not_match");
    }
    expect(inToken("approval_strength", "biometric")).toEqual(["shape: token.approval_strength"]);
    expect(Object.keys(JSON.parse(receipt).token).toSorted()).toEqual(
      [...fields.map(([field]) => field), "approval_strength"].toSorted(),
    );
  });

  test("for a plan other than the approved one", () => {
    expect(failuresWith({ projection: textOf({ ...PROJECTION, title: "Another" }) })).toEqual([
      "plan: plan_hash_differs",
    ]);
    expect(failuresWith({ projection: "{}" })).toEqual(["plan: plan_unreadable"]);
  });

  test("for a key that is another, or did not count at the time", () => {
    const { key } = parts;
    const publicKey = "08".repeat(32) as PublicKeyHex;
    expect(failuresWith({ key: { ...key, publicKey } })).toEqual([
      "key: key_id_differs",
      "signature: signature_does_not_match",
    ]);
    const keyId = sha256Hex(Buffer.from(publicKey, "hex")).slice(0, 32) as KeyId;
    expect(failuresWith({ key: { ...key, publicKey, keyId } })).toEqual([
      "key: signed_by_another_key",
      "signature: signature_does_not_match",
    ]);
    expect(failuresWith({ key: { ...key, enrolledAt: LATER } })).toEqual(["lifetime: issued_before_key_was_enrolled"]);
    expect(failuresWith({ uses: [], key: { ...key, revokedAt: AT } })).toEqual([
      "lifetime: issued_after_key_was_revoked",
    ]);
    expect(failuresWith({ key: { ...key, revokedAt: LATER } })).toEqual(["uses: used_after_key_was_revoked"]);
  });

  test("for uses that were not signed for", () => {
    expect(failuresWith({ uses: [recorded(1), recorded(2), recorded(3)] })).toEqual(["uses: more_uses_than_signed"]);
    expect(failuresWith({ uses: [recorded(2)] })).toEqual(["uses: use_number_differs"]);
    expect(failuresWith({ uses: [recorded(1), { ...recorded(2), attemptLineage: "attempt-1" }] })).toEqual([
      "uses: lineage_used_twice",
    ]);
    expect(failuresWith({ uses: [{ ...recorded(1), nonce: "ab".repeat(32) }] })).toEqual([
      "uses: use_of_another_token",
    ]);
    expect(failuresWith({ uses: [{ ...recorded(1), contentHash: sha256Hex("other") }] })).toEqual([
      "uses: use_of_another_plan",
    ]);
    expect(failuresWith({ uses: [{ ...recorded(1), at: token.expiresAt }] })).toEqual(["uses: used_outside_its_time"]);
  });

  test("for audit lines that were touched, moved or are about something else", () => {
    const [first, second] = auditLines();
    if (first === undefined || second === undefined) throw new Error("two lines");
    const edited = { ...first, text: first.text.replace("terminal", "system") };
    expect(failuresWith({ audit: [edited, second] })).toEqual(["audit: audit_entry_changed"]);
    const sealed = { ...edited, hash: sha256Hex(edited.text) };
    expect(failuresWith({ audit: [sealed, second] })).toEqual(["audit: audit_link_differs"]);
    expect(failuresWith({ audit: [second, first] })).toEqual(["audit: audit_entries_out_of_order"]);
    expect(failuresWith({ audit: [{ ...first, seq: 9 }] })).toEqual(["audit: audit_entry_unreadable"]);
    expect(failuresWith({ audit: [] })).toEqual(["audit: audit_does_not_mention_it"]);
  });
});

test("what the reader would pass over is refused too", () => {
  const more = receipt.replace('"conditions":{', '"conditions":{"__proto__":{"more":true},');
  expect(more).not.toBe(receipt);
  expect(failuresOf(more)).toEqual(["shape: says_more_than_is_read"]);
});

test("anything else is no receipt, and nothing throws", () => {
  for (const file of [
    "",
    "\n",
    "{}",
    "{}\n",
    "null\n",
    "[]\n",
    "{",
    receipt.trimEnd(),
    `${receipt}\n`,
    ` ${receipt}`,
  ]) {
    expect(isProven(verifyReceipt(file, tools)), JSON.stringify(file.slice(0, 5))).toBe(false);
  }
  const respelled = mended((body) => ((body["key"] as Record<string, JsonValue>)["enrolled_at"] = "2026-11-15T21:00Z"));
  expect(failuresOf(respelled)).toEqual(["shape: key.enrolled_at"]);
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii" }), (file) => {
      expect(isProven(verifyReceipt(file, tools))).toBe(false);
    }),
    { numRuns: 100 },
  );
});
