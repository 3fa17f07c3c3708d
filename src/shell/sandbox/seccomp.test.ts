import { describe, expect, test } from "vitest";
import { DENIED, JUDGED, PROCESSORS, UNKNOWN, type Processor } from "./seccomp-calls-table.ts";
import { seccompFilter } from "./seccomp.ts";

type Asked = { readonly number: number; readonly arch: number; readonly args?: readonly number[] };

/** What the kernel does with the filter: the few instructions of classic BPF that it uses. */
function ask(filter: Buffer, { number, arch, args = [] }: Asked): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(arch, 4);
  args.forEach((value, at) => data.writeBigUInt64LE(BigInt(value), 16 + 8 * at));
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const code = filter.readUInt16LE(at);
    const operand = filter.readUInt32LE(at + 4);
    if (code === 0x20) loaded = data.readUInt32LE(operand);
    else if (code === 0x06) return operand.toString(16);
    else {
      const fits = { 0x15: loaded === operand, 0x35: loaded >= operand, 0x45: (loaded & operand) !== 0 }[code];
      at += 8 * filter.readUInt8(at + (fits ? 2 : 3));
    }
  }
  return "fell off the end";
}

const ALLOWED = "7fff0000";
const EPERM = "50001";
const ENOSYS = "50026";
const EAFNOSUPPORT = "50061";

describe.each(["x64", "arm64"] as const)("the filter of %s", (processor: Processor) => {
  const filter = seccompFilter(processor);
  const arch = PROCESSORS[processor];
  const column = processor === "x64" ? 0 : 1;
  const answer = (number: number | null, ...args: readonly number[]) =>
    ask(filter, { number: number ?? -1, arch, args });

  test("refuses every call of its table, and lets every other through", () => {
    const denied = Object.values(DENIED).flatMap((pair) => pair[column] ?? []);
    const unknown = Object.values(UNKNOWN).flatMap((pair) => pair[column] ?? []);
    const judged = Object.values(JUDGED).map((pair) => pair[column]);
    expect(denied.map((number) => answer(number))).toEqual(denied.map(() => EPERM));
    expect(unknown.map((number) => answer(number))).toEqual(unknown.map(() => ENOSYS));
    const others = Array.from({ length: 470 }, (_, number) => number).filter(
      (number) => ![...denied, ...unknown, ...judged].includes(number),
    );
    expect(others.filter((number) => answer(number) !== ALLOWED)).toEqual([]);
  });

  test("looks at what some calls are asked for", () => {
    expect(answer(JUDGED.ioctl[column], 0, 0x5401)).toBe(ALLOWED);
    expect(answer(JUDGED.ioctl[column], 0, 0x5412)).toBe(EPERM);
    expect(answer(JUDGED.ioctl[column], 0, 0x541c)).toBe(EPERM);
    // The kernel looks at the lower half of the request only; so must the filter.
    expect(answer(JUDGED.ioctl[column], 0, 0x1_0000_5412)).toBe(EPERM);
    expect(answer(JUDGED.clone[column], 0x0120_0011)).toBe(ALLOWED);
    for (const flag of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000]) {
      expect(answer(JUDGED.clone[column], flag | 17)).toBe(EPERM);
    }
    expect([0, 0xffff_ffff].map((persona) => answer(JUDGED.personality[column], persona))).toEqual([ALLOWED, ALLOWED]);
    expect(answer(JUDGED.personality[column], 0x0040_0000)).toBe(EPERM);
    expect([1, 2, 10, 16].map((family) => answer(JUDGED.socket[column], family))).toEqual(Array(4).fill(ALLOWED));
    expect([17, 38, 40].map((family) => answer(JUDGED.socket[column], family))).toEqual(Array(3).fill(EAFNOSUPPORT));
  });

  test("ends a program that calls in the tongue of another processor", () => {
    expect(ask(filter, { number: 1, arch: 0x4000_0003 })).toBe("80000000");
    // Numbers of the x32 variant, which only x64 has.
    expect(answer(0x4000_0000 + 101)).toBe(processor === "x64" ? EPERM : ALLOWED);
  });
});
