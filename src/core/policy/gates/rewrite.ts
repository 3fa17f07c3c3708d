import { canonicalJson, err, type JsonValue, LIMITS, ok, type Result } from "#base";
import type { Gate, GateContext, ToolArgs } from "#model";
import { isSame, narrows } from "./narrowing.ts";
import { gatesFor } from "./lanes.ts";
import { SHIPPED_VALIDATORS } from "./validators/shipped.ts";

/** What a gate may rewrite, by its name on the wire. INVARIANT: nothing else of a context ever changes. [GATE-14] */
const REWRITABLE = ["message", "response", "tool_args"] as const;
type Rewritable = (typeof REWRITABLE)[number];

export type Change = { readonly key: Rewritable; readonly original: JsonValue; readonly modified: JsonValue };

type Rewritten = {
  readonly context: GateContext;
  readonly changes: readonly Change[];
  /** Keys that were dropped. */
  readonly rejected: readonly string[];
  /** What was taken over; null when nothing was. */
  readonly modifiedContext: { readonly [key: string]: JsonValue } | null;
  /** Whether arguments that count as approved were changed into more than was approved. */
  readonly widens: boolean;
};

type Proposal = {
  readonly gate: Gate;
  readonly context: GateContext;
  readonly modified: unknown;
  readonly toolArgsAre: "proposed" | "approved";
};

/** Merges what a gate wants rewritten into the context, whoever the gate's provider is. [GATE-13] [GATE-16] */
export function takeRewrite(proposal: Proposal): Result<Rewritten, { readonly code: "mutation_malformed" }> {
  const { gate, context, modified, toolArgsAre } = proposal;
  const untouched = { context, changes: [], rejected: [], modifiedContext: null, widens: false };
  if (modified === null || modified === undefined) return ok(untouched);
  const read = readRewrite(modified);
  if (read === null) return err({ code: "mutation_malformed" });
  const allowed = REWRITABLE.filter((key) => Object.hasOwn(read, key));
  if (!allowed.every((key) => isOfItsType(key, read[key] as JsonValue))) return err({ code: "mutation_malformed" });
  const rejected = Object.keys(read).filter((key) => !(REWRITABLE as readonly string[]).includes(key));
  const changes = allowed.map((key) => changeOf({ key, context, value: read[key] as JsonValue })).filter(isChange);
  const merged = changes.reduce(withChange, context);
  const args = changes.find(({ key }) => key === "tool_args");
  const isNarrow = args === undefined || narrows({ from: argsOf(args.original), to: argsOf(args.modified), gate });
  return ok({
    context: merged,
    changes,
    rejected,
    modifiedContext:
      allowed.length === 0 ? null : Object.fromEntries(allowed.map((key) => [key, read[key] as JsonValue])),
    widens: toolArgsAre === "approved" && !isNarrow,
  });
}

/** Plain data only: read again from its own canonical bytes, so that nothing behind a name can change afterwards. */
function readRewrite(modified: unknown): { readonly [key: string]: JsonValue } | null {
  const text = canonicalJson(modified);
  if (!text.ok || !text.value.startsWith("{")) return null;
  const read = JSON.parse(text.value) as { readonly [key: string]: JsonValue };
  return Object.keys(read).length > LIMITS.gateRewriteKeys ? null : read;
}

function isOfItsType(key: Rewritable, value: JsonValue): boolean {
  if (key !== "tool_args") return typeof value === "string";
  return isRecord(value) && !Object.hasOwn(value, "__proto__");
}

function isRecord(value: JsonValue | undefined): value is ToolArgs {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Found = { readonly key: Rewritable; readonly context: GateContext; readonly value: JsonValue };

function changeOf({ key, context, value }: Found): Change {
  if (key !== "tool_args") return { key, original: context[key] ?? null, modified: value };
  const original = context.toolArgs ?? {};
  // Named arguments are replaced whole; those the gate does not name stay. [GATE-16]
  return { key, original, modified: { ...original, ...argsOf(value) } };
}

const isChange = ({ original, modified }: Change): boolean => !isSame(original, modified);

function withChange(context: GateContext, { key, modified }: Change): GateContext {
  if (key === "tool_args") return { ...context, toolArgs: argsOf(modified) };
  return { ...context, [key]: modified };
}

const argsOf = (value: JsonValue): ToolArgs => (isRecord(value) ? value : {});

/**
 * Whether a gate could take words out of a message. Validators that ship with Silas say so themselves; any other gate
 * might, so a message that it has not judged yet is not shown.
 */
export function mayRewriteMessages(gates: readonly Gate[]): boolean {
  const { policy } = gatesFor({ system: gates, item: [] }, { trigger: "every_user_message", stepIndex: null });
  return policy.some(({ provider, check }) => {
    const validator = provider === "guardrails_ai" && check !== null ? SHIPPED_VALIDATORS[check] : undefined;
    return validator === undefined || validator.rewrites === true;
  });
}

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
