import * as z from "zod/mini";
import { parseStrictJson } from "#base";
import { hostWords, parseHostRule } from "../egress/host-rule.ts";

const credential = z.object({ ref: z.string(), host: z.nullable(z.string()) });
const work = {
  steps: z.prefault(z.array(z.object({ credentials: z.prefault(z.record(z.string(), credential), {}) })), []),
};
const named = z.object({ ...work, children: z.prefault(z.array(z.nullable(z.object(work))), []) });

/** The host that the projection of a plan names for each secret, its tasks with it; the first where it names several. */
export function hostsOfSecrets(projection: string): ReadonlyMap<string, string> {
  const text = parseStrictJson(projection);
  const { data } = named.safeParse(text.ok ? text.value : null);
  const found = new Map<string, string>();
  for (const part of data === undefined ? [] : [data, ...data.children]) {
    for (const { ref, host } of part?.steps.flatMap(({ credentials }) => Object.values(credentials)) ?? []) {
      const rule = host === null ? null : parseHostRule(host);
      if (rule !== null && !found.has(ref)) found.set(ref, hostWords(rule));
    }
  }
  return found;
}
