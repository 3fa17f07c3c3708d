import * as z from "zod/mini";
import { LIMITS } from "#base";
import { recordOf } from "../approval/record-codec.ts";
import { artifactName, ERROR_CHARS } from "./run-records.ts";

/** Kinds of executors that need nobody else: what a plan names itself, and a model. Any other kind runs nothing. */
export const isRunKind = (kind: unknown): boolean => kind === "steps" || kind === "model";

/** Who asks about a call of a model whose effects outlive its workspace, where otherwise a gate is named. */
export const HIGH_RISK_CALL = "high-risk call";

/** What a model that carries out work may answer with: one call, or the end. Anything else is no answer. */

const line = z.string().check(z.maxLength(ERROR_CHARS));

/** The end. It says nothing that can be measured: what was done and what it cost is known without it. [EXEC-05] */
export const executorOutputSchema = recordOf(
  z.strictObject({
    summary: z.string().check(z.maxLength(LIMITS.planTextChars)),
    artifact_refs: z.array(artifactName).check(z.maxLength(LIMITS.planNames)),
    /** In the order in which they would be done. */
    next_steps: z.array(line).check(z.maxLength(LIMITS.planParts)),
  }),
);
export type ExecutorOutput = z.infer<typeof executorOutputSchema>;

/** One call: a tool of the plan with its arguments, and the files it leaves by name. */
export const modelCallSchema = z.strictObject({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  artifacts: z.prefault(z.record(artifactName, z.string()), {}),
});
