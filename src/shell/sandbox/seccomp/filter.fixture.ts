import { JUDGED } from "./judged-calls.ts";

type Call = { readonly number: number; readonly arch: number; readonly args?: readonly number[] };

const ANSWERS: Readonly<Record<string, string>> = {
  "7fff0000": "allowed",
  "80000000": "killed",
  "50001": "EPERM",
  "50026": "ENOSYS",
  "5005f": "ENOTSUP",
  "50061": "EAFNOSUPPORT",
};

/** What the kernel does with a filter: the few instructions of classic BPF that ours is made of. */
export function askFilter(filter: Buffer, { number, arch, args = [] }: Call): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(arch, 4);
  args.forEach((value, at) => data.writeBigUInt64LE(BigInt(value), 16 + 8 * at));
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const code = filter.readUInt16LE(at);
    const operand = filter.readUInt32LE(at + 4);
    if (code === 0x20) loaded = data.readUInt32LE(operand);
    else if (code === 0x54) loaded = (loaded & operand) >>> 0;
    else if (code === 0x06) return ANSWERS[operand.toString(16)] ?? operand.toString(16);
    else if (code === 0x15 || code === 0x35) {
      const fits = code === 0x15 ? loaded === operand : loaded >= operand;
      at += 8 * filter.readUInt8(at + (fits ? 2 : 3));
    } else throw new Error(`the kernel does not know ${code.toString(16)}`);
  }
  throw new Error("the filter ends without an answer");
}

/** Every call that is judged by its arguments. */
export const CALLS = Object.entries(JUDGED).map(([name, { numbers }]) => ({ name, numbers }));

const HIGH = 0x1_0000_0000;
const VALUES = [0, 1, 2, 10, 16, 17, 40, 0o100, 0o644, 0o755, 0o1777, 0o2755, 0o4755, 0o6755, 0o7777]
  .concat([0x5401, 0x5412, 0x5413, 0x541c, 0x541d, 0o20_200_002, 0o100_101, 0o1101])
  .concat([0x0120_0011, 0x1000_0011, 0x4000_0011, 0x2_0011, 0x0040_0000, 0xffff_ffff])
  .flatMap((value) => [value, HIGH + value]);

/** Every pair of these as neighbouring arguments, in each place where a call has its flags or its mode. */
export const ASKED: readonly (readonly number[])[] = VALUES.flatMap((one) =>
  VALUES.flatMap((other) => [
    [one, other, 0, 0],
    [0, one, other, 0],
    [0, 0, one, other],
  ]),
);
