import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { msOfInstant, type Instant } from "#base";
import { instantSchema, type AuditHead } from "#model";
import { writePrivateFile } from "#stores";

const FILE = "audit-full-check.json";
const DUE_AFTER_MS = 7 * 86_400_000;

const checkSchema = z.strictObject({ at: instantSchema, seq: z.int().check(z.gte(0)), hash: z.string() });
type FullCheck = z.infer<typeof checkSchema>;

/** The last time that the whole chain was verified and held; null when nobody knows of one. */
export function readFullCheck(stateDir: string): FullCheck | null {
  const path = join(stateDir, FILE);
  try {
    return existsSync(path) ? (checkSchema.safeParse(JSON.parse(readFileSync(path, "utf8"))).data ?? null) : null;
  } catch {
    // Whatever cannot be read makes the next check a full one.
    return null;
  }
}

/** A clock that went back makes a full check due as well. */
export function isFullCheckDue(last: FullCheck | null, now: Instant): boolean {
  const ageMs = last === null ? Number.POSITIVE_INFINITY : msOfInstant(now) - msOfInstant(last.at);
  return ageMs < 0 || ageMs >= DUE_AFTER_MS;
}

/** Forgetting it costs one full check more, so a state directory that cannot be written stops nothing. */
export function keepFullCheck(stateDir: string, { at, seq, hash }: AuditHead & { readonly at: Instant }): void {
  try {
    if (existsSync(stateDir)) writePrivateFile(join(stateDir, FILE), `${JSON.stringify({ at, seq, hash })}\n`);
  } catch {
    return;
  }
}
