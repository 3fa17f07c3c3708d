/** Plain decimals only: what one reader takes for a number another may take for text. */
const DECIMAL = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/**
 * The number a value is, or null. A text counts only in its plainest spelling: no exponent, no hexadecimal, no
 * separators, signs, spaces or foreign digits, and nothing for the empty text, which `Number` would read as zero.
 */
export function numberOf(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return typeof value === "string" && DECIMAL.test(value) ? Number(value) : null;
}
