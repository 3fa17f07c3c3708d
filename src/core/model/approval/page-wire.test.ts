import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { PublicKeyHex } from "../keys.ts";
import { deviceCode, deviceProofText } from "./device-statements.ts";
import {
  beginDeviceKeySchema,
  confirmDeviceSchema,
  mintRequestSchema,
  offerDeviceKeySchema,
  signRequestSchema,
} from "./page-wire.ts";

const PUBLIC_KEY = "07".repeat(32) as PublicKeyHex;
const SIGNATURE = Buffer.alloc(64, 3).toString("base64");

describe("statements of a device", () => {
  test("the proof of possession is one text, as pinned", () => {
    const proof = { challenge: "5e".repeat(32), name: "Küche", publicKey: PUBLIC_KEY, sessionId: "session-1" };
    expect(deviceProofText(proof)).toBe(
      `silas-device-key-v1\n{"challenge":"${"5e".repeat(32)}","name":"Küche","public_key":"${PUBLIC_KEY}",` +
        '"session_id":"session-1"}',
    );
  });

  test("the code is six digits of the hash of nonce, key and session, as pinned", () => {
    const parts = { nonce: "ab".repeat(32), publicKey: PUBLIC_KEY, sessionId: "session-1" };
    const text = `silas-device-code-v1\n{"nonce":"${parts.nonce}","public_key":"${PUBLIC_KEY}","session_id":"session-1"}`;
    const digits = String(Number.parseInt(sha256Hex(text).slice(0, 12), 16) % 1_000_000).padStart(6, "0");
    expect(deviceCode(parts)).toBe(digits);
    expect(deviceCode(parts)).toMatch(/^\d{6}$/);
    expect(deviceCode({ ...parts, sessionId: "session-2" })).not.toBe(digits);
  });

  test("any nonce gives six digits", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{64}$/), (nonce) => {
        expect(deviceCode({ nonce, publicKey: PUBLIC_KEY, sessionId: "s" })).toMatch(/^\d{6}$/);
      }),
      { numRuns: 200 },
    );
  });
});

describe("what a page may send", () => {
  const offer = { name: "Phone", public_key: PUBLIC_KEY, challenge: "5e".repeat(32), signature: SIGNATURE };
  const mint = { request_id: "r-1", shown_hash: "ab".repeat(32), friction: ["tap"], key_id: "cd".repeat(16) };
  const sign = {
    request_id: "r-1",
    signatures: [{ token_id: "tok_1", signature: SIGNATURE }],
    passkey_assertion: null,
  };
  const whole = [
    [beginDeviceKeySchema, {}],
    [offerDeviceKeySchema, offer],
    [confirmDeviceSchema, { code: "012345" }],
    [mintRequestSchema, mint],
    [signRequestSchema, sign],
  ] as const;

  test("has exactly its fields, and authority cannot be added to it", () => {
    for (const [schema, body] of whole) {
      expect(schema.safeParse(body).success, JSON.stringify(body)).toBe(true);
      for (const extra of ["session_id", "actor", "taint", "scope", "strong_auth"]) {
        expect(schema.safeParse({ ...body, [extra]: "x" }).success, extra).toBe(false);
      }
      for (const field of Object.keys(body)) {
        expect(schema.safeParse({ ...body, [field]: undefined }).success, field).toBe(false);
      }
    }
  });

  test("signatures have one spelling, and there is at least one", () => {
    expect(signRequestSchema.safeParse({ ...sign, signatures: [] }).success).toBe(false);
    const short = [{ token_id: "tok_1", signature: SIGNATURE.replace("==", "") }];
    expect(signRequestSchema.safeParse({ ...sign, signatures: short }).success).toBe(false);
    expect(offerDeviceKeySchema.safeParse({ ...offer, signature: `${SIGNATURE} ` }).success).toBe(false);
    expect(offerDeviceKeySchema.safeParse({ ...offer, public_key: "AB".repeat(32) }).success).toBe(false);
  });
});
