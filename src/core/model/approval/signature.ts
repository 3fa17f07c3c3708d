import * as z from "zod/mini";
import { assert, canonicalJson, err, ok, type Result, sha256Hex } from "#base";
import type { SignatureHex } from "../keys.ts";
import { decoded } from "../values.ts";
import type { ApprovalToken, UnsignedToken } from "../approvals.ts";
import { snakeRecord } from "./record-codec.ts";

/**
 * A signature is bytes in memory and base64 in JSON, and this is the only place where one becomes the other. Each byte
 * string has exactly one spelling: the standard alphabet, padded, with unused bits zero. [APPR-03]
 */
const SIGNATURE_BYTES = 64;

const HEX = "0123456789abcdef";
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** 64 bytes end in one byte of their own: two digits and two signs of padding. */
const SIGNATURE_BASE64 = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

export function signatureToBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [a, b, c] = [bytes[at] ?? 0, bytes[at + 1], bytes[at + 2]];
    const group = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    text += digit(group >> 18) + digit(group >> 12);
    text += b === undefined ? "=" : digit(group >> 6);
    text += c === undefined ? "=" : digit(group);
  }
  return text;
}

export function signatureFromBase64(text: string): Result<Uint8Array, { readonly code: "invalid_base64" }> {
  if (!SIGNATURE_BASE64.test(text)) return err({ code: "invalid_base64" });
  const bytes = new Uint8Array(SIGNATURE_BYTES);
  let [bits, held, at] = [0, 0, 0];
  for (const character of text.slice(0, -2)) {
    held = ((held << 6) | ALPHABET.indexOf(character)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = (held >> bits) & 0xff;
    at += 1;
  }
  return ok(bytes);
}

export function signatureToHex(bytes: Uint8Array): SignatureHex {
  let hex = "";
  for (const byte of bytes) hex += HEX.charAt(byte >> 4) + HEX.charAt(byte & 15);
  return hex as SignatureHex;
}

/** For what a signer answered. */
export function signatureFromHex(hex: SignatureHex): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16),
  );
}

function digit(bits: number): string {
  return ALPHABET.charAt(bits & 63);
}

/** A signature as it travels: base64 of exactly 64 bytes, in its one spelling. [APPR-03] */
export const signatureSchema = z.codec(z.string(), decoded<Uint8Array>(), {
  decode: (text, context) => {
    const bytes = signatureFromBase64(text);
    if (bytes.ok) return bytes.value;
    context.issues.push({ code: "custom", message: bytes.error.code, input: text });
    return z.NEVER;
  },
  encode: signatureToBase64,
});

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
