import * as z from "zod/mini";
import { digest, instantSchema } from "../values.ts";
import { connectionFailureSchema } from "./connection-failure.ts";
import { connectionRecordSchema } from "./connection-record.ts";
import { identityHintSchema } from "./connection-wire.ts";

/** A connection as a store keeps it. */
export const keptConnectionSchema = z.strictObject({
  record: connectionRecordSchema,
  service: z.string(),
  treeDigest: digest,
  hint: identityHintSchema,
  requestId: z.nullable(z.string()),
  probe: z.enum(["probed", "unprobed"]),
  summary: z.nullable(z.string()),
  failure: z.nullable(connectionFailureSchema),
  attempts: z.int().check(z.gte(0)),
  registeredAt: z.nullable(instantSchema),
  /** Rows of earlier versions have none. */
  widens: z.prefault(z.nullable(z.string()), null),
});
