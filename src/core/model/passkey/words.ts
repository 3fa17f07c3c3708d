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
    refused(`There is no passkey ${oneLine(passkeyId)} in use.`, "`silas keys passkeys list` shows those there are."),
  passkey_proof_needed: () =>
    refused(
      "Only a passkey that is there may add another or take itself away.",
      "Use it here, or run `silas keys passkeys remove ID` in the terminal.",
    ),
  passkey_needs_name: ({ host }) =>
    refused(
      `Browsers make no passkeys for an address of numbers such as ${oneLine(host)}.`,
      "Open Silas at http://localhost, with the same port, and sign this browser in there.",
    ),
  passkey_known: () => refused("This passkey is added already.", "Use it, or add another one."),
  passkeys_full: ({ max }) => refused(`This browser has ${max} passkeys, and no more fit.`, "Remove one first."),
  passkey_not_made: ({ reason }) => refused(`No passkey was added: ${NOT_MADE[reason]}.`, AGAIN),
};

const NOT_MADE: { readonly [R in Extract<PasskeyError, { code: "passkey_not_made" }>["reason"]]: string } = {
  challenge_differs: "it answers another question than the one that was asked, or too late",
  origin_differs: "it was made on another page",
  user_not_verified: "it did not ask who you are",
  malformed: "what the browser sent cannot be read",
};

const REFUSED: { readonly [R in Extract<PasskeyError, { code: "passkey_refused" }>["reason"]]: string } = {
  ...NOT_MADE,
  origin_differs: "it was used on another page",
  unknown_credential: "it is not one of this browser",
  signature_invalid: "its signature does not hold",
  counter_went_back: "its counter went back, as that of a copy does",
};
