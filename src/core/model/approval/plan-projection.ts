import * as z from "zod/mini";
import {
  err,
  frozen,
  LIMITS,
  ok,
  parseCanonicalJson,
  sha256Hex,
  type JsonValue,
  type Result,
  type Sha256Hex,
} from "#base";
import { standingTermsSchema } from "./standing.ts";

const names = z.array(z.string());
const command = z.strictObject({ by: z.string(), argv: names, network: z.boolean() });
const connectionUse = z.strictObject({
  by: z.string(),
  skill: z.string(),
  connection_id: z.string(),
  permissions: names,
});
const budget = z.strictObject({
  max_tokens: z.number(),
  max_cost_usd: z.number(),
  max_wall_time_seconds: z.number(),
  max_attempts: z.number(),
  max_planner_calls: z.number(),
});

/** The parts of a plan's projection that a card is made of. The rest is kept: it is shown whole in the details. */
const planShape = {
  id: z.string(),
  type: z.enum(["task", "project", "goal"]),
  title: z.string(),
  budget,
  tasks: names,
  verify: z.array(
    z.looseObject({
      name: z.string(),
      run: z.string(),
      expect: z.record(z.string(), z.json()),
      timeout: z.int(),
      network: z.boolean(),
    }),
  ),
  skill_digests: z.array(z.strictObject({ name: z.string(), sha256: z.nullable(z.string()) })),
  capabilities: z.strictObject({
    commands: z.array(command),
    files: names,
    /** Receipts of earlier versions have no grants. */
    files_read: z.prefault(names, []),
    files_write: z.prefault(names, []),
    hosts: names,
    secret_refs: names,
    /** Left out by a plan that uses no connection, so that its hash is the one it always had. */
    connections: z.prefault(z.array(connectionUse), []),
  }),
  parent: z.prefault(z.nullable(z.string()), null),
  /** When a goal is due; null for one that is checked when somebody asks, and for everything else. */
  schedule: z.prefault(z.nullable(z.string()), null),
} as const;
const childSchema = z.looseObject(planShape);
/** Receipts of earlier versions have neither children nor terms. */
const projectionSchema = z.looseObject({
  ...planShape,
  /** The tasks of a project, each a projection of its own; null for one that was not given. */
  children: z.prefault(z.array(z.nullable(childSchema)), []),
  standing: z.prefault(z.nullable(standingTermsSchema), null),
});
export type ShownTask = z.infer<typeof childSchema>;
export type ShownPlan = z.infer<typeof projectionSchema>;
export type ReadProjection = {
  /** Of the canonical text. */
  readonly planHash: Sha256Hex;
  readonly plan: ShownPlan;
  /** All of it, as it was hashed. */
  readonly whole: { readonly [field: string]: JsonValue };
};
export type ProjectionRefusal = { readonly code: "projection_unreadable"; readonly reason: string };

type Read = Result<ReadProjection, ProjectionRefusal>;

/**
 * Reads a projection from its canonical text; any other spelling of the same values is refused. Results are cached, because
 * a request is read when it is proposed, shown, judged and granted. INVARIANT: the key is the whole text, and a cached
 * result is frozen.
 */
export function readProjection(text: string): Read {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const read = readAnew(text);
  if (read.ok) keep(text, read);
  return read;
}

function readAnew(text: string): Read {
  const parsed = parseCanonicalJson(text);
  if (!parsed.ok) return unreadable(parsed.error.code);
  const plan = projectionSchema.safeParse(parsed.value);
  if (!plan.success) return unreadable(plan.error.issues[0]?.path.join(".") ?? "not_a_plan");
  const whole = parsed.value as ReadProjection["whole"];
  return ok(frozen({ planHash: sha256Hex(text), plan: plan.data, whole }));
}

const unreadable = (reason: string) => err({ code: "projection_unreadable", reason } as const);

/** Oldest first. */
const kept = new Map<string, Read>();
let keptChars = 0;

function keep(text: string, read: Read): void {
  kept.set(text, read);
  keptChars += text.length;
  for (const oldest of kept.keys()) {
    if (keptChars <= LIMITS.keptProjectionsChars) return;
    kept.delete(oldest);
    keptChars -= oldest.length;
  }
}
