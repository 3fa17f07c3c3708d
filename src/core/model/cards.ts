import * as z from "zod/mini";
import { LIMITS, oneLine, neutralise, type JsonValue } from "#base";
import { recordOf, writerOf } from "./approval/record-codec.ts";
import { digestSchema as digest, maxLength, minLength } from "./values.ts";

/** From the least to the most. Assigned by table from what would happen, never by whoever proposes. [RISK-03] */
export const RISK_LEVELS = ["low", "medium", "high", "irreversible"] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/**
 * What a person does to decide. `slide` is a gesture nobody makes by accident: the slide itself or its keyboard and
 * terminal forms, such as typing the first characters of the hash. `strong_auth` is a passkey or its like.
 */
export const FRICTIONS = ["tap", "confirm", "slide", "strong_auth"] as const;
export type Friction = (typeof FRICTIONS)[number];

/** What a person may be asked about. */
export const REQUEST_KINDS = [
  "plan_approval",
  "batch_review",
  "autonomy_threshold",
  "memory_promotion",
  "gate_approval",
  "step_approval",
  "decision",
  "draft_review",
  "skill_install",
  "connection_setup",
  "permission_escalation",
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** Shown in this order, whatever order they were made in. [CARD-03] */
export const CTA_ROLES = ["recommended", "safe", "decline"] as const;
export type CtaRole = (typeof CTA_ROLES)[number];

/** One line of a phone. */
export const CARD_INTENT_CHARS = 80;

const shown = z.refine<string>((text) => oneLine(text) === text, "unsafe_text");
/** One line that hides nothing. */
const line = (charsMax: number) => z.string().check(maxLength(charsMax), z.regex(/\S/), shown);
const count = z.int().check(z.gte(0));

const ctaSchema = recordOf(
  z.strictObject({
    action: z.enum(["approve", "approve_once", "edit", "rephrase", "tighten_now", "decline"]),
    role: z.enum(CTA_ROLES),
    /** What this choice does, in words; never a bare "OK". [CARD-02] */
    consequence_label: line(LIMITS.nameChars),
  }),
);
const affectedSchema = recordOf(z.strictObject({ count: z.int().check(z.gte(1)), summary: line(LIMITS.titleChars) }));

/** One value of the signed projection, made safe to show. `none` is null, `empty` a list or map with nothing in it. */
const rowSchema = recordOf(
  z.strictObject({
    path: z.string(),
    kind: z.enum(["text", "number", "flag", "none", "empty"]),
    text: z.string(),
  }),
);
const checkSchema = recordOf(
  z.strictObject({
    name: z.string(),
    command: z.string(),
    expects: z.string(),
    network: z.boolean(),
    timeout_seconds: count,
  }),
);
const budgetSchema = recordOf(
  z.strictObject({
    max_tokens: z.number(),
    max_cost_usd: z.number(),
    max_wall_time_seconds: z.number(),
    max_attempts: z.number(),
    max_planner_calls: z.number(),
  }),
);
const connectionUseSchema = z.strictObject({
  by: z.string(),
  skill: z.string(),
  connection_id: z.string(),
  permissions: z.array(z.string()),
});
const capabilitiesSchema = recordOf(
  z.strictObject({
    commands: z.array(z.strictObject({ by: z.string(), command: z.string(), network: z.boolean() })),
    files: z.array(z.string()),
    /** Places outside of the workspace; cards of earlier versions have none. */
    files_read: z.prefault(z.array(z.string()), []),
    files_write: z.prefault(z.array(z.string()), []),
    hosts: z.array(z.string()),
    secret_refs: z.array(z.string()),
    /** What its steps use of connections; cards of earlier versions have none. */
    connections: z.prefault(z.array(connectionUseSchema), []),
    skills: z.array(z.strictObject({ name: z.string(), sha256: z.nullable(digest) })),
  }),
);
const detailsSchema = recordOf(
  z.strictObject({
    state: z.enum(["open", "closed"]),
    /** Every value of the projection, whole. What is not here is not signed. */
    rows: z.array(rowSchema),
    /** What the proposer says about it. It is not signed, and changes nothing. */
    notes: z.prefault(z.array(rowSchema), []),
  }),
);

/** How often an approval of the card may be used, and for how long after it is signed. */
const termsSchema = recordOf(z.strictObject({ max_executions: z.int().check(z.gte(1)), valid_ms: count }));

/** Everything a person needs to decide; a card without one of these is never sent. [CARD-01] */
export const cardSchema = recordOf(
  z.strictObject({
    card_type: z.enum(REQUEST_KINDS),
    intent: line(CARD_INTENT_CHARS),
    risk_level: z.enum(RISK_LEVELS),
    rationale: line(LIMITS.titleChars),
    friction: z.array(z.enum(FRICTIONS)).check(minLength(1)),
    checks: z.array(checkSchema),
    /** Null for what runs nothing, as `capabilities` is. */
    budget: z.nullable(budgetSchema),
    capabilities: z.nullable(capabilitiesSchema),
    affected_items: z.nullable(affectedSchema),
    details: detailsSchema,
    /** SHA-256 of the canonical projection; whoever signs computes it again from what is shown. */
    plan_hash: digest,
    /**
     * By the settings of now, so that they are put on a card each time it is shown to be decided and are never stored.
     * The page compares them with the token before it signs. [KEY-06]
     */
    terms: z.optional(termsSchema),
    ctas: z.array(ctaSchema).check(minLength(1), z.refine(isOrdered, "ctas_out_of_order")),
  }),
);

export type Cta = z.infer<typeof ctaSchema>;
export type CardRow = z.infer<typeof rowSchema>;
export type CardCheck = z.infer<typeof checkSchema>;
export type CardCapabilities = z.infer<typeof capabilitiesSchema>;
export type Card = z.infer<typeof cardSchema>;
export type CardBody = z.input<typeof cardSchema>;

export const cardToWire = writerOf(cardSchema);

/** "can be used 3 times, within 20 minutes of signing" */
export function termsWords({ uses, validMs }: { readonly uses: number; readonly validMs: number }): string {
  const times = uses === 1 ? "once" : `${uses} times`;
  const [length, unit] = validMs % 60_000 === 0 ? [validMs / 60_000, "minute"] : [validMs / 1000, "second"];
  return `can be used ${times}, within ${length} ${unit}${length === 1 ? "" : "s"} of signing`;
}

function isOrdered(ctas: readonly { readonly role: CtaRole }[]): boolean {
  const places = ctas.map(({ role }) => CTA_ROLES.indexOf(role));
  return places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0));
}

/** What a person asks first comes first; the rest follows in the order of the canonical text. */
const FIRST = [
  "title",
  "type",
  "id",
  "body",
  "capabilities",
  "steps",
  "files",
  "hosts",
  "standing",
  "verify",
  "gates",
  "budget",
  "skills",
  "skill_digests",
];

/**
 * Every value of a projection as a row with its place (a JSON pointer) and its whole text, made safe to show. Nothing
 * is left out and nothing is shortened: what is signed and has no row does not exist. [CARD-01]
 */
export function projectionRows(projection: { readonly [field: string]: JsonValue }): readonly CardRow[] {
  const fields = Object.keys(projection);
  const ordered = [
    ...FIRST.filter((field) => fields.includes(field)),
    ...fields.filter((field) => !FIRST.includes(field)),
  ];
  const rows: CardRow[] = [];
  for (const field of ordered) addRows(rows, `/${escape(field)}`, projection[field] ?? null);
  return rows;
}

/** One list for all of them: a card is made anew whenever it is judged. */
function addRows(rows: CardRow[], path: string, value: JsonValue): void {
  if (typeof value !== "object" || value === null) return void rows.push(leaf(path, value));
  const entries: readonly [string, JsonValue][] = Object.entries(value);
  if (entries.length === 0)
    rows.push({ path: neutralise(path), kind: "empty", text: Array.isArray(value) ? "[]" : "{}" });
  for (const [key, child] of entries) addRows(rows, `${path}/${escape(key)}`, child);
}

function leaf(path: string, value: null | boolean | number | string): CardRow {
  const place = neutralise(path);
  switch (typeof value) {
    case "string":
      return { path: place, kind: "text", text: neutralise(value) };
    case "number":
      return { path: place, kind: "number", text: String(value) };
    case "boolean":
      return { path: place, kind: "flag", text: String(value) };
    default:
      return { path: place, kind: "none", text: "" };
  }
}

const escape = (key: string): string =>
  key.includes("~") || key.includes("/") ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;
