/**
 * base: the words every other room is written in.
 *
 * Decides nothing. Holds Result, assert, brands, limits, instants, strict and canonical JSON, hashes, ids, order keys,
 * and what makes a text safe to show or finds the word that was meant.
 * May import nothing but `@noble/hashes`.
 * Invariants: everything here is pure; an Instant has exactly one spelling per moment; equal values have equal
 * canonical bytes.
 */
export { assert, frozen, InvariantError, unreachable, err, ok, type Result } from "./result.ts";
export type { Brand } from "./brand.ts";
export {
  addDays,
  daysInMonth,
  daysOfLocalDate,
  instantFromMs,
  isoWeekday,
  msOfInstant,
  parseInstant,
  parseLocalDate,
  parseLocalTime,
  type Instant,
  type LocalDate,
  type LocalTime,
} from "./instant.ts";
export {
  canonicalDigest,
  canonicalJson,
  type CanonicalError,
  type JsonValue,
  sha256Hex,
  type Sha256Hex,
} from "./canonical-json.ts";
export { isPublicAddress, parseIpAddress } from "./ip-address.ts";
export { LIMITS } from "./limits.ts";
export {
  bareJson,
  estimateTokens,
  renderBlock,
  dollars,
  isWellFormed,
  neutralise,
  oneLine,
  plainMoment,
  plainName,
  visibleJson,
} from "./text.ts";
export { orderBetween, orderSeries } from "./order-key.ts";
export { isPathInside } from "./path-inside.ts";
export { parseCanonicalJson, parseStrictJson, type JsonParseError, type JsonParseErrorCode } from "./strict-json.ts";
export { nearest } from "./text-distance.ts";
export { createTextStream } from "./text-stream.ts";
export { uuidV7 } from "./uuid.ts";
export type { YamlRefusalCode } from "./yaml-refusal.ts";
