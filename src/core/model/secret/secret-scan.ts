import type { Result } from "#base";
import type { Words } from "../words.ts";

/** One credential in a text: what it looks like, for people, and where it stands. Never the credential itself. */
export type SecretFinding = { readonly kind: string; readonly start: number; readonly end: number };

/** The result of scanning a text. A scan that failed is not a text without credentials. */
export type SecretScan = Result<readonly SecretFinding[], SecretScanFault>;
type SecretScanFault = "too_long" | "failed";

/** A text is refused before it is stored. `found` names the kind of credential and holds nothing of it. */
export type SecretRefusal =
  | { readonly code: "holds_secret"; readonly found: string }
  | { readonly code: "secret_scan_failed"; readonly reason: SecretScanFault };

const KEPT = "Nothing of it was stored.";

export const SECRET_SCAN_WORDS: {
  readonly [C in SecretRefusal["code"]]: (error: Extract<SecretRefusal, { readonly code: C }>) => Words;
} = {
  holds_secret: ({ found }) => ({
    what: `This looks like ${withArticle(found)}.`,
    kept: KEPT,
    next: "Remove it, or store it in the vault with `silas secrets set NAME` and write NAME instead.",
  }),
  secret_scan_failed: ({ reason }) => ({
    what:
      reason === "too_long"
        ? "This is too long to be checked for passwords and keys."
        : "This could not be checked for passwords and keys.",
    kept: KEPT,
    next: reason === "too_long" ? "Send less at a time." : "Try again; `silas doctor` looks for the cause.",
  }),
};

const withArticle = (noun: string): string => `${/^(?:[aeio]|npm\b)/i.test(noun) ? "an" : "a"} ${noun}`;
