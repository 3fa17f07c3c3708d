import { expect, test } from "vitest";
import { sha256Hex, type Instant } from "#base";
import { AUDIT_GENESIS, sealEntry } from "./chain.ts";
import { judgeAuditLines, judgeLifetime, judgeUses, type Granted } from "./receipt-checks.ts";
import { isProven, type ReceiptCheck } from "./receipt.ts";

const BEFORE = "2026-11-15T08:59:59.999Z";
const BEGIN = "2026-11-15T09:00:00.000Z";
const WITHIN = "2026-11-15T09:30:00.000Z";
const LAST = "2026-11-15T09:59:59.999Z";
const END = "2026-11-15T10:00:00.000Z";

type Times = { readonly enrolledAt?: string; readonly revokedAt?: string | null; readonly expiresAt?: string };

const granted = (usedAt: readonly string[], { enrolledAt = BEGIN, revokedAt = null, expiresAt = END }: Times = {}) =>
  ({
    token: { nonce: "n", scope: "full_plan", planHash: "p", issuedAt: BEGIN, expiresAt, maxExecutions: 2 },
    key: { enrolledAt, revokedAt },
    uses: usedAt.map((at, index) => ({
      nonce: "n",
      useNumber: index + 1,
      contentHash: "p",
      attemptLineage: `run-${index}`,
      at,
    })),
  }) as never as Granted;

test.each<readonly [Times, string | null]>([
  [{ expiresAt: BEFORE }, "ends_before_it_begins"],
  [{ expiresAt: BEGIN }, "ends_before_it_begins"],
  [{ expiresAt: END }, null],
  [{ enrolledAt: BEFORE }, null],
  [{ enrolledAt: BEGIN }, null],
  [{ enrolledAt: WITHIN }, "issued_before_key_was_enrolled"],
  [{ revokedAt: BEFORE, enrolledAt: BEFORE }, "issued_after_key_was_revoked"],
  [{ revokedAt: BEGIN }, "issued_after_key_was_revoked"],
  [{ revokedAt: WITHIN }, null],
])("the lifetime of a token with %j: %s", (times, reason) => {
  expect(judgeLifetime(granted([], times))).toBe(reason);
});

test.each<readonly [readonly string[], Times, string | null]>([
  [[BEFORE], {}, "used_outside_its_time"],
  [[BEGIN], {}, null],
  [[LAST], {}, null],
  [[END], {}, "used_outside_its_time"],
  [[WITHIN], { revokedAt: LAST }, null],
  [[WITHIN], { revokedAt: WITHIN }, "used_after_key_was_revoked"],
  [[LAST], { revokedAt: WITHIN }, "used_after_key_was_revoked"],
  [[BEGIN, WITHIN], {}, null],
  [[BEGIN, WITHIN, LAST], {}, "more_uses_than_signed"],
])("uses at %j with %j: %s", (usedAt, times, reason) => {
  expect(judgeUses(granted(usedAt, times))).toBe(reason);
});

test("an entry that stands twice in a receipt is out of order", () => {
  const hash = sha256Hex("anything");
  const data = { token_id: "t".repeat(16), plan_hash: hash, content_hash: hash, key_id: "a".repeat(16) };
  const draft = {
    event: "approval_used",
    data: { ...data, lineage_id: "run-1", use_number: 1 },
    at: BEGIN as Instant,
    actor: { kind: "terminal" },
  } as const;
  const sealed = sealEntry({ head: AUDIT_GENESIS, hash: sha256Hex, draft, isMoment: () => true });
  if (!sealed.ok) throw new Error(sealed.error.reason);
  expect(judgeAuditLines([sealed.value], data.token_id)).toBeNull();
  expect(judgeAuditLines([sealed.value, sealed.value], data.token_id)).toBe("audit_entries_out_of_order");
});

test("a file that could be read proves nothing by that alone", () => {
  const passed = (name: string) => ({ name, outcome: "passed", reason: null }) as never as ReceiptCheck;
  expect(isProven([])).toBe(false);
  expect(isProven([passed("file")])).toBe(false);
  expect(isProven([passed("file"), passed("shape")])).toBe(true);
});
