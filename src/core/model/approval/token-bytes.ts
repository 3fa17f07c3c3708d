import { assert, canonicalJson, sha256Hex } from "#base";
import type { ApprovalToken, UnsignedToken } from "../approvals.ts";
import { snakeRecord } from "./record-codec.ts";

/** A signature over these bytes says "approved" and nothing else: the first line keeps it from any other meaning. */
const DOMAIN = "silas-approval-v1\n";

/**
 * The text whose UTF-8 bytes are signed: the domain, then RFC 8785 of every field but the signature, in wire form. The
 * page that signs and the engine that verifies both make it here. [APPR-04]
 */
export function tokenSigningBytes(token: UnsignedToken | ApprovalToken): string {
  const { signature: _signature, ...fields } = { signature: null, ...token };
  const text = canonicalJson(snakeRecord(fields));
  assert(text.ok, "APPR-04 a token has canonical bytes");
  return DOMAIN + text.value;
}

/** The id follows from the nonce, so that neither can be exchanged alone. */
export const tokenIdOf = (nonce: string): string => `tok_${sha256Hex(`silas-token-id-v1\n${nonce}`).slice(0, 32)}`;
