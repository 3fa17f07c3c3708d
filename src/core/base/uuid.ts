import { bytesToHex } from "@noble/hashes/utils.js";
import { assert } from "./result.ts";
import { msOfInstant, type Instant } from "./instant.ts";

/** A UUID version 7 (RFC 9562) from a moment and ten random bytes, both given as facts. Sorts by time. */
export function uuidV7(at: Instant, random: Uint8Array): string {
  assert(random.length >= 10, "uuidV7 needs ten random bytes");
  let ms = msOfInstant(at);
  // The time field is unsigned: a moment before 1970 would wrap around and sort after every other.
  assert(ms >= 0, "uuidV7 needs a moment after 1970");
  const bytes = new Uint8Array(16);
  for (let index = 5; index >= 0; index -= 1) {
    bytes[index] = ms % 256;
    ms = Math.floor(ms / 256);
  }
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytesToHex(bytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
