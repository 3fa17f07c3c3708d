import { describe, expect, test } from "vitest";
import { deviceCode, type DeviceKeyBody, type KeyId, type OwnerKeyBody, type PublicKeyHex } from "#model";
import { codeOf, deriveDeviceState, type KnownKey } from "./device-state.ts";

const mine: KnownKey = {
  sessionId: "session-1",
  publicKey: "ab".repeat(32) as PublicKeyHex,
  keyId: "ab".repeat(16) as KeyId,
};
const other: KnownKey = { ...mine, publicKey: "cd".repeat(32) as PublicKeyHex, keyId: "cd".repeat(16) as KeyId };
const NONCE = "5e".repeat(32);

const ownerKey: OwnerKeyBody = {
  key_id: mine.keyId,
  public_key: mine.publicKey,
  name: "Laptop",
  kind: "browser",
  session_id: "session-1",
  enrolled_at: "2026-11-15T21:00:00.000Z",
  revoked_at: null,
  last_used_at: null,
};
const body = (change: Partial<DeviceKeyBody>): DeviceKeyBody => ({
  state: "none",
  key: null,
  enrolment: null,
  ...change,
});
const waiting = (key: KnownKey, code = codeOf(key, { nonce: NONCE })): DeviceKeyBody =>
  body({
    state: "waiting",
    enrolment: {
      enrolment_id: "enrolment-1",
      nonce: NONCE,
      code,
      expires_at: "2026-11-15T21:10:00.000Z",
      public_key: key.publicKey,
    },
  });

describe("the key of this browser", () => {
  test("is none until it is offered, whether or not one was made", () => {
    expect(deriveDeviceState(body({}), null)).toEqual({ kind: "none" });
    expect(deriveDeviceState(body({}), mine)).toEqual({ kind: "none" });
  });

  test("waits under the code of its own public key and session", () => {
    expect(deriveDeviceState(waiting(mine), mine)).toEqual({
      kind: "waiting",
      code: deviceCode({ nonce: NONCE, publicKey: mine.publicKey, sessionId: mine.sessionId }),
      expiresAt: "2026-11-15T21:10:00.000Z",
    });
  });

  test("a code of another key is never shown as that of this one", () => {
    expect(deriveDeviceState(waiting(mine, codeOf(other, { nonce: NONCE })), mine)).toEqual({ kind: "code_differs" });
    expect(deriveDeviceState(waiting(other), mine)).toEqual({ kind: "lost", key: null });
    expect(codeOf({ ...mine, sessionId: "session-2" }, { nonce: NONCE })).not.toBe(codeOf(mine, { nonce: NONCE }));
  });

  test("is enrolled only where the private half is here", () => {
    const enrolled = body({ state: "enrolled", key: ownerKey });
    expect(deriveDeviceState(enrolled, mine)).toEqual({ kind: "enrolled", key: ownerKey, keyId: mine.keyId });
    expect(deriveDeviceState(enrolled, null)).toEqual({ kind: "lost", key: ownerKey });
    expect(deriveDeviceState(enrolled, other)).toEqual({ kind: "lost", key: ownerKey });
  });

  test("stays revoked, also where the private half is still here", () => {
    expect(deriveDeviceState(body({ state: "revoked", key: ownerKey }), mine)).toEqual({
      kind: "revoked",
      key: ownerKey,
    });
  });
});
