import * as z from "zod/mini";
import { assert, canonicalJson } from "#base";
import { digest, maxLength } from "../values.ts";

/**
 * Why Silas starts read-only. `database_older`: the record beside the database tells of an entry that the database does
 * not have. `heads_missing`, `heads_unreadable`: the record itself is cut, gone or damaged, so nothing can tell.
 */
export const HOLD_REASONS = ["database_older", "heads_missing", "heads_unreadable"] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** Names under which the chain is asked: when approvals were voided, and when one was given that is kept for later. */
export const VOIDED_ACT = "approvals-voided";
export const keptAct = (tokenId: string): string => `kept:${tokenId}`;

/** Silas is read-only until the owner restores the newer database or accepts this one. */
export type Hold = {
  readonly reason: HoldReason;
  /** The last entry of this database. */
  readonly seq: number;
  readonly hash: string;
  /** How many recorded entries are known to be missing; null where nothing can tell. */
  readonly missing: number | null;
};
export type HoldBody = Hold;

/** `POST /api/hold/accept`: the device signs exactly the state it was shown; the terminal sends nothing more. */
export const acceptHoldSchema = z.strictObject({
  seq: z.int().check(z.gte(0)),
  hash: digest,
  signed: z.nullable(
    z.strictObject({
      key_id: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
      signature: z.string().check(maxLength(128)),
    }),
  ),
});
export type AcceptHoldBody = z.infer<typeof acceptHoldSchema>;

/** Why nothing was accepted. */
export type HoldRefusal = { readonly code: "hold_over" } | { readonly code: "hold_differs" };

/** The statement that a device signs to accept the database it was shown, for its own session. */
export function acceptStatement(accepted: Pick<Hold, "seq" | "hash"> & { readonly sessionId: string }): string {
  const { hash, seq, sessionId } = accepted;
  const text = canonicalJson({ hash, seq, session_id: sessionId });
  assert(text.ok, "a state to accept has canonical bytes");
  return `silas-accept-database-v1\n${text.value}`;
}

/** One sentence about the cause. */
export function holdSentence({ reason, missing }: Pick<Hold, "reason" | "missing">): string {
  if (reason === "heads_missing") return "The record kept beside the database is missing or cut off.";
  if (reason === "heads_unreadable") return "The record kept beside the database is damaged.";
  if (missing === null || missing <= 0) return "This is not the database that Silas last wrote.";
  return `This database is older than the one Silas last wrote: ${missing === 1 ? "1 act is" : `${missing} acts are`} missing.`;
}

/** The consequence, and the owner's two options. */
export const HOLD_MEANING = "Silas is read-only: nothing runs, and nothing can be approved.";
export const HOLD_CHOICE = "Restore the newer database, or accept this one: every unused approval becomes void.";
