import { array, assert, boolean, constantFrom, property, tuple } from "fast-check";
import { expect, test } from "vitest";
import type { SandboxRun } from "#model";
import { FILE_ATTEMPTS } from "./file-attempts.ts";

const judgeOf = (name: string): ((listing: readonly string[]) => string | null) => {
  const judge = FILE_ATTEMPTS.find((attempt) => attempt.name === name)?.judge;
  if (judge === undefined) throw new Error(`${name} is judged by nothing that can be asked`);
  return (listing) => {
    const nothing = { bytes: new Uint8Array(), isTruncated: false };
    const stdout = { bytes: Buffer.from(`total 0\n${listing.join("\n")}\n`), isTruncated: false };
    return judge({ end: { kind: "exit", code: 0 }, stdout, stderr: nothing, durationMs: 0 } satisfies SandboxRun);
  };
};

const RESOLVED = "lr-x------ 1 1000 1000 64 Nov 18 01:02";
/** What `ls -l` prints for a descriptor that is gone when its link is read, and when it is asked about at all. */
const VANISHED = [(fd: number) => `${RESOLVED} ${fd}`, (fd: number) => `l????????? ? ?    ?     ?            ? ${fd}`];
const OWN = ["/dev/null", "/dev/null", "/dev/null", "/proc/7/fd"];

test.each(["find open files of whoever started it", "inherit an open file of somebody else"])(
  "the verdict of `%s` is the same whichever descriptors are closed while they are listed",
  (name) => {
    const judge = judgeOf(name);
    const gone = array(tuple(boolean(), constantFrom(...VANISHED)), { maxLength: 20 });
    const targets = array(constantFrom("/home/ada/notes", "/var/lib/total", "/srv/pipe:[1]"), { maxLength: 2 });
    assert(
      property(gone, targets, (vanished, foreign) => {
        const kept = [...OWN, ...foreign].map((to, at) => `${RESOLVED} ${at} -> ${to}`);
        const come = vanished.map(([isFirst, line], at) => ({ isFirst, text: line(100 + at) }));
        const texts = (isFirst: boolean) => come.filter((each) => each.isFirst === isFirst).map(({ text }) => text);
        const verdict = judge([...texts(true), ...kept, ...texts(false)]);
        expect(verdict === null).toBe(foreign.length === 0);
        expect(verdict).toBe(judge(kept));
      }),
    );
    expect(judge(VANISHED.map((line) => line(3)))).toMatch(/^proves nothing/);
  },
);
