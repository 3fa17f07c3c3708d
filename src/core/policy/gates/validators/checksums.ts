/** The check digit of payment cards. */
export function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const doubled = index % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The check digits of bank accounts: the number with its letters as digits, turned by four, leaves 1 over 97. */
export function isIban(compact: string): boolean {
  const turned = compact.slice(4) + compact.slice(0, 4);
  let rest = 0;
  for (const character of turned) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Bits per character: keys look random, words and placeholders do not. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** GitHub ends its tokens with a CRC-32 of what comes before, in base 62. */
export function hasGithubChecksum(token: string): boolean {
  const body = token.slice(token.indexOf("_") + 1, -6);
  return base62(crc32(body)).padStart(6, "0") === token.slice(-6);
}

function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index) & 0xff;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function base62(number: number): string {
  let rest = number;
  let text = "";
  for (let steps = 0; steps < 6 && (rest > 0 || text === ""); steps += 1) {
    text = `${BASE_62[rest % 62] ?? ""}${text}`;
    rest = Math.floor(rest / 62);
  }
  return text;
}
