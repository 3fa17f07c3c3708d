import * as z from "zod/mini";
import { maxLength } from "../values.ts";

const base64url = (charsMax: number) => z.string().check(maxLength(charsMax), z.regex(/^[A-Za-z0-9_-]+$/));

/** What a browser answers when a passkey was asked for, with the names WebAuthn gave it. */
export const passkeyAssertionSchema = z.strictObject({
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal("public-key"),
  authenticatorAttachment: z.optional(z.nullable(z.string().check(maxLength(32)))),
  response: z.strictObject({
    clientDataJSON: base64url(8_192),
    authenticatorData: base64url(8_192),
    signature: base64url(2_048),
    userHandle: z.optional(z.nullable(base64url(128))),
  }),
  clientExtensionResults: z.record(z.string().check(maxLength(64)), z.json()),
});
export type PasskeyAssertion = z.infer<typeof passkeyAssertionSchema>;

/** What a page needs in order to ask for a passkey: base64url throughout. */
export type PasskeyChallenge = { readonly challenge: string; readonly credentialIds: readonly string[] };

/** Why an assertion does not count. Nothing was approved. */
export type PasskeyRefusal =
  | { readonly code: "passkey_missing" }
  | {
      readonly code: "passkey_refused";
      readonly reason:
        | "unknown_credential"
        | "challenge_differs"
        | "origin_differs"
        | "user_not_verified"
        | "signature_invalid"
        | "counter_went_back"
        | "malformed";
    };
