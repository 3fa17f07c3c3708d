import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { canonicalDigest, assert, err, ok, parseStrictJson, type JsonValue, type Result } from "#base";
import { faultOf } from "#engine";
import { secretRefSchema, type SecretRef, type VaultFault } from "#model";
import { writePrivateFile } from "../private-files.ts";

const hex = (pattern: RegExp) => z.string().check(z.regex(pattern));
const vaultIdSchema = hex(/^[0-9a-f]{32}$/);
/** A nonce of 12 bytes, and the ciphertext followed by its tag of 16 bytes. */
const sealedSchema = z.strictObject({ nonce: hex(/^[0-9a-f]{24}$/), sealed: hex(/^(?:[0-9a-f]{2}){16,}$/) });
export type Sealed = z.infer<typeof sealedSchema>;

// Bounds: a file from elsewhere must not make this machine spend gigabytes on a key.
const kdfSchema = z.strictObject({
  name: z.literal("scrypt"),
  n: z.int().check(
    z.gte(1024),
    z.lte(1_048_576),
    z.refine((n) => Number.isInteger(Math.log2(n))),
  ),
  r: z.int().check(z.gte(1), z.lte(16)),
  p: z.int().check(z.gte(1), z.lte(4)),
  salt: hex(/^[0-9a-f]{32}$/),
});
export type KeyDerivation = z.infer<typeof kdfSchema>;

const common = { format: z.literal("silas-vault"), version: z.literal(1), vault_id: vaultIdSchema };
const fileDocumentSchema = z.strictObject({
  ...common,
  backend: z.literal("encrypted_file"),
  opens_with: z.enum(["passphrase", "key_file"]),
  kdf: kdfSchema,
  /** Opens with the right key and with no other: how a wrong passphrase is told from a damaged secret. */
  check: sealedSchema,
  entries: z.record(z.string(), sealedSchema),
});
const serviceDocumentSchema = z.strictObject({
  ...common,
  backend: z.literal("secret_service"),
  refs: z.array(secretRefSchema),
});
export type FileDocument = z.infer<typeof fileDocumentSchema>;
export type ServiceDocument = z.infer<typeof serviceDocumentSchema>;
export type VaultDocument = FileDocument | ServiceDocument;

const documentSchema = z.discriminatedUnion("backend", [fileDocumentSchema, serviceDocumentSchema]);

export const VAULT_FILE = "vault.json";
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** The document of a vault; null when there is none yet. */
export function loadDocument(path: string): Result<VaultDocument | null, VaultFault> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    const isAbsent = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    return isAbsent ? ok(null) : err(faultOf(cause));
  }
  return bytes.length > FILE_BYTES_MAX ? damaged("too_large") : parseDocument(bytes.toString("utf8"));
}

/** The whole file is replaced in one step. */
export function saveDocument(path: string, document: VaultDocument): Result<void, VaultFault> {
  try {
    writePrivateFile(path, renderDocument(document));
    return ok();
  } catch (cause) {
    return err(faultOf(cause));
  }
}

export function renderDocument(document: VaultDocument): string {
  const digest = digestOf(document);
  assert(digest !== null, "a vault document has canonical bytes");
  return `${JSON.stringify({ ...document, digest }, null, 2)}\n`;
}

export function parseDocument(text: string): Result<VaultDocument, VaultFault> {
  const json = parseStrictJson(text);
  if (!json.ok) return damaged("not_json");
  if (json.value === null || typeof json.value !== "object" || Array.isArray(json.value)) return damaged("not_a_vault");
  const { digest, ...rest } = json.value as { readonly [name: string]: JsonValue };
  if (rest["format"] !== "silas-vault") return damaged("not_a_vault");
  if (rest["version"] !== 1) return damaged("made_by_another_version");
  if (digest === undefined || digest !== digestOf(rest)) return damaged("digest_differs");
  const parsed = documentSchema.safeParse(rest);
  if (!parsed.success) return damaged("not_a_vault");
  const refs = parsed.data.backend === "encrypted_file" ? Object.keys(parsed.data.entries) : [];
  return refs.every((ref) => secretRefSchema.safeParse(ref).success) ? ok(parsed.data) : damaged("not_a_vault");
}

export const refsOf = (document: VaultDocument): readonly SecretRef[] =>
  (document.backend === "encrypted_file" ? (Object.keys(document.entries) as SecretRef[]) : document.refs).toSorted();

export const damaged = (reason: string) => err({ code: "vault_damaged", retryable: false, reason } as const);

/**
 * Not keyed: it tells an accident from a wrong key, and stops nobody who edits the file on purpose.
 * Null for a value that has no canonical bytes, which no document of ours is.
 */
function digestOf(value: object): string | null {
  const digest = canonicalDigest(value);
  return digest.ok ? digest.value : null;
}
