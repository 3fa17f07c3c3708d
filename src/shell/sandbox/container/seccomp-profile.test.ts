import { expect, test } from "vitest";
import { DENIED, JUDGED, UNKNOWN } from "../seccomp-calls-table.ts";
import { seccompProfile } from "./seccomp-profile.ts";

test("an engine is told to refuse every call that bubblewrap's filter refuses, in its words", () => {
  const { syscalls, architectures } = seccompProfile("x64");
  const named = (errno: number) => syscalls.filter(({ errnoRet }) => errnoRet === errno).flatMap(({ names }) => names);
  expect(named(1)).toEqual(expect.arrayContaining(Object.keys(DENIED)));
  expect(named(38)).toEqual(Object.keys(UNKNOWN));
  expect(new Set(syscalls.flatMap(({ names }) => names))).toEqual(
    new Set([...Object.keys(DENIED), ...Object.keys(UNKNOWN), ...Object.keys(JUDGED)]),
  );
  expect(architectures).toEqual(["SCMP_ARCH_X86_64"]);
  // A processor without a call is not told of it: an engine would refuse the whole filter.
  expect(seccompProfile("arm64").syscalls.flatMap(({ names }) => names)).not.toContain("iopl");
});

test("calls that are judged by what they are asked for are refused for exactly that", () => {
  const rules = seccompProfile("x64").syscalls;
  const refuses =
    (name: string) =>
    (argument: number): boolean =>
      rules.some(
        ({ names, args: [rule] }) => names.includes(name) && rule !== undefined && matches(rule, BigInt(argument)),
      );
  expect([1, 2, 10, 16].some(refuses("socket"))).toBe(false);
  expect([0, 3, 9, 11, 15, 17, 38, 40].every(refuses("socket"))).toBe(true);
  expect([0x5412, 0x541c].every(refuses("ioctl"))).toBe(true);
  expect(refuses("ioctl")(0x5413)).toBe(false);
  expect([0x1000_0011, 0x4000_0011, 0x2_0011].every(refuses("clone"))).toBe(true);
  expect(refuses("clone")(0x0100_0011)).toBe(false);
  expect([0xffff_ffff, 0x0040_0000].map(refuses("personality"))).toEqual([false, true]);
});

type Test = { readonly value: number; readonly valueTwo?: number; readonly op: string };

/** As libseccomp compares. */
function matches({ op, value, valueTwo = 0 }: Test, argument: bigint): boolean {
  if (op === "SCMP_CMP_MASKED_EQ") return (argument & BigInt(value)) === BigInt(valueTwo);
  return op === "SCMP_CMP_GT" ? argument > BigInt(value) : argument !== BigInt(value);
}
