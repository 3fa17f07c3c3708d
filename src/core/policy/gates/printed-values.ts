import { LIMITS } from "#base";

/** The one name a program may not use for a value of its own: what follows it is a rewrite. [SCRIPT-05] */
const REWRITE_KEY = "modified_context";

/**
 * What a program printed as `key: value`, one on each line and split at the first colon; a later line of the same name
 * wins, and lines without a colon say nothing. [SCRIPT-04]
 */
export function printedValues(text: string): { readonly [name: string]: string } {
  const values = new Map<string, string>();
  for (const line of text.split("\n", LIMITS.gateValueLines)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim();
    if (name !== "" && name !== REWRITE_KEY) values.set(name, line.slice(colon + 1).trim());
  }
  return Object.fromEntries(values);
}

/** The text of the rewrite a program asks for; null when it asks for none, and what is no JSON stays text. */
export function printedRewrite(text: string): unknown {
  const prefix = `${REWRITE_KEY}:`;
  const line = text.split("\n", LIMITS.gateValueLines).findLast((one) => one.startsWith(prefix));
  if (line === undefined) return null;
  try {
    return JSON.parse(line.slice(prefix.length)) as unknown;
  } catch {
    // The runner's own rules refuse what is no record of JSON. [GATE-14]
    return line.slice(prefix.length);
  }
}
