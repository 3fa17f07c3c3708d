import * as z from "zod/mini";
import { egressReason } from "./egress-words.ts";
import type { NameOf } from "../work/work-names.ts";
import { id } from "../values.ts";

const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));
const count = z.int().check(z.gte(0));
/** A host and its port as `hostWords` writes them; a program cannot get anything else into the chain. */
export const hostField = z.string().check(z.regex(/^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\]):\d{1,5}$/));
/** What of a run used the network: a step of an attempt or a check, by its place in the plan. */
const part = { run_id: id, work_item_id: id, part: z.enum(["step", "check"]), index: count };

/** What the audit chain says about the network of runs: where, how much and whether, never what was said. */
export const egressAuditSchemas = {
  /** Before the first byte leaves for this host. */
  egress_opened: z.strictObject({ ...part, host: hostField }),
  egress_ended: z.strictObject({ ...part, host: hostField, requests: count, bytes_sent: count, bytes_received: count }),
  egress_refused: z.strictObject({ ...part, host: z.nullable(hostField), reason: code }),
} as const;

type EgressEvent = keyof typeof egressAuditSchemas;
type Sentences = {
  readonly [E in EgressEvent]: (data: z.infer<(typeof egressAuditSchemas)[E]>, nameOf: NameOf) => string;
};

export const egressSentences: Sentences = {
  egress_opened: (data, nameOf) => `${capital(whose(data, nameOf))} reached ${data.host}`,
  egress_ended: ({ bytes_sent, bytes_received, ...data }, nameOf) =>
    `${capital(whose(data, nameOf))} sent ${bytes_sent} and received ${bytes_received} bytes at ${data.host}`,
  egress_refused: (data, nameOf) =>
    `Kept ${whose(data, nameOf)} from reaching ${data.host ?? "a place that cannot be read"} (${egressReason(data.reason)})`,
};

type Part = { readonly work_item_id: string; readonly part: "step" | "check"; readonly index: number };
const whose = ({ part: kind, index, work_item_id }: Part, nameOf: NameOf): string =>
  `${kind} ${index + 1} of ${nameOf(work_item_id)}`;
const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
