import { expect, test } from "vitest";
import { LIMITS, sha256Hex, type Instant } from "#base";
import { auditFileStart, readAuditLine, renderAuditHeader } from "./audit-file.ts";
import { judgeSignedHead } from "./audit-head.ts";

test("a line of an audit file is as long as the limit at most", () => {
  const start = readAuditLine(auditFileStart, { text: renderAuditHeader(), hash: sha256Hex });
  if (!start.ok) throw new Error("the header is the first line");
  const read = (chars: number) => readAuditLine(start.value, { text: "[]".padEnd(chars), hash: sha256Hex });
  expect(read(LIMITS.importLineBytes)).toMatchObject({ error: { reason: "not_canonical" } });
  expect(read(LIMITS.importLineBytes + 1)).toMatchObject({ error: { reason: "line_too_long" } });
});

test("a key that is revoked still counts for heads it signed until that moment, and for none after it", () => {
  const publicKey = "ab".repeat(32);
  const keyId = sha256Hex(new Uint8Array(32).fill(0xab)).slice(0, 16);
  const revokedAt = "2026-11-15T09:00:00.000Z" as Instant;
  const judge = (at: string) =>
    judgeSignedHead({ seq: 1, hash: sha256Hex("head"), checkpointId: "c", keyId, at, signature: "signed" } as never, {
      keys: [{ keyId, publicKey, revokedAt } as never],
      check: () => true,
    });
  expect(judge("2026-11-15T08:59:59.999Z")).toBeNull();
  expect(judge(revokedAt)).toBeNull();
  expect(judge("2026-11-15T09:00:00.001Z")).toMatchObject({ code: "head_key_unknown", seq: 1 });
});
