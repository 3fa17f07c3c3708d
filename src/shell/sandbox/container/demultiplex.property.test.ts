import { array, assert, constantFrom, integer, property, record, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { createDemultiplexer } from "./demultiplex.ts";

const frames = array(record({ stream: constantFrom("stdout", "stderr"), bytes: uint8Array({ maxLength: 40 }) }), {
  maxLength: 20,
});

test("what a container prints arrives whole and by stream, wherever it is cut on the way", () => {
  assert(
    property(frames, array(integer({ min: 1, max: 30 }), { minLength: 1 }), (sent, cuts) => {
      const bytes = Buffer.concat(
        sent.map(({ stream, bytes: part }) => {
          const header = Buffer.from([stream === "stdout" ? 1 : 2, 0, 0, 0, 0, 0, 0, 0]);
          header.writeUInt32BE(part.length, 4);
          return Buffer.concat([header, part]);
        }),
      );
      const heard = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
      const take = createDemultiplexer({
        stdout: (part) => void (heard.stdout = Buffer.concat([heard.stdout, part])),
        stderr: (part) => void (heard.stderr = Buffer.concat([heard.stderr, part])),
      });
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const length = cuts[turn % cuts.length] ?? 1;
        take(bytes.subarray(at, at + length));
        at += length;
      }
      for (const stream of ["stdout", "stderr"] as const) {
        const all = sent.filter((frame) => frame.stream === stream).map((frame) => frame.bytes);
        expect(heard[stream].equals(Buffer.concat(all))).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});
