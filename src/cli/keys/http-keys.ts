import { ok, type Result } from "#base";
import {
  ownerKeyFromWire,
  type KeyId,
  type KeysReport,
  type OwnerKeyBody,
  type SignatureHex,
  type VaultStatus,
} from "#model";
import type { KeysDoor } from "#ports";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** What verbs do with keys; making the first one and vouching are left to the process that starts. */
export type Keys = Omit<KeysDoor, "prepare" | "vouch">;

/** The keys behind a running instance: the same door as the local one, and no file or secret ever travels. */
export function createHttpKeys(address: InstanceAddress): Keys {
  const call = async <T, E>(made: HttpCall): Promise<Result<T, E>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  const post = <T, E>(path: string, value: object): Promise<Result<T, E>> =>
    call({ method: "POST", path, body: JSON.stringify(value) });
  return {
    list: async () =>
      mapped(
        await call<{ readonly keys: readonly OwnerKeyBody[] }, never>({ method: "GET", path: "/api/keys" }),
        (body) => body.keys.map(ownerKeyFromWire),
      ),
    enrol: async (name) => mapped(await post<OwnerKeyBody, never>("/api/keys/enrol", { name }), ownerKeyFromWire),
    revoke: async ({ keyId, lastKey }) =>
      mapped(
        await post<OwnerKeyBody, never>("/api/keys/revoke", { key_id: keyId, last_key: lastKey }),
        ownerKeyFromWire,
      ),
    signFile: async (sha256) =>
      mapped(await post<SignedBody, never>("/api/keys/sign-file", { sha256 }), (body) => ({
        keyId: body.key_id,
        signature: body.signature,
      })),
    verifyFile: async ({ sha256, keyId, signature }) =>
      mapped(
        await post<VerifiedBody, never>("/api/keys/verify-file", { sha256, key_id: keyId, signature }),
        (body) => ({ keyId: body.key_id, name: body.name }),
      ),
    report: async () => reportOf(await call<ReportBody, never>({ method: "POST", path: "/api/keys/self-test" })),
  };
}

const mapped = <T, U, E>(result: Result<T, E>, map: (value: T) => U): Result<U, E> =>
  result.ok ? ok(map(result.value)) : result;

// Our own server wrote these.
type SignedBody = { readonly key_id: KeyId; readonly signature: SignatureHex };
type VerifiedBody = { readonly key_id: KeyId; readonly name: string };
type ReportBody = {
  readonly vault: Pick<VaultStatus, "backend" | "state"> & { readonly opens_with: VaultStatus["opensWith"] };
  readonly off_record: readonly KeyId[];
  readonly signing:
    | { readonly state: "ready"; readonly key_id: KeyId }
    | Extract<KeysReport["signing"], { readonly state: "refused" }>;
};

function reportOf(result: Result<ReportBody, never>): KeysReport {
  const { vault, off_record: offRecord, signing } = result.ok ? result.value : result.error;
  return {
    vault: { backend: vault.backend, opensWith: vault.opens_with, state: vault.state },
    offRecord,
    signing: signing.state === "ready" ? { state: "ready", keyId: signing.key_id } : signing,
  };
}
