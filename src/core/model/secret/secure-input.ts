import * as z from "zod/mini";
import { err, LIMITS, ok, type Instant } from "#base";
import type { AuditActor } from "../audit.ts";
import { hostWords, parseHostRule } from "../egress/host-rule.ts";
import { secretRefSchema, type SecretRef, type VaultStatus } from "../keys.ts";
import { nameSchema, parsedText, maxLength, minLength } from "../values.ts";

/**
 * A secret the owner is asked for, by its name in the vault. INVARIANT: nothing here can hold the secret itself, nor
 * anything made from it. [SECRET-12]
 */
export type SecureInputRequest = {
  readonly refId: SecretRef;
  readonly label: string;
  /** What such a secret looks like, for the person who types it. Never held against what was typed. */
  readonly inputHint: string | null;
  readonly guidance: { readonly instructions: string; readonly helpUrl: string | null };
  /** The one host it is for, as `hostWords` writes it: requests for any other never get it. Null for no host. */
  readonly host: string | null;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly state: "pending" | "fulfilled" | "expired";
  readonly requestedBy: AuditActor;
};

/** What is asked for, before it has its times. */
export type WantedSecret = Pick<SecureInputRequest, "refId" | "label" | "inputHint" | "guidance" | "host">;

export type AskedSecret = { readonly request: SecureInputRequest; readonly isNew: boolean };

/** A secret on its way into the vault, by whom. */
export type SecretInput = { readonly refId: SecretRef; readonly secret: Uint8Array; readonly actor: AuditActor };

/** When something was done, and by whom. */
export type ActBy = { readonly at: Instant; readonly actor: AuditActor };

/** What whoever asked gets to know, from Silas's own write and from nobody's word. */
export type SecureInputCompleted = { readonly refId: SecretRef; readonly success: boolean };

/** A secret as it is listed: what was asked for, and whether the vault holds something under the name. */
export type ListedSecret = {
  readonly refId: SecretRef;
  /** Null for a secret in the vault that no request is known of, as after a restore. */
  readonly request: SecureInputRequest | null;
  readonly isStored: boolean;
};

/** Why a secret was not asked for, stored or removed. The vault is as it was. */
export type SecureInputRefusal =
  /** Never asked for, or its time is over. [SECRET-06] */
  | { readonly code: "secret_not_asked"; readonly refId: string }
  /** [SECRET-07] */
  | { readonly code: "secret_fulfilled"; readonly refId: string }
  | { readonly code: "secret_ref_reserved"; readonly refId: string }
  | { readonly code: "too_many_asked"; readonly max: number }
  /** The way it came by has no place to type one. [SECRET-11] */
  | { readonly code: "secure_input_unsupported"; readonly refId: string };

/** Names Silas keeps for its own keys. What a person or a plan names is never one of them. */
export const isReservedRef = (ref: SecretRef): boolean => /^(owner|silas)-/.test(ref);

const HINT_CHARS = 120;
const INSTRUCTIONS_CHARS = 1_000;
const URL_CHARS = 500;
// No user name, no other scheme and nothing invisible: a person sees where the link leads.
const HELP_URL = /^https:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?(?:[/?#][\x21-\x7e]*)?$/i;

const hint = z.string().check(maxLength(HINT_CHARS));
const instructions = z.string().check(maxLength(INSTRUCTIONS_CHARS));
const helpUrl = z.string().check(maxLength(URL_CHARS), z.regex(HELP_URL));

/** Kept with its port, so that one host has one spelling. */
const savedHost = parsedText((text) => {
  const rule = parseHostRule(text);
  return rule === null ? err({ code: "no_host" }) : ok(hostWords(rule));
});

/** The body of `POST /api/secrets/ask`. */
export const wantedSecretSchema = z.strictObject({
  ref_id: secretRefSchema,
  label: nameSchema,
  input_hint: z.nullable(hint),
  guidance: z.strictObject({ instructions, help_url: z.nullable(helpUrl) }),
  host: z.nullable(savedHost),
});
type WantedSecretBody = z.output<typeof wantedSecretSchema>;

export const namedSecretSchema = z.strictObject({ ref_id: secretRefSchema });

/** The body of `POST /secrets/{ref_id}`, and the only place where a secret is part of a message. [SECRET-05] */
export const secretValueSchema = z.strictObject({
  value: z.string().check(minLength(1), maxLength(LIMITS.secretBytes)),
});

export type SecureInputBody = WantedSecretBody & { readonly created_at: string; readonly expires_at: string };
export type ListedSecretBody = {
  readonly ref_id: string;
  readonly state: SecureInputRequest["state"] | null;
  readonly stored: boolean;
  readonly request: SecureInputBody | null;
};
export type SecretsBody = { readonly secrets: readonly ListedSecretBody[] };
export type PendingSecretsBody = { readonly requests: readonly SecureInputBody[] };
/** Where secrets go, as the page and the terminal say it. */
export type VaultPlace = Pick<VaultStatus, "backend" | "opensWith">;

export const wantedSecretFromWire = (body: WantedSecretBody): WantedSecret => ({
  refId: body.ref_id,
  label: body.label,
  inputHint: body.input_hint,
  guidance: { instructions: body.guidance.instructions, helpUrl: body.guidance.help_url },
  host: body.host,
});

export const wantedSecretToWire = ({ refId, label, inputHint, guidance, host }: WantedSecret): WantedSecretBody => ({
  ref_id: refId,
  label,
  input_hint: inputHint,
  guidance: { instructions: guidance.instructions, help_url: guidance.helpUrl },
  host,
});

export const secureInputToWire = (request: SecureInputRequest): SecureInputBody => ({
  ...wantedSecretToWire(request),
  created_at: request.createdAt,
  expires_at: request.expiresAt,
});

export const listedSecretToWire = ({ refId, request, isStored }: ListedSecret): ListedSecretBody => ({
  ref_id: refId,
  state: request?.state ?? null,
  stored: isStored,
  request: request === null ? null : secureInputToWire(request),
});
