import { oneLine } from "#base";
import type { PasskeyRefusal } from "../approval/passkey-wire.ts";
import type { Words } from "../words.ts";
import type { PasskeyKeepRefusal } from "./passkeys.ts";

export type PasskeyError = PasskeyRefusal | PasskeyKeepRefusal;
type Table = {
  readonly [C in PasskeyError["code"]]: (error: Extract<PasskeyError, { readonly code: C }>) => Words;
};

const refused = (what: string, next = ""): Words => ({ what, kept: "Nothing was changed.", next });
const AGAIN = "Try again from the beginning.";

/** What failed about a passkey, what was kept and what to do. */
export const PASSKEY_WORDS: Table = {
  passkey_missing: () =>
    refused("This needs a passkey of this browser, and none was used.", "Use the passkey, or approve in the terminal."),
  passkey_refused: ({ reason }) => refused(`The passkey was not accepted: ${REFUSED[reason]}.`, AGAIN),
  passkey_unknown: ({ passkeyId }) =>
    refused(
      `There is no passkey ${oneLine(passkeyId)} in use.`,
      "`silas keys passkeys list` shows the ones there are.",
    ),
  passkey_proof_needed: () =>
    refused(
      "Adding another passkey needs one you already have; removing a passkey needs that passkey itself.",
      "Use it here, or run `silas keys passkeys remove ID` in the terminal.",
    ),
  passkey_needs_name: ({ host }) =>
    refused(
      `Browsers do not make passkeys for a numeric address such as ${oneLine(host)}.`,
      "Open Silas at http://localhost, with the same port, and sign this browser in there.",
    ),
  passkey_known: () => refused("This passkey has already been added.", "Use it, or add another one."),
  passkeys_full: ({ max }) =>
    refused(`This browser has ${max} passkeys, which is the most it can have.`, "Remove one first."),
  passkey_not_made: ({ reason }) => refused(`No passkey was added: ${NOT_MADE[reason]}.`, AGAIN),
};

const NOT_MADE: { readonly [R in Extract<PasskeyError, { code: "passkey_not_made" }>["reason"]]: string } = {
  challenge_differs: "it answers a different question from the one asked, or came too late",
  origin_differs: "it was made on another page",
  user_not_verified: "it did not check that it is you",
  malformed: "what the browser sent cannot be read",
};

const REFUSED: { readonly [R in Extract<PasskeyError, { code: "passkey_refused" }>["reason"]]: string } = {
  ...NOT_MADE,
  origin_differs: "it was used on another page",
  unknown_credential: "it does not belong to this browser",
  signature_invalid: "its signature does not hold",
  counter_went_back: "its counter went backwards, as that of a copied passkey would",
};
