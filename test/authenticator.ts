import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import type { PasskeyAssertion, PasskeyAttestation } from "#model";

/** What a browser and an authenticator would put into an answer; a test bends it. */
export type Answering = {
  readonly challenge: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly counter?: number;
  /** Presence is 1, verification is 4; 5 is both. */
  readonly flags?: number;
  readonly type?: string;
};

const PRESENT_AND_VERIFIED = 0x05;
const HAS_KEY = 0x40;
export const ORIGIN = "http://localhost:8420";

/** A passkey in software: a P-256 key that signs what authenticators sign, in the bytes they use. */
export function createAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x, y } = publicKey.export({ format: "jwk" });
  const credentialId = randomBytes(16);
  const id = credentialId.toString("base64url");
  const cose = isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytesOf(x)],
      [-3, bytesOf(y)],
    ]),
  );
  return {
    id,
    make(answering: Answering): PasskeyAttestation {
      const size = Buffer.alloc(2);
      size.writeUInt16BE(credentialId.length);
      const key = Buffer.concat([Buffer.alloc(16), size, credentialId, cose]);
      const flags = (answering.flags ?? PRESENT_AND_VERIFIED) | HAS_KEY;
      const authData = Buffer.concat([dataOf({ ...answering, flags }), key]);
      const attestation = isoCBOR.encode(
        new Map<string, unknown>([
          ["fmt", "none"],
          ["attStmt", new Map()],
          ["authData", new Uint8Array(authData)],
        ]) as never,
      );
      return {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: clientOf({ type: "webauthn.create", ...answering }).toString("base64url"),
          attestationObject: Buffer.from(attestation).toString("base64url"),
        },
      };
    },
    answer(answering: Answering): PasskeyAssertion {
      const client = clientOf({ type: "webauthn.get", ...answering });
      const data = dataOf(answering);
      const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
      return {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: data.toString("base64url"),
          signature: sign("sha256", signed, privateKey).toString("base64url"),
        },
        clientExtensionResults: {},
      };
    },
  };
}
export type Authenticator = ReturnType<typeof createAuthenticator>;

const bytesOf = (text: string | undefined): Uint8Array => new Uint8Array(Buffer.from(text ?? "", "base64url"));

function clientOf({ type, challenge, origin = ORIGIN }: Answering): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function dataOf({ rpId = "localhost", flags = PRESENT_AND_VERIFIED, counter = 0 }: Answering): Buffer {
  const rest = Buffer.alloc(5);
  rest.writeUInt8(flags);
  rest.writeUInt32BE(counter, 1);
  return Buffer.concat([createHash("sha256").update(rpId).digest(), rest]);
}
