import { oneLine } from "#base";
import type { Words } from "../words.ts";
import type { SecureInputRefusal } from "./secure-input.ts";

export type SecretsError = SecureInputRefusal | { readonly code: "https_needed" };

type Table = {
  readonly [C in SecretsError["code"]]: (error: Extract<SecretsError, { readonly code: C }>) => Words;
};

const KEPT = "The vault is as it was.";
const refused = (what: string, next: string): Words => ({ what, kept: KEPT, next });

export const SECRET_WORDS: Table = {
  secret_not_asked: ({ refId }) =>
    refused(
      `There is nothing under ${oneLine(refId)}: it was never asked for, its time is over, or it was removed.`,
      "`silas secrets list` shows what there is; `silas secrets ask` asks for it.",
    ),
  secret_fulfilled: ({ refId }) =>
    refused(
      `${oneLine(refId)} was stored already.`,
      "To replace it, run `silas secrets set` or ask for it again with `silas secrets ask`.",
    ),
  secret_ref_reserved: ({ refId }) =>
    refused(`${oneLine(refId)} is a name Silas keeps for its own keys.`, "Choose a name that begins differently."),
  too_many_asked: ({ max }) =>
    refused(
      `${max} secrets are already being asked for, which is the most there can be.`,
      "Store or remove some of them first.",
    ),
  secure_input_unsupported: ({ refId }) =>
    refused(
      `A secret such as ${oneLine(refId)} is not taken in a chat.`,
      "Type it on the page or with `silas secrets set`. Replace it if it went through a chat.",
    ),
  https_needed: () =>
    refused(
      "A secret is taken over HTTPS only, except on the machine Silas runs on. What was sent was not read.",
      "Open the page over https, or at http://localhost on that machine. Replace the secret if it went over a network.",
    ),
};
