import * as fc from "fast-check";
import { expect, test } from "vitest";
import { instantFromMs, type Instant } from "./instant.ts";
import { uuidV7 } from "./uuid.ts";

const at = (ms: number): Instant => {
  const result = instantFromMs(ms);
  if (!result.ok) throw new Error(`no instant for ${ms}`);
  return result.value;
};
const tenBytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
const moment = fc.integer({ min: 0, max: 253_402_300_799_999 });

test("the example of RFC 9562 appendix A.6 comes out", () => {
  // rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F at 2022-02-22T19:22:22.000Z; version and variant bits are overwritten.
  const random = Uint8Array.from([0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f]);
  expect(uuidV7("2022-02-22T19:22:22.000Z" as Instant, random)).toBe("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
});

test("every id has the form of version 7 and carries its moment", () => {
  fc.assert(
    fc.property(moment, tenBytes, (ms, random) => {
      const id = uuidV7(at(ms), random);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(ms);
    }),
  );
});

test("ids of different moments sort as the moments do, whatever the random bytes", () => {
  fc.assert(
    fc.property(moment, moment, tenBytes, tenBytes, (a, b, x, y) => {
      fc.pre(a !== b);
      expect(uuidV7(at(a), x) < uuidV7(at(b), y)).toBe(a < b);
    }),
  );
});

test("too little randomness and moments before 1970 are bugs", () => {
  expect(() => uuidV7(at(0), new Uint8Array(9))).toThrow("ten random bytes");
  expect(uuidV7(at(0), new Uint8Array(10))).toBe("00000000-0000-7000-8000-000000000000");
  expect(() => uuidV7(at(-1), new Uint8Array(10))).toThrow("after 1970");
});
