import { expect, test } from "vitest";
import { activityQuerySchema, approvalTokenSchema, journalCommandSchema } from "./index.ts";

const AT = "2026-11-15T21:00:00.000Z";
const TOKEN = {
  token_id: "tok_1",
  plan_hash: "ab".repeat(32),
  work_item_id: "task-1",
  scope: "full_plan",
  verdict: "approved",
  key_id: "ab".repeat(16),
  issued_at: AT,
  expires_at: "2026-11-15T21:30:00.000Z",
  nonce: "cd".repeat(32),
  approval_strength: "tap",
  conditions: {},
  max_executions: 1,
  signature: `${"A".repeat(86)}==`,
};
const COMMAND = { kind: "timer.stop", endedAt: AT };
const QUERY = { from: AT, to: AT };

const RECORDS = [
  ["an approval", approvalTokenSchema, TOKEN, ["issued_at", "expires_at"]],
  ["a command of the journal", journalCommandSchema, COMMAND, ["endedAt"]],
  ["a question about what happened", activityQuerySchema, QUERY, ["from", "to"]],
] as const;

test.each(RECORDS)("[INV-13] %s is judged by its shape alone, and a time without its offset is no moment", (...row) => {
  const [, schema, good, moments] = row;
  expect(schema.safeParse(good).success).toBe(true);
  for (const moment of moments) {
    for (const naive of ["2026-11-15T21:00:00.000", "2026-11-15T21:00:00", "2026-11-15 21:00", "2026-11-15", ""]) {
      expect(schema.safeParse({ ...good, [moment]: naive }).success, `${moment} ${naive}`).toBe(false);
    }
  }
  // The same value is judged the same, whatever was judged in between: there is nothing else to look at.
  expect(schema.safeParse(good)).toEqual(schema.safeParse({ ...good }));
});
