import { DENIED, JUDGED, PROCESSORS, UNKNOWN, type Processor } from "./seccomp-calls-table.ts";

/**
 * The filter of system calls that every program runs under, as the kernel reads it: classic BPF, eight bytes an
 * instruction. Namespaces already keep a program in; this closes what namespaces do not cover (keyrings, virtual
 * sockets, pushing characters into a terminal) and calls through which kernels were broken out of before.
 */
export function seccompFilter(processor: Processor): Buffer {
  const column = processor === "x64" ? 0 : 1;
  const numbersOf = (calls: typeof DENIED) => Object.values(calls).flatMap((pair) => pair[column] ?? []);
  return Buffer.concat([
    load(ARCH),
    unless(equals(PROCESSORS[processor]), answer(KILL)),
    load(NUMBER),
    // The x32 variant of x64 numbers its calls anew.
    processor === "x64" ? when(atLeast(0x4000_0000), answer(refuse(EPERM))) : Buffer.alloc(0),
    ...numbersOf(DENIED).map((number) => when(equals(number), answer(refuse(EPERM)))),
    ...numbersOf(UNKNOWN).map((number) => when(equals(number), answer(refuse(ENOSYS)))),
    judge(JUDGED.ioctl[column], [
      load(argument(1)),
      ...TERMINAL_PUSHES.map((request) => when(equals(request), answer(refuse(EPERM)))),
    ]),
    judge(JUDGED.clone[column], [load(argument(0)), when(hasAny(NEW_NAMESPACES), answer(refuse(EPERM)))]),
    judge(JUDGED.personality[column], [
      load(argument(0)),
      ...[0, 0xffff_ffff].map((persona) => when(equals(persona), answer(ALLOW))),
      answer(refuse(EPERM)),
    ]),
    judge(JUDGED.socket[column], [
      load(argument(0)),
      ...FAMILIES.map((family) => when(equals(family), answer(ALLOW))),
      answer(refuse(EAFNOSUPPORT)),
    ]),
    answer(ALLOW),
  ]);
}

export const EPERM = 1;
export const ENOSYS = 38;
export const EAFNOSUPPORT = 97;
const KILL = 0x8000_0000;
const ALLOW = 0x7fff_0000;
const refuse = (errno: number): number => 0x0005_0000 + errno;

/** TIOCSTI and TIOCLINUX: both type into the terminal of whoever started the program. */
export const TERMINAL_PUSHES = [0x5412, 0x541c];
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
export const NEW_NAMESPACES = 0x7e02_0000;
/** Unix, IPv4, IPv6 and netlink: all inside the empty network namespace. Virtual sockets (vsock) are in none. */
export const FAMILIES = [1, 2, 10, 16];

/** Where the kernel puts things for a filter; of each 64-bit argument the lower half, on both processors first. */
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number): number => 16 + 8 * index;

type Test = { readonly code: number; readonly operand: number };
const equals = (operand: number): Test => ({ code: 0x15, operand });
const atLeast = (operand: number): Test => ({ code: 0x35, operand });
const hasAny = (operand: number): Test => ({ code: 0x45, operand });

const load = (offset: number): Buffer => instruction({ code: 0x20, operand: offset });
const answer = (operand: number): Buffer => instruction({ code: 0x06, operand });
const when = (test: Test, then: Buffer): Buffer =>
  Buffer.concat([instruction({ ...test, otherwise: then.length / 8 }), then]);
const unless = (test: Test, then: Buffer): Buffer =>
  Buffer.concat([instruction({ ...test, matching: then.length / 8 }), then]);
/** The steps for one call; the number is loaded again for the calls after it. */
const judge = (number: number, steps: readonly Buffer[]): Buffer =>
  when(equals(number), Buffer.concat([...steps, load(NUMBER)]));

type Instruction = Test & { readonly matching?: number; readonly otherwise?: number };

function instruction({ code, operand, matching = 0, otherwise = 0 }: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(matching, 2);
  bytes.writeUInt8(otherwise, 3);
  bytes.writeUInt32LE(operand, 4);
  return bytes;
}
