import * as z from "zod/mini";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import { maxLength } from "../values.ts";

const count = z.int().check(z.gte(0));

/** What a run did at one host, in sums as the gateway counted them; what was said there is kept nowhere. */
export const networkUseSchema = recordOf(
  z.strictObject({
    /** With its port. */
    host: z.string().check(maxLength(300)),
    requests: count,
    bytes_sent: count,
    bytes_received: count,
  }),
);
export type NetworkUse = z.infer<typeof networkUseSchema>;
export type NetworkUseBody = z.input<typeof networkUseSchema>;

export const networkUseToWire = writerOf(networkUseSchema);
