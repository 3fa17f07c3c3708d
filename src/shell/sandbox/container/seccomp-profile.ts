import { DENIED, UNKNOWN, UNSUPPORTED, type Numbers, type Processor } from "../seccomp/calls-table.ts";
import { ENOSYS, ENOTSUP, EPERM, JUDGED } from "../seccomp/judged-calls.ts";
import { ORDINARY } from "./ordinary-calls.ts";

type Test = { readonly index: number; readonly value: number; readonly valueTwo: number; readonly op: string };
type Rule = {
  readonly names: readonly string[];
  readonly action: "SCMP_ACT_ALLOW" | "SCMP_ACT_ERRNO";
  readonly errnoRet?: number;
  readonly args: readonly Test[];
};

/**
 * The same filter of system calls as bubblewrap is given, as engines read it. Rules for one call are tried one by one, and
 * one of them that matches is enough. INVARIANT: what no rule lets through is refused. An engine skips a rule about a
 * call its library does not know, so a list of what is refused would let the newest calls through.
 */
export function seccompProfile(processor: Processor) {
  const column = processor === "x64" ? 0 : 1;
  const known = (calls: Readonly<Record<string, Numbers>>) =>
    Object.keys(calls).filter((name) => calls[name]?.[column] !== null);
  const judged = Object.entries(JUDGED).filter(([, { numbers }]) => numbers[column] !== null);
  return {
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrnoRet: ENOSYS,
    // Calls in the way of another processor, 32 bits among them, end the program.
    architectures: [processor === "x64" ? "SCMP_ARCH_X86_64" : "SCMP_ARCH_AARCH64"],
    syscalls: [
      { names: ORDINARY, action: "SCMP_ACT_ALLOW", args: [] },
      refusing(known(DENIED), EPERM),
      refusing(known(UNKNOWN), ENOSYS),
      refusing(known(UNSUPPORTED), ENOTSUP),
      ...judged.flatMap(([name, { allowed }]) =>
        allowed.map(({ argument, mask, is }): Rule => {
          const test = { index: argument, value: mask, valueTwo: is, op: "SCMP_CMP_MASKED_EQ" };
          return { names: [name], action: "SCMP_ACT_ALLOW", args: [test] };
        }),
      ),
    ] satisfies readonly Rule[],
  };
}

const refusing = (names: readonly string[], errno: number): Rule => ({
  names,
  action: "SCMP_ACT_ERRNO",
  errnoRet: errno,
  args: [],
});
