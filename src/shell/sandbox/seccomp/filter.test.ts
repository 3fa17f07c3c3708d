import { array, assert, integer, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { DENIED, NEWEST, PROCESSORS, UNKNOWN, UNSUPPORTED, type Processor } from "./calls-table.ts";
import { askFilter } from "./filter.fixture.ts";
import { exceptFor, JUDGED } from "./judged-calls.ts";
import { seccompFilter } from "./filter.ts";

const CREATE = 0o100;
const TMPFILE = 0o20_200_000;
const FLAGS = { none: 0, write: 1, create: CREATE, createExclusive: CREATE | 0o200 | 1, tmpfile: TMPFILE | 2 };
/** Each bit of a mode alone, and what people write. */
const MODES = [
  0,
  0o644,
  0o755,
  0o1777,
  0o2755,
  0o4755,
  0o6755,
  0o7777,
  ...Array.from({ length: 12 }, (_, bit) => 1 << bit),
];
const isPlain = (mode: number): boolean => (mode & 0o6000) === 0;

/** Where each call has its mode, and where its flags, if the mode counts only with them. From the kernel's prototypes. */
const MODE_CALLS: Readonly<Record<string, { readonly mode: number; readonly flags?: number }>> = {
  chmod: { mode: 1 },
  fchmod: { mode: 1 },
  fchmodat: { mode: 2 },
  fchmodat2: { mode: 2 },
  open: { mode: 2, flags: 1 },
  openat: { mode: 3, flags: 2 },
  creat: { mode: 1 },
  mkdir: { mode: 1 },
  mkdirat: { mode: 2 },
  mknod: { mode: 1 },
  mknodat: { mode: 2 },
};

describe.each(["x64", "arm64"] as const)("the filter of %s", (processor: Processor) => {
  const filter = seccompFilter(processor);
  const arch = PROCESSORS[processor];
  const column = processor === "x64" ? 0 : 1;
  const answer = (number: number | null | undefined, ...args: readonly number[]) =>
    askFilter(filter, { number: number ?? -1, arch, args });
  const judged = (name: string, ...args: readonly number[]) => answer(JUDGED[name]?.numbers[column], ...args);

  test("refuses every call of its table and every newer one, and lets every other through", () => {
    const numbers = (calls: typeof DENIED) => Object.values(calls).flatMap((pair) => pair[column] ?? []);
    const [denied, unknown, unsupported] = [numbers(DENIED), numbers(UNKNOWN), numbers(UNSUPPORTED)];
    expect(denied.map((number) => answer(number))).toEqual(denied.map(() => "EPERM"));
    expect(unknown.map((number) => answer(number))).toEqual(unknown.map(() => "ENOSYS"));
    expect(unsupported.map((number) => answer(number))).toEqual(unsupported.map(() => "ENOTSUP"));
    const own = [...denied, ...unknown, ...unsupported, ...Object.values(JUDGED).map((call) => call.numbers[column])];
    expect(new Set(own).size).toBe(own.filter((number) => number !== null).length + (own.includes(null) ? 1 : 0));
    const others = Array.from({ length: NEWEST + 1 }, (_, number) => number).filter((number) => !own.includes(number));
    expect(others.filter((number) => answer(number) !== "allowed")).toEqual([]);
    for (const number of [NEWEST + 1, 500, 1000, 0x3fff_ffff]) expect(answer(number)).toBe("ENOSYS");
  });

  test("lets no call give a file the bits to run as its owner or group, and every other mode through", () => {
    const has = (name: string): boolean => (JUDGED[name]?.numbers[column] ?? null) !== null;
    expect(Object.keys(MODE_CALLS).filter((name) => JUDGED[name] === undefined)).toEqual([]);
    for (const [name, { mode: at, flags }] of Object.entries(MODE_CALLS).filter(([call]) => has(call))) {
      for (const [kind, given] of Object.entries(flags === undefined ? { none: 0 } : FLAGS)) {
        for (const mode of MODES.flatMap((each) => [each, each + 0x1_0000_0000])) {
          const args = [0, 0, 0, 0].map((_, place) => (place === at ? mode : place === flags ? given : 0));
          const counts = flags === undefined || (given & (CREATE | 0o20_000_000)) !== 0;
          const expected = counts && !isPlain(mode % 0x1_0000_0000) ? "EPERM" : "allowed";
          expect([name, kind, mode.toString(8), judged(name, ...args)]).toEqual([
            name,
            kind,
            mode.toString(8),
            expected,
          ]);
        }
      }
    }
  });

  test("knows no call by which a mode would pass where it cannot be read", () => {
    // Their modes lie in memory, or in a queue that the kernel reads by itself.
    for (const name of ["openat2", "io_uring_setup", "io_uring_enter"]) expect(UNKNOWN[name]?.[column]).not.toBeNull();
    for (const name of ["setxattr", "lsetxattr", "fsetxattr", "setxattrat"]) {
      expect(answer(UNSUPPORTED[name]?.[column])).toBe("ENOTSUP");
    }
    // arm64 never had the older calls: their numbers of x64 mean others there.
    const older = ["chmod", "open", "creat", "mkdir", "mknod"];
    expect(older.map((name) => JUDGED[name]?.numbers[1])).toEqual(older.map(() => null));
  });

  test("looks at what some calls are asked for", () => {
    expect(judged("ioctl", 0, 0x5401)).toBe("allowed");
    expect(judged("ioctl", 0, 0x5412)).toBe("EPERM");
    expect(judged("ioctl", 0, 0x541c)).toBe("EPERM");
    // The kernel looks at the lower half of the request only; so must the filter.
    expect(judged("ioctl", 0, 0x1_0000_5412)).toBe("EPERM");
    expect(judged("clone", 0x0120_0011)).toBe("allowed");
    for (const flag of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000]) {
      expect(judged("clone", flag | 17)).toBe("EPERM");
    }
    expect([0, 0xffff_ffff].map((persona) => judged("personality", persona))).toEqual(["allowed", "allowed"]);
    expect(judged("personality", 0x0040_0000)).toBe("EPERM");
    expect([1, 2, 10, 16].map((family) => judged("socket", family))).toEqual(Array(4).fill("allowed"));
    expect([0, 17, 38, 40].map((family) => judged("socket", family))).toEqual(Array(4).fill("EAFNOSUPPORT"));
  });

  test("ends a program that calls in the tongue of another processor", () => {
    expect(askFilter(filter, { number: 1, arch: 0x4000_0003 })).toBe("killed");
    // Numbers of the x32 variant, which only x64 has; among them those of chmod and fchmodat2.
    for (const number of [101, 90, 452]) {
      expect(answer(0x4000_0000 + number)).toBe(processor === "x64" ? "EPERM" : "ENOSYS");
    }
  });
});

test("every value but the refused ones meets one of the conditions made for them", () => {
  const word = integer({ min: 0, max: 0xffff_ffff });
  assert(
    property(array(word, { minLength: 1, maxLength: 5 }), array(word, { minLength: 1 }), (refused, others) => {
      const conditions = exceptFor(0, refused);
      const near = refused.flatMap((value) => [value ^ 1, value ^ 0x10, value ^ 0x8000_0000].map((each) => each >>> 0));
      for (const value of [...refused, ...others, ...near]) {
        const isMet = conditions.some(({ mask, is }) => (value & mask) >>> 0 === is);
        expect(isMet).toBe(!refused.includes(value));
      }
    }),
  );
});
