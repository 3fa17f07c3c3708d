import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { acceptorOf } from "./acceptor.ts";
import { auditActorSchema, auditDataSchemas } from "../audit.ts";
import { maxLength } from "../values.ts";
import { wireArbitrary } from "../wire-arbitrary.fixture.ts";

const SCHEMAS: readonly (readonly [string, z.core.$ZodType])[] = [
  ...Object.entries(auditDataSchemas),
  ["actor", auditActorSchema],
];
const known = SCHEMAS.filter(([, schema]) => acceptorOf(schema) !== null);

/** What somebody might get past a check that is no parser. */
const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything(),
  fc.constantFrom("", "A", "_", "a\n", "0".repeat(63), "0".repeat(64), "x".repeat(129), -1, -0, 0.5, 2 ** 53, NaN),
  fc.constantFrom(undefined, null, [], {}, true, "external", "owner", new Date(0), Object.create({ inherited: 1 })),
);

/** A value that fits, or one with a field less, a field more, or another value in a field. */
function nearlyFitting(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const bent = fc.tuple(wireArbitrary(schema), fc.nat(), fc.constantFrom("drop", "add", "set"), strange);
  return fc.oneof(
    wireArbitrary(schema),
    strange,
    bent.map(([value, at, change, other]) => {
      const fields = Object.entries(value as object);
      const key = fields[at % Math.max(1, fields.length)]?.[0] ?? "more";
      if (change === "drop") return Object.fromEntries(fields.filter(([name]) => name !== key));
      return { ...(value as object), [change === "add" ? "more" : key]: other };
    }),
  );
}

test("[AUD-08] what an acceptor of an event or an actor accepts, its schema accepts and leaves as it is", () => {
  for (const [, schema] of known) {
    const accepts = acceptorOf(schema);
    const property = fc.property(nearlyFitting(schema), (value) => {
      if (accepts?.(value) !== true) return;
      expect(z.safeParse(schema, value)).toEqual({ success: true, data: value });
    });
    fc.assert(property, { numRuns: 60 });
  }
});

test("the events that are written most are accepted without their schema", () => {
  const names = known.map(([name]) => name);
  expect(names).toEqual(
    expect.arrayContaining(["message_received", "approval_used", "run_ended", "key_used", "actor"]),
  );
  for (const [, schema] of known) {
    const accepts = acceptorOf(schema);
    const fitting = wireArbitrary(schema).filter((value) => z.safeParse(schema, value).success);
    fc.assert(
      fc.property(fitting, (value) => accepts?.(value)),
      { numRuns: 10 },
    );
  }
});

test("no acceptor is made of a part that changes what it reads, or checks it in a way of its own", () => {
  const text = z.string();
  for (const part of [
    z.string().check(z.trim()),
    z.string().check(maxLength(3)),
    z.string().check(z.refine((one) => one !== "no")),
    z.string().check(z.regex(/a/g)),
    z.number(),
    z.int().check(z.lte(3)),
    z.int().check(z.gt(3)),
    z.prefault(text, "a"),
    z.array(text),
    z.record(text, text),
    z.codec(text, z.int(), { decode: Number, encode: String }),
  ]) {
    expect(acceptorOf(z.strictObject({ part })), JSON.stringify(part.def)).toBeNull();
  }
  expect(acceptorOf(z.object({ text }))).toBeNull();
  expect(acceptorOf(z.looseObject({ text }))).toBeNull();
  expect(acceptorOf(z.strictObject({ text }).check(z.refine(() => false)))).toBeNull();
});
