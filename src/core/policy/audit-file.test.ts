import { expect, test } from "vitest";
import { LIMITS, sha256Hex, type Instant } from "#base";
import type { AuditDraft, AuditHead } from "#model";
import {
  auditFileStart,
  readAuditLine,
  renderAuditHeader,
  renderAuditKey,
  renderAuditLine,
  renderSignedHead,
} from "./audit-file.ts";
import { judgeSignedHead } from "./audit-head.ts";
import { AUDIT_GENESIS, sealEntry } from "./chain.ts";

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

test("[AUD-03] a file in which a key is revoked has no head signed with it after that, and other keys still sign", () => {
  const keyOf = (byte: number) => ({
    keyId: sha256Hex(new Uint8Array(32).fill(byte)).slice(0, 32),
    publicKey: byte.toString(16).repeat(32),
  });
  const [revoked, other] = [keyOf(0xab), keyOf(0xcd)];
  const at = "2026-11-15T09:00:00.000Z" as Instant;
  const sealed = (head: AuditHead, entry: Pick<AuditDraft, "event" | "data">) => {
    const draft = { at, actor: { kind: "owner", session_id: "s" }, ...entry } as AuditDraft;
    const row = sealEntry({ head, hash: sha256Hex, isMoment: () => true, draft });
    if (!row.ok) throw new Error(JSON.stringify(row.error));
    return row.value;
  };
  const endWith = (keyId: string) => {
    const revoking = sealed(AUDIT_GENESIS, {
      event: "key_revoked",
      data: { key_id: revoked.keyId, key_name: "laptop" },
    });
    const marking = sealed(revoking, { event: "audit_checkpoint", data: { checkpoint_id: "c", key_id: keyId } });
    const signed = { seq: marking.seq, hash: marking.hash, at, checkpointId: "c", keyId, signature: "s" };
    const lines = [
      renderAuditHeader(),
      ...[revoked, other].map((key) => renderAuditKey(key as never)),
      ...[revoking, marking].map(renderAuditLine),
      renderSignedHead(signed as never),
    ];
    let state = auditFileStart;
    for (const text of lines) {
      const read = readAuditLine(state, { text, hash: sha256Hex, check: () => true });
      if (!read.ok) return read.error.code;
      state = read.value;
    }
    return state.headsSigned;
  };
  expect(endWith(other.keyId)).toBe(1);
  expect(endWith(revoked.keyId)).toBe("head_key_unknown");
});
