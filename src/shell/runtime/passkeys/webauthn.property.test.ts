import * as fc from "fast-check";
import { expect, test } from "vitest";
import { passkeyIdOf, type Passkey } from "#model";
import type { Instant } from "#base";
import { createAuthenticator, ORIGIN } from "../../../../test/authenticator.ts";
import { verifyAssertion, verifyAttestation, type Expected } from "./webauthn.ts";

const expected: Expected = {
  challenge: Buffer.alloc(32, 7).toString("base64url"),
  rpId: "localhost",
  isOwnOrigin: (origin) => origin === ORIGIN,
};
const authenticator = createAuthenticator();
const encoded = fc
  .uint8Array({ minLength: 1, maxLength: 200 })
  .map((bytes) => Buffer.from(bytes).toString("base64url"));

async function made(): Promise<Passkey> {
  const verified = await verifyAttestation(authenticator.make({ challenge: expected.challenge }), expected);
  if (!verified.ok) throw new Error(verified.error);
  const passkeyId = passkeyIdOf(verified.value.credentialId);
  const createdAt = "2026-11-15T21:00:00.000Z" as Instant;
  return { ...verified.value, passkeyId, sessionId: "s", rpId: "localhost", name: "x", createdAt, lastUsedAt: null };
}

test("whatever a browser sends for an answer is answered, and nothing but the real one holds", async () => {
  const passkey = await made();
  const right = authenticator.answer({ challenge: expected.challenge });
  expect((await verifyAssertion(passkey, { assertion: right, expected })).ok).toBe(true);
  const part = fc.constantFrom("clientDataJSON", "authenticatorData", "signature");
  await fc.assert(
    fc.asyncProperty(part, encoded, async (name, bytes) => {
      const assertion = { ...right, response: { ...right.response, [name]: bytes } };
      expect((await verifyAssertion(passkey, { assertion, expected })).ok).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test("whatever a browser sends for a new passkey is answered, whole or damaged in any byte", async () => {
  const right = authenticator.make({ challenge: expected.challenge });
  const object = Buffer.from(right.response.attestationObject, "base64url");
  const damaged = fc.tuple(fc.nat(object.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, bits]) => {
    const bytes = Buffer.from(object);
    bytes.writeUInt8(bytes.readUInt8(at) ^ bits, at);
    return bytes.toString("base64url");
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(encoded, damaged), async (attestationObject) => {
      const response = { ...right.response, attestationObject };
      const verified = await verifyAttestation({ ...right, response }, expected);
      // Without attestation nobody signs the new key itself: another key is another passkey, of whoever made it.
      const keyBytes = verified.ok ? Buffer.from(verified.value.publicKey, "base64url").length : null;
      expect(keyBytes === null || keyBytes > 32).toBe(true);
    }),
    { numRuns: 200 },
  );
});
