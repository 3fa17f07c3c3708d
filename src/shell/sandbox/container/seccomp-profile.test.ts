import { expect, test } from "vitest";
import { DENIED, UNKNOWN, UNSUPPORTED } from "../seccomp/calls-table.ts";
import { askFilter, ASKED, CALLS } from "../seccomp/filter.fixture.ts";
import { JUDGED } from "../seccomp/judged-calls.ts";
import { seccompFilter } from "../seccomp/filter.ts";
import { seccompProfile } from "./seccomp-profile.ts";

test("an engine is told of every call that bubblewrap's filter refuses, in its words", () => {
  const { syscalls, architectures, defaultAction } = seccompProfile("x64");
  const named = (errno: number) => syscalls.filter(({ errnoRet }) => errnoRet === errno).flatMap(({ names }) => names);
  expect(named(1)).toEqual(Object.keys(DENIED));
  expect(named(38)).toEqual(Object.keys(UNKNOWN));
  expect(named(95)).toEqual(Object.keys(UNSUPPORTED));
  expect(architectures).toEqual(["SCMP_ARCH_X86_64"]);
  expect(defaultAction).toBe("SCMP_ACT_ERRNO");
  const listed = syscalls.flatMap(({ names }) => names);
  const once = listed.filter((name) => !(name in JUDGED));
  expect(new Set(once).size).toBe(once.length);
  // A processor without a call is not told of it: an engine would refuse the whole filter.
  expect(seccompProfile("arm64").syscalls.flatMap(({ names }) => names)).not.toContain("iopl");
  expect(seccompProfile("arm64").syscalls.flatMap(({ names }) => names)).not.toContain("chmod");
});

test("a call that an engine does not know by name is refused, whatever it is", () => {
  // As with a library that is older than the call: its rules are skipped.
  for (const name of ["fchmodat2", "setxattrat", "open_tree_attr", "a_call_of_tomorrow"]) {
    expect(rulingFor(name, { isKnown: false })([0, 0, 0o644, 0])).toBe("refused");
  }
});

test("a container and bubblewrap let the same judged calls through", () => {
  const filter = seccompFilter("x64");
  const differing: string[] = [];
  for (const { name, numbers } of CALLS) {
    const rulingOf = rulingFor(name);
    for (const args of ASKED) {
      const isAllowed = askFilter(filter, { number: numbers[0] ?? -1, arch: 0xc000_003e, args }) === "allowed";
      if (rulingOf(args) !== (isAllowed ? "allowed" : "refused")) differing.push(`${name} ${args.join()}`);
    }
  }
  expect(differing).toEqual([]);
});

/** What an engine makes of a call, comparing as libseccomp does. */
function rulingFor(name: string, { isKnown = true } = {}): (args: readonly number[]) => "allowed" | "refused" {
  const rules = seccompProfile("x64").syscalls.filter(({ names }) => isKnown && names.includes(name));
  return (args) => {
    const matching = rules.filter((rule) =>
      rule.args.every(({ index, value, valueTwo }) => (BigInt(args[index] ?? 0) & BigInt(value)) === BigInt(valueTwo)),
    );
    return matching.some(({ action }) => action === "SCMP_ACT_ALLOW") ? "allowed" : "refused";
  };
}
