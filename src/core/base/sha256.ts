import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Brand } from "./brand.ts";

/** A SHA-256 digest as 64 lowercase hex digits. */
export type Sha256Hex = Brand<string, "Sha256Hex">;

/** SHA-256 of the UTF-8 bytes of a text, or of bytes as they are. */
export function sha256Hex(input: string | Uint8Array): Sha256Hex {
  return bytesToHex(sha256(typeof input === "string" ? utf8ToBytes(input) : input)) as Sha256Hex;
}
