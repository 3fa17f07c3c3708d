import * as z from "zod/mini";
import { LIMITS } from "#base";
import { many, type ValueKind } from "../config-nodes.ts";
import { artifactName, ERROR_CHARS } from "./run-records.ts";
import { maxLength } from "../values.ts";

/** Kinds of executors that need nobody else: what a plan names itself, and a model. Any other kind runs nothing. */
export const isRunKind = (kind: unknown): boolean => kind === "steps" || kind === "model";

/** Who asks about a call of a model whose effects outlive its workspace, where otherwise a gate is named. */
export const HIGH_RISK_CALL = "high-risk call";

/** The values of which a model makes the end of its work. */

const plain = { reading: "document", role: "plain" } as const;

/* @__NO_SIDE_EFFECTS__ */
export function summaryText(): ValueKind<string> {
  const schema = z.string().check(maxLength(LIMITS.planTextChars));
  return { ...plain, schema, expected: `text of at most ${LIMITS.planTextChars} characters` };
}
/* @__NO_SIDE_EFFECTS__ */
export function resultNames(): ValueKind<readonly string[]> {
  return many({ ...plain, schema: artifactName, expected: "the name of a result" }, LIMITS.planNames);
}
/* @__NO_SIDE_EFFECTS__ */
export function nextSteps(): ValueKind<readonly string[]> {
  const schema = z.string().check(maxLength(ERROR_CHARS));
  return many({ ...plain, schema, expected: `text of at most ${ERROR_CHARS} characters` }, LIMITS.planParts);
}
