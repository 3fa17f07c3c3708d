import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { canonicalJson } from "#base";
import { approvalDecisionSchema, approvalUseSchema, pendingDecisionSchema } from "./approvals.ts";
import { consultationSchema, toldConsultSchema } from "./consult/consultation.ts";
import { networkUseSchema } from "./egress/network-use.ts";
import * as model from "./index.ts";
import { keptMessageSchema, messageClaimSchema } from "./message/message.ts";
import { turnSchema } from "./talk/turn.ts";
import { givenNameSchema, givenTitleSchema, localDateSchema, localTimeSchema } from "./values.ts";
import { wireArbitrary } from "./wire-arbitrary.fixture.ts";
import { budgetUsedSchema } from "./work/run-records.ts";
import { workItemResultSchema } from "./work/work-result.ts";

const inside = {
  approvalDecisionSchema,
  approvalUseSchema,
  budgetUsedSchema,
  consultationSchema,
  givenNameSchema,
  givenTitleSchema,
  keptMessageSchema,
  localDateSchema,
  localTimeSchema,
  messageClaimSchema,
  networkUseSchema,
  pendingDecisionSchema,
  toldConsultSchema,
  turnSchema,
  workItemResultSchema,
};
const exported: { readonly [name: string]: unknown } = { ...model, ...inside };
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
