import { DENIED, NEWEST, PROCESSORS, UNKNOWN, UNSUPPORTED, type Numbers, type Processor } from "./calls-table.ts";
import { ENOSYS, ENOTSUP, EPERM, JUDGED, type Condition } from "./judged-calls.ts";

/**
 * The filter of system calls that every program runs under, as the kernel reads it: classic BPF, eight bytes an
 * instruction. Namespaces already keep a program in; this closes what namespaces do not cover (keyrings, virtual
 * sockets, pushing characters into a terminal, files that run with the rights of their owner) and calls through which
 * kernels were broken out of before.
 */
export function seccompFilter(processor: Processor): Buffer {
  const column = processor === "x64" ? 0 : 1;
  const refusing = (calls: Readonly<Record<string, Numbers>>, errno: number): readonly Buffer[] =>
    Object.values(calls)
      .flatMap((pair) => pair[column] ?? [])
      .map((number) => when(equals(number), answer(refuse(errno))));
  return Buffer.concat([
    load(ARCH),
    unless(equals(PROCESSORS[processor]), answer(KILL)),
    load(NUMBER),
    // The x32 variant of x64 numbers its calls anew.
    processor === "x64" ? when(atLeast(0x4000_0000), answer(refuse(EPERM))) : Buffer.alloc(0),
    when(atLeast(NEWEST + 1), answer(refuse(ENOSYS))),
    ...Object.values(JUDGED).map(({ numbers, errno, allowed }) => {
      const number = numbers[column];
      if (number === null) return Buffer.alloc(0);
      return when(equals(number), Buffer.concat([...allowed.map(allowing), answer(refuse(errno))]));
    }),
    ...refusing(DENIED, EPERM),
    ...refusing(UNKNOWN, ENOSYS),
    ...refusing(UNSUPPORTED, ENOTSUP),
    answer(ALLOW),
  ]);
}

const KILL = 0x8000_0000;
const ALLOW = 0x7fff_0000;
const refuse = (errno: number): number => 0x0005_0000 + errno;

const allowing = ({ argument, mask, is }: Condition): Buffer =>
  Buffer.concat([load(argumentAt(argument)), and(mask), when(equals(is), answer(ALLOW))]);

/** Where the kernel puts things for a filter; of each 64-bit argument the lower half, on both processors first. */
const NUMBER = 0;
const ARCH = 4;
const argumentAt = (index: number): number => 16 + 8 * index;

type Test = { readonly code: number; readonly operand: number };
const equals = (operand: number): Test => ({ code: 0x15, operand });
const atLeast = (operand: number): Test => ({ code: 0x35, operand });

const load = (offset: number): Buffer => instruction({ code: 0x20, operand: offset });
const and = (operand: number): Buffer => instruction({ code: 0x54, operand });
const answer = (operand: number): Buffer => instruction({ code: 0x06, operand });
const when = (test: Test, then: Buffer): Buffer =>
  Buffer.concat([instruction({ ...test, otherwise: then.length / 8 }), then]);
const unless = (test: Test, then: Buffer): Buffer =>
  Buffer.concat([instruction({ ...test, matching: then.length / 8 }), then]);

type Instruction = Test & { readonly matching?: number; readonly otherwise?: number };

function instruction({ code, operand, matching = 0, otherwise = 0 }: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(matching, 2);
  bytes.writeUInt8(otherwise, 3);
  bytes.writeUInt32LE(operand, 4);
  return bytes;
}
