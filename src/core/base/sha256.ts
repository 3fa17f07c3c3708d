import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { assert } from "./assert.ts";
import type { Brand } from "./brand.ts";
import { isWellFormed } from "./text.ts";

/** A SHA-256 digest as 64 lowercase hex digits. */
export type Sha256Hex = Brand<string, "Sha256Hex">;

/** SHA-256 of the UTF-8 bytes of a text, or of bytes as they are. */
export function sha256Hex(input: string | Uint8Array): Sha256Hex {
  return bytesToHex(sha256(typeof input === "string" ? bytesOf(input) : input)) as Sha256Hex;
}

function bytesOf(text: string): Uint8Array {
  // The encoder would write every lone surrogate as the same replacement character, and different texts would share
  // a digest. Parsers refuse such texts, so one that arrives here is a bug.
  assert(isWellFormed(text), "sha256Hex of well-formed text");
  return utf8ToBytes(text);
}
