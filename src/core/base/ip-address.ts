/** An address as bytes: four, or sixteen. Only the one strict spelling of each kind is an address. */
type IpAddress = { readonly family: 4 | 6; readonly bytes: readonly number[] };

/**
 * Reads an address. `0177.1`, `2130706433`, `0x7f.1` and zones such as `fe80::1%eth0`, which some programs take for
 * addresses as well, are none.
 */
export function parseIpAddress(text: string): IpAddress | null {
  const four = parseFour(text);
  if (four !== null) return { family: 4, bytes: four };
  const bytes = parseSix(text);
  return bytes === null ? null : { family: 6, bytes };
}

/**
 * Whether an address belongs to the open internet. Everything else is refused: this machine, its network, the link, the
 * metadata servers of clouds, multicast, and every address of version 6 that carries one of version 4 in it.
 */
export function isPublicAddress({ family, bytes }: IpAddress): boolean {
  if (family === 4) return !CLOSED_FOUR.some((range) => isIn(bytes, range));
  return isIn(bytes, GLOBAL_SIX) && !CLOSED_SIX.some((range) => isIn(bytes, range));
}

/** `start` has every byte that holds one of the `bits`, and no more. */
type Range = { readonly start: readonly number[]; readonly bits: number };

/** From the registries of special-purpose addresses (RFC 6890 and what came after it). */
const CLOSED_FOUR: readonly Range[] = [
  { start: [0], bits: 8 },
  { start: [10], bits: 8 },
  { start: [100, 64], bits: 10 },
  { start: [127], bits: 8 },
  { start: [169, 254], bits: 16 },
  { start: [172, 16], bits: 12 },
  { start: [192, 0, 0], bits: 24 },
  { start: [192, 0, 2], bits: 24 },
  { start: [192, 88, 99], bits: 24 },
  { start: [192, 168], bits: 16 },
  { start: [198, 18], bits: 15 },
  { start: [198, 51, 100], bits: 24 },
  { start: [203, 0, 113], bits: 24 },
  { start: [224], bits: 4 },
  { start: [240], bits: 4 },
];
/** The only part of version 6 that is given out; the loopback, local and mapped addresses lie outside of it. */
const GLOBAL_SIX: Range = { start: [0x20], bits: 3 };
const CLOSED_SIX: readonly Range[] = [
  // Protocols and tunnels, Teredo among them.
  { start: [0x20, 0x01, 0x00], bits: 23 },
  { start: [0x20, 0x01, 0x0d, 0xb8], bits: 32 },
  // 6to4: an address of version 4 follows.
  { start: [0x20, 0x02], bits: 16 },
  { start: [0x3f, 0xff, 0x00], bits: 20 },
];

function isIn(bytes: readonly number[], { start, bits }: Range): boolean {
  return start.every((byte, at) => {
    const used = Math.min(8, bits - at * 8);
    const mask = (0xff << (8 - used)) & 0xff;
    return ((bytes[at] ?? 0) & mask) === (byte & mask);
  });
}

function parseFour(text: string): readonly number[] | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return null;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte < 256) ? bytes : null;
}

function parseSix(text: string): readonly number[] | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const [head = null, tail = []] = halves.map((half) => (half === "" ? [] : groupsOf(half)));
  if (head === null || tail === null) return null;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return null;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

/** Groups of one side of `::`, as bytes; the last may be written as version 4. */
function groupsOf(half: string): readonly number[] | null {
  const bytes: number[] = [];
  const groups = half.split(":");
  for (const [at, group] of groups.entries()) {
    const four = at === groups.length - 1 ? parseFour(group) : null;
    if (four !== null) bytes.push(...four);
    else if (!/^[0-9A-Fa-f]{1,4}$/.test(group)) return null;
    else bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff);
  }
  return bytes;
}
