import * as z from "zod/mini";
import type { Instant } from "#base";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import { id, instantSchema } from "../values.ts";
import { ACTION_FAMILIES } from "./families.ts";
import { LIMIT_KEYS } from "./limits.ts";

/** Limits and the decisions they are judged by, as every surface shows them. */

const count = z.int().check(z.gte(0));
const share = z.number().check(z.gte(0), z.lte(1));

const limitSchema = recordOf(
  z.strictObject({
    key: z.enum(LIMIT_KEYS),
    value: z.string(),
    configured: z.string(),
    /** The approval that changed it; null where it is as the configuration says. */
    changed_by: z.nullable(id),
    changed_at: z.nullable(instantSchema),
    /** `set_aside` where the file says something else since; `broken` where what was signed cannot be found any more. */
    state: z.enum(["configured", "changed", "set_aside", "broken"]),
  }),
);
export type LimitView = z.infer<typeof limitSchema>;

const evidenceSchema = recordOf(
  z.strictObject({
    family: z.enum(ACTION_FAMILIES),
    sample_size: count,
    approved: count,
    edit_selection: count,
    declined: count,
    undo: count,
    /** Null before there is anything to count. */
    correction_rate: z.nullable(share),
    from: z.nullable(instantSchema),
    to: z.nullable(instantSchema),
    /** The request that waits for a decision about it. */
    open_request: z.nullable(id),
  }),
);
export type EvidenceView = z.infer<typeof evidenceSchema>;

const viewSchema = recordOf(
  z.strictObject({
    enabled: z.boolean(),
    min_samples: count,
    window_actions: count,
    window_days: count,
    widen_below: share,
    tighten_above: share,
    /** Whether something is wider than the configuration has it: that can be taken back. */
    is_widened: z.boolean(),
    limits: z.array(limitSchema),
    evidence: z.array(evidenceSchema),
  }),
);
export type AutonomyView = z.infer<typeof viewSchema>;
export type AutonomyViewBody = z.input<typeof viewSchema>;

export const autonomyViewToWire = writerOf(viewSchema);
export const autonomyViewFromWire = (body: unknown): AutonomyView | null => viewSchema.safeParse(body).data ?? null;

/** Which proposal is answered by tightening instead; null for the button that stands by itself. */
export const tightenSchema = z.strictObject({ request_id: z.nullable(id) });
export const checkAutonomySchema = z.strictObject({});

/** Why nothing was asked. */
export type AutonomyRefused =
  | { readonly code: "nothing_to_tighten" }
  | { readonly code: "not_a_limit_request"; readonly requestId: string }
  | { readonly code: "autonomy_disabled" };

/** How far a window of decisions reaches, and what is in it. */
export type EvidenceWindow = {
  readonly sampleSize: number;
  readonly counts: { readonly [O in "approved" | "edit_selection" | "declined" | "undo"]: number };
  readonly correctionRate: number;
  readonly from: Instant | null;
  readonly to: Instant | null;
};
