import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { canonicalJson } from "#base";
import * as consultation from "./consult/consultation.ts";
import * as goalRecords from "./goal/goal-records.ts";
import * as model from "./index.ts";
import * as message from "./message/message.ts";
import * as networkUse from "./egress/network-use.ts";
import * as turn from "./talk/turn.ts";
import * as values from "./values.ts";
import { wireArbitrary } from "./wire-arbitrary.fixture.ts";
import * as workResult from "./work/work-result.ts";
import * as approvals from "./approvals.ts";

const exported: { readonly [name: string]: unknown } = {
  ...model,
  ...approvals,
  ...consultation,
  ...goalRecords,
  ...message,
  ...networkUse,
  ...turn,
  ...values,
  ...workResult,
};
const schemas = Object.entries(exported).filter(
  (entry): entry is [string, z.ZodMiniType] => entry[0].endsWith("Schema") && entry[1] instanceof z.ZodMiniType,
);

describe.each(schemas)("%s", (_name, schema) => {
  test("writes what it reads, and reads what it wrote", () => {
    let accepted = 0;
    const check = (wire: unknown) => {
      const read = schema.safeParse(wire);
      if (!read.success) return;
      accepted += 1;
      const written = z.encode(schema, read.data);
      expect(schema.parse(written)).toEqual(read.data);
      expect(canonicalJson(z.encode(schema, schema.parse(written)))).toEqual(canonicalJson(written));
    };
    fc.assert(fc.property(wireArbitrary(schema), check), { numRuns: 60 });
    expect(accepted).toBeGreaterThan(0);
  });
});
