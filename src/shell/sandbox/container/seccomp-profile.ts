import { DENIED, JUDGED, UNKNOWN, type Processor } from "../seccomp-calls-table.ts";
import { EAFNOSUPPORT, ENOSYS, EPERM, FAMILIES, NEW_NAMESPACES, TERMINAL_PUSHES } from "../seccomp.ts";

type Test = { readonly index: number; readonly value: number; readonly valueTwo?: number; readonly op: string };
type Rule = {
  readonly names: readonly string[];
  readonly action: "SCMP_ACT_ERRNO";
  readonly errnoRet: number;
  readonly args: readonly Test[];
};

/**
 * The same filter of system calls as bubblewrap is given, as engines read it. Rules for one call are tried one by one, and
 * one of them that matches is enough.
 */
export function seccompProfile(processor: Processor) {
  const column = processor === "x64" ? 0 : 1;
  const known = (calls: typeof DENIED) => Object.keys(calls).filter((name) => calls[name]?.[column] !== null);
  return {
    defaultAction: "SCMP_ACT_ALLOW",
    // Calls in the way of another processor, 32 bits among them, end the program.
    architectures: [processor === "x64" ? "SCMP_ARCH_X86_64" : "SCMP_ARCH_AARCH64"],
    syscalls: [
      refusing({ names: known(DENIED), errno: EPERM }),
      refusing({ names: known(UNKNOWN), errno: ENOSYS }),
      ...Object.entries(TESTS).flatMap(([name, { errno, tests }]) =>
        tests.map((test) => refusing({ names: [name], errno, test })),
      ),
    ],
  };
}

type Refusing = { readonly names: readonly string[]; readonly errno: number; readonly test?: Test };

const refusing = ({ names, errno, test }: Refusing): Rule => ({
  names,
  action: "SCMP_ACT_ERRNO",
  errnoRet: errno,
  args: test === undefined ? [] : [test],
});

/** Of a 32-bit argument the kernel reads the lower half only, so only that is compared. */
const lowerIs = (index: number, value: number): Test => ({
  index,
  value: 0xffff_ffff,
  valueTwo: value,
  op: "SCMP_CMP_MASKED_EQ",
});
const hasBit = (index: number, bit: number): Test => ({ index, value: bit, valueTwo: bit, op: "SCMP_CMP_MASKED_EQ" });
const isAbove = (index: number, value: number): Test => ({ index, value, op: "SCMP_CMP_GT" });

const LAST_FAMILY = Math.max(...FAMILIES);

const TESTS: { readonly [C in keyof typeof JUDGED]: { readonly errno: number; readonly tests: readonly Test[] } } = {
  ioctl: { errno: EPERM, tests: TERMINAL_PUSHES.map((request) => lowerIs(1, request)) },
  clone: { errno: EPERM, tests: bitsOf(NEW_NAMESPACES).map((bit) => hasBit(0, bit)) },
  socket: {
    errno: EAFNOSUPPORT,
    tests: [
      isAbove(0, LAST_FAMILY),
      ...[...Array(LAST_FAMILY).keys()]
        .filter((family) => !FAMILIES.includes(family))
        .map((family) => lowerIs(0, family)),
    ],
  },
  // It may be asked which one it is, and nothing else.
  personality: { errno: EPERM, tests: [{ index: 0, value: 0xffff_ffff, op: "SCMP_CMP_NE" }] },
};

function bitsOf(mask: number): readonly number[] {
  return [...Array(32).keys()].map((at) => 2 ** at).filter((bit) => (mask & bit) !== 0);
}
