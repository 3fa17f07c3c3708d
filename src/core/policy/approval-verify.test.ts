import { describe, expect, test } from "vitest";
import type { Instant, Sha256Hex } from "#base";
import type { ApprovalUse } from "#model";
import { AT, NONCE, pendingFor, tokenFor } from "./approval.fixture.ts";
import { judgeCheck, judgeVerify, type Presented } from "./approval-verify.ts";

const pending = pendingFor();
const token = tokenFor(pending, { maxExecutions: 1 });
const LATER = "2026-11-15T21:10:00.000Z" as Instant;

const presented: Presented = {
  token,
  signature: "valid",
  item: { workItemId: "task-1", contentHash: pending.planHash },
  scope: "full_plan",
  spawn: null,
  at: LATER,
  uses: [],
  lineage: "attempt-1",
  isVoid: false,
};
const recorded = (change: Partial<ApprovalUse> = {}): ApprovalUse => ({
  nonce: NONCE,
  useNumber: 1,
  contentHash: pending.planHash,
  attemptLineage: "attempt-1",
  at: LATER,
  ...change,
});
const verified = (change: Partial<Presented>) => {
  const answer = judgeVerify({ ...presented, ...change });
  return answer.ok ? "valid" : `${answer.error.check}: ${answer.error.code}`;
};
const checked = (change: Partial<Presented>) => {
  const answer = judgeCheck({ ...presented, uses: [recorded()], ...change });
  return answer.ok ? "valid" : `${answer.error.check}: ${answer.error.code}`;
};
const other = "ab".repeat(32) as Sha256Hex;

test("[APPR-16] a void approval neither begins nor continues anything, however many uses it has left", () => {
  expect(verified({ isVoid: true, token: { ...token, maxExecutions: 5 } })).toBe("execution_count: approval_void");
  expect(checked({ isVoid: true })).toBe("execution_count: approval_void");
});

describe("uses", () => {
  test("[APPR-16] the highest use number counts like as many uses: a row that vanished gives none back", () => {
    const three = { ...token, maxExecutions: 3 };
    const late = recorded({ useNumber: 3, attemptLineage: "attempt-3" });
    expect(verified({ token: three, uses: [late], lineage: "attempt-4" })).toBe("execution_count: approval_spent");
    const second = recorded({ useNumber: 2, attemptLineage: "attempt-2" });
    expect(judgeVerify({ ...presented, token: three, uses: [second], lineage: "attempt-4" })).toMatchObject({
      value: { useNumber: 3 },
    });
    // More rows than numbers count as well.
    const twice = [recorded(), recorded({ attemptLineage: "attempt-2" }), recorded({ attemptLineage: "attempt-3" })];
    expect(verified({ token: three, uses: twice, lineage: "attempt-4" })).toBe("execution_count: approval_spent");
    expect(checked({ uses: [recorded({ useNumber: 2 })] })).toBe("execution_count: approval_spent");
  });
});

describe("verify", () => {
  test("[APPR-11] names the first failing check, in the order signature, hash, verdict, expiry, count, use", () => {
    const uses = [recorded({ attemptLineage: "attempt-1" })];
    const wrong: Presented = {
      token: { ...token, verdict: "conditional", expiresAt: AT, maxExecutions: 1 },
      signature: "invalid",
      item: { workItemId: "task-1", contentHash: other },
      scope: "change_set",
      spawn: null,
      at: LATER,
      uses,
      lineage: "attempt-1",
      isVoid: false,
    };
    const order: readonly [string, (bad: Presented) => Presented][] = [
      ["signature: approval_signature_invalid", (bad) => ({ ...bad, signature: "valid" })],
      ["binding: approval_hash_differs", (bad) => ({ ...bad, item: presented.item })],
      ["binding: approval_item_differs", (bad) => ({ ...bad, scope: presented.scope })],
      ["verdict: approval_not_approved", (bad) => ({ ...bad, token: { ...bad.token, verdict: "approved" } })],
      ["expiry: approval_expired", (bad) => ({ ...bad, token: { ...bad.token, expiresAt: token.expiresAt } })],
      ["execution_count: approval_spent", (bad) => ({ ...bad, token: { ...bad.token, maxExecutions: 2 } })],
      ["use_freshness: approval_use_taken", (bad) => ({ ...bad, lineage: "attempt-2" })],
    ];
    let bad = wrong;
    for (const [expected, mend] of order) {
      expect(verified(bad)).toBe(expected);
      bad = mend(bad);
    }
    expect(verified(bad)).toBe("valid");
  });

  test("[APPR-11] an unknown or revoked key and every verdict but approved are refused", () => {
    expect(verified({ signature: "key_unknown" })).toBe("signature: approval_key_unknown");
    expect(verified({ signature: "key_revoked" })).toBe("signature: approval_key_revoked");
    for (const verdict of ["declined", "edit_requested", "conditional"] as const) {
      expect(verified({ token: { ...token, verdict } })).toBe("verdict: approval_not_approved");
    }
    expect(verified({ signature: "strange" as "valid" })).toBe("signature: approval_signature_invalid");
  });

  test("[APPR-12] holds only for the very item whose hash was approved", () => {
    expect(verified({})).toBe("valid");
    expect(verified({ item: { workItemId: "task-1", contentHash: other } })).toBe("binding: approval_hash_differs");
    expect(verified({ item: { workItemId: "task-2", contentHash: pending.planHash } })).toBe(
      "binding: approval_item_differs",
    );
  });

  test("[APPR-23] a signed approval of something else is none of this item", () => {
    for (const scope of ["tool_type", "change_set", "single_step"] as const) {
      expect(verified({ scope })).toBe("binding: approval_item_differs");
      expect(checked({ scope })).toBe("binding: approval_item_differs");
      expect(verified({ token: { ...token, scope } })).toBe("binding: approval_item_differs");
    }
  });

  test("a standing token is refused while no goal makes tasks", () => {
    const standing = { ...token, scope: "standing" as const };
    expect(verified({ token: standing })).toBe("binding: approval_spawn_missing");
    expect(checked({ token: standing })).toBe("binding: approval_spawn_missing");
  });

  test("[APPR-15] an expired token is refused from the moment it ends, and so is a clock before its beginning", () => {
    expect(verified({ at: "2026-11-15T21:29:59.999Z" as Instant })).toBe("valid");
    expect(verified({ at: token.expiresAt })).toBe("expiry: approval_expired");
    expect(verified({ at: "2027-11-15T21:00:00.000Z" as Instant })).toBe("expiry: approval_expired");
    expect(verified({ at: "2026-11-15T20:59:59.999Z" as Instant })).toBe("expiry: approval_not_yet_valid");
  });

  test("a use that vanished from between the others gives nothing back", () => {
    const three = { ...token, maxExecutions: 3 };
    const left = [recorded({ useNumber: 1, attemptLineage: "a" }), recorded({ useNumber: 3, attemptLineage: "c" })];
    expect(verified({ token: three, uses: left })).toBe("execution_count: approval_spent");
  });

  test("uses of another nonce are a bug, not a count", () => {
    expect(() => judgeVerify({ ...presented, uses: [recorded({ nonce: "00".repeat(32) })] })).toThrow("INV-02");
  });
});

describe("check", () => {
  test("[APPR-20] passes only for the lineage that was granted, with this content", () => {
    expect(checked({})).toBe("valid");
    expect(checked({ lineage: "attempt-2" })).toBe("use_freshness: approval_lineage_differs");
    expect(checked({ uses: [recorded({ contentHash: other })] })).toBe("use_freshness: approval_lineage_differs");
    expect(checked({ signature: "invalid" })).toBe("signature: approval_signature_invalid");
    expect(checked({ signature: "key_revoked" })).toBe("signature: approval_key_revoked");
    expect(checked({ at: token.expiresAt })).toBe("expiry: approval_expired");
    expect(checked({ item: { workItemId: "task-1", contentHash: other } })).toBe("binding: approval_hash_differs");
    expect(checked({ token: { ...token, verdict: "declined" } })).toBe("verdict: approval_not_approved");
  });

  test("[APPR-21] fails for a token that was never verified, and for one used more often than signed", () => {
    expect(checked({ uses: [] })).toBe("execution_count: approval_not_granted");
    expect(checked({ uses: [recorded(), recorded({ useNumber: 2, attemptLineage: "attempt-2" })] })).toBe(
      "execution_count: approval_spent",
    );
  });
});
