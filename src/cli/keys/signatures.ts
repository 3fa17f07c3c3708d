import { oneLine } from "#base";
import { keyIdSchema, publicKeySchema, type KeyError, type KeyId } from "#model";
import { keyIdOf, verifyFileWith } from "#runtime";
import type { Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT } from "../terminal/failure.ts";
import { digestOfFile } from "./file-digest.ts";
import { withKeys } from "./open-keys.ts";
import { keysFailure } from "./words.ts";

type Json = { readonly json?: boolean };

/** Prints `KEY_ID:SIGNATURE`; only the digest of the file leaves this process. */
export const signFile: Handler<Json> = async (call) => {
  const { terminal, options, environment } = call;
  const sha256 = await digestOfFile(call.args[0] ?? "", environment.cwd);
  const signed = await withKeys(call, (keys) => keys.signFile(sha256, { kind: "terminal" }));
  if (!signed.ok) throw keysFailure(signed.error);
  const { keyId, signature } = signed.value;
  if (options.json) return terminal.json({ key_id: keyId, sha256, signature });
  terminal.line(`${keyId}:${signature}`);
};

type VerifyOptions = Json & { readonly signature: string; readonly key?: string };

export const verifyFile: Handler<VerifyOptions> = async (call) => {
  const { options, environment, terminal } = call;
  const sha256 = await digestOfFile(call.args[0] ?? "", environment.cwd);
  const { keyId, signature } = splitSignature(options.signature);
  const by =
    options.key === undefined
      ? await verifyEnrolled(call, { sha256, keyId: keyId ?? needsKeyId(), signature })
      : verifyGiven(options.key, { sha256, keyId, signature });
  if (options.json) return terminal.json({ valid: true, key_id: by.keyId, name: by.name, sha256 });
  terminal.line(`Good signature of ${by.keyId}${by.name === null ? "" : `, ${oneLine(by.name)}`}`);
};

type Signer = { readonly keyId: KeyId; readonly name: string | null };
type Claim<K> = {
  readonly sha256: Awaited<ReturnType<typeof digestOfFile>>;
  readonly keyId: K;
  readonly signature: string;
};

async function verifyEnrolled(call: Parameters<typeof verifyFile>[0], claim: Claim<KeyId>): Promise<Signer> {
  const verified = await withKeys(call, (keys) => keys.verifyFile(claim));
  if (!verified.ok) throw keysFailure(verified.error);
  return verified.value;
}

/** Against a key that somebody handed over: needs no data directory, and says nothing about whose key it is. */
function verifyGiven(publicKey: string, { sha256, keyId, signature }: Claim<KeyId | null>): Signer {
  const key = publicKeySchema.safeParse(publicKey);
  if (!key.success) throw keysFailure({ code: "public_key_invalid" });
  const given = keyIdOf(key.data);
  const mismatch: KeyError = { code: "signature_invalid", reason: "does_not_match" };
  if (keyId !== null && keyId !== given) throw keysFailure(mismatch);
  const verified = verifyFileWith(key.data, { sha256, signature });
  if (!verified.ok) throw keysFailure(verified.error);
  return { keyId: given, name: null };
}

/** `KEY_ID:SIGNATURE`, or the signature alone. What is wrong with the signature itself is for the check to say. */
function splitSignature(typed: string): { readonly keyId: KeyId | null; readonly signature: string } {
  const text = typed.trim();
  const at = text.indexOf(":");
  if (at === -1) return { keyId: null, signature: text };
  const keyId = keyIdSchema.safeParse(text.slice(0, at));
  if (!keyId.success) throw keysFailure({ code: "key_unknown", keyId: text.slice(0, at) });
  return { keyId: keyId.data, signature: text.slice(at + 1) };
}

function needsKeyId(): never {
  throw new CommandFailure({
    what: "The signature does not say which key made it.",
    next: "Give it as `silas keys sign` printed it, KEY_ID:SIGNATURE, or name the public key with --key.",
    exit: EXIT.usage,
  });
}
