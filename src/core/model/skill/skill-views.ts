import * as z from "zod/mini";
import { LIMITS } from "#base";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import { digest, instantSchema, maxLength, minLength } from "../values.ts";
import { skillReportSchema } from "./skill-report.ts";

/**
 * How a skill stands. `active`: installed, and its files are those that were approved. `changed`: they are not. `failed`:
 * approved, and its scripts failed when they were tried. `unapproved`: no approval of it holds. `missing`: its folder is
 * gone. `present`: a folder that was never installed. `refused`: a folder that is no skill at all.
 */
const SKILL_STATES = ["active", "changed", "failed", "unapproved", "missing", "present", "refused"] as const;
export type SkillState = (typeof SKILL_STATES)[number];

/** An installation as it is kept: which bytes, on whose decision, and what became of it. */
export const skillInstallSchema = recordOf(
  z.strictObject({
    request_id: z.string(),
    name: z.string(),
    tree_digest: digest,
    token_id: z.string(),
    /** `replaced` by a later version, or `removed` by the owner. */
    state: z.enum(["active", "failed", "replaced", "removed"]),
    /** What became of the trial of its scripts, as a code and the script; null when all went well. */
    reason: z.nullable(z.string()),
    at: instantSchema,
  }),
);
export type SkillInstall = z.infer<typeof skillInstallSchema>;

export const skillViewSchema = recordOf(
  z.strictObject({
    name: z.string(),
    state: z.enum(SKILL_STATES),
    /** Why, in words; empty when there is nothing to say. */
    why: z.string(),
    description: z.string(),
    /** The service it connects to; null for a skill that connects to nothing. */
    connects: z.nullable(z.string()),
    /** Of what lies there now; null when nothing can be read. */
    tree_digest: z.nullable(digest),
    /** Of what was approved last; null when nothing was. */
    approved_digest: z.nullable(digest),
    request_id: z.nullable(z.string()),
    installed_at: z.nullable(instantSchema),
  }),
);
export type SkillView = z.infer<typeof skillViewSchema>;
export type SkillViewBody = z.input<typeof skillViewSchema>;
export const skillViewToWire = writerOf(skillViewSchema);

const fileSchema = z.strictObject({ path: z.string(), size: z.int(), executable: z.boolean(), sha256: digest });
/** A folder that was looked at: its files, and what the checks found. */
export const skillCheckSchema = recordOf(
  z.strictObject({
    name: z.string(),
    description: z.string(),
    tree_digest: digest,
    files: z.array(fileSchema),
    env: z.array(z.string()),
    report: skillReportSchema,
  }),
);
export type SkillCheck = z.infer<typeof skillCheckSchema>;
export const skillCheckToWire = writerOf(skillCheckSchema);

/** `POST /api/skills/check` and `POST /api/skills/install`: the name of a skill, or a folder of this machine. */
export const skillPlaceSchema = z.strictObject({
  place: z.string().check(minLength(1), maxLength(LIMITS.pathChars)),
});
/** `POST /api/skills/:name/remove` takes nothing but its address. */
export const removeSkillSchema = z.strictObject({});
