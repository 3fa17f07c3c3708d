import type { Numbers } from "./calls-table.ts";

/** Holds when the masked lower half of an argument has this value. The kernel reads no more than that half either. */
export type Condition = { readonly argument: number; readonly mask: number; readonly is: number };

type Judged = {
  readonly numbers: Numbers;
  readonly errno: number;
  /** The call is let through when one of these holds. */
  readonly allowed: readonly Condition[];
};

export const EPERM = 1;
export const ENOSYS = 38;
export const ENOTSUP = 95;
const EAFNOSUPPORT = 97;

/** TIOCSTI and TIOCLINUX: both type into the terminal of whoever started the program. */
const TERMINAL_PUSHES = [0x5412, 0x541c];
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACES = 0x7e02_0000;
/** Unix, IPv4, IPv6 and netlink: all inside the empty network namespace. Virtual sockets (vsock) are in none. */
const FAMILIES = [1, 2, 10, 16];
/** O_CREAT and the bit of O_TMPFILE that is its own. Without either the mode of `open` means nothing. */
const CREATING = 0o100 | 0o20_000_000;
/** S_ISUID and S_ISGID: such a file in a granted folder would run with the rights of its owner, for everybody. */
const RUN_AS_OWNER = 0o6000;
const WHOLE = 0xffff_ffff;

const none = (argument: number, mask: number): Condition => ({ argument, mask, is: 0 });
const values = (argument: number, allowed: readonly number[]): readonly Condition[] =>
  allowed.map((is) => ({ argument, mask: WHOLE, is }));
const plainMode = (numbers: Numbers, argument: number): Judged => ({
  numbers,
  errno: EPERM,
  allowed: [none(argument, RUN_AS_OWNER)],
});
const opening = (numbers: Numbers, flags: number): Judged => ({
  numbers,
  errno: EPERM,
  allowed: [none(flags, CREATING), none(flags + 1, RUN_AS_OWNER)],
});

/** Calls that are refused by what they are asked for. The most frequent come first. */
export const JUDGED: Readonly<Record<string, Judged>> = {
  openat: opening([257, 56], 2),
  open: opening([2, null], 1),
  ioctl: { numbers: [16, 29], errno: EPERM, allowed: exceptFor(1, TERMINAL_PUSHES) },
  clone: { numbers: [56, 220], errno: EPERM, allowed: [none(0, NEW_NAMESPACES)] },
  socket: { numbers: [41, 198], errno: EAFNOSUPPORT, allowed: values(0, FAMILIES) },
  personality: { numbers: [135, 92], errno: EPERM, allowed: values(0, [0, WHOLE]) },
  creat: plainMode([85, null], 1),
  chmod: plainMode([90, null], 1),
  fchmod: plainMode([91, 52], 1),
  fchmodat: plainMode([268, 53], 2),
  fchmodat2: plainMode([452, 452], 2),
  mkdir: plainMode([83, null], 1),
  mkdirat: plainMode([258, 34], 2),
  mknod: plainMode([133, null], 1),
  mknodat: plainMode([259, 33], 2),
};

/**
 * Every value but these, said with conditions that compare for equality only: engines know no other way to compare the
 * lower half. From the highest bit down, each condition covers the values that leave the refused ones at that bit.
 */
export function exceptFor(argument: number, refused: readonly number[]): readonly Condition[] {
  return leaving({ argument, refused, bit: 31 });
}

type Leaving = { readonly argument: number; readonly refused: readonly number[]; readonly bit: number };

function leaving({ argument, refused, bit }: Leaving): readonly Condition[] {
  if (bit < 0) return [];
  return [0, 1].flatMap((value) => {
    const staying = refused.filter((each) => ((each >>> bit) & 1) === value);
    if (staying.length > 0) return leaving({ argument, refused: staying, bit: bit - 1 });
    const above = (refused[0] ?? 0) & maskFrom(bit + 1);
    return [{ argument, mask: maskFrom(bit), is: (above | (value << bit)) >>> 0 }];
  });
}

function maskFrom(bit: number): number {
  return bit > 31 ? 0 : (WHOLE << bit) >>> 0;
}
