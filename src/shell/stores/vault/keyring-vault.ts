import { err, LIMITS, ok, type Result } from "#base";
import type { SecretMissing, SecretRef, VaultFault, VaultStatus } from "#model";
import { createMutex, type Randomness, type Vault } from "#ports";
import type { Keyring } from "./desktop-keyring.ts";
import { damaged, loadDocument, refsOf, saveDocument, type ServiceDocument } from "./vault-document.ts";

type KeyringVaultOptions = {
  /** Holds the names of the secrets and which vault they belong to, and no secret. */
  readonly path: string;
  readonly random: Randomness;
  /** Null where no secret service answers. */
  readonly loadKeyring: () => Promise<Keyring | null>;
};

/** Secrets in the desktop's secret service. Without it nothing is read or written, and no file takes its place. */
export function createKeyringVault(options: KeyringVaultOptions): Vault {
  const take = createMutex();
  return {
    status: () => take(() => describe(options)),
    put: (ref, secret) => take(() => put(options, { ref, secret })),
    get: (ref) => take(() => get(options, ref)),
    remove: (ref) => take(() => remove(options, ref)),
    list: () =>
      take(async () => {
        const document = load(options.path);
        return document.ok ? ok(document.value === null ? [] : refsOf(document.value)) : document;
      }),
  };
}

async function describe(options: KeyringVaultOptions): Promise<VaultStatus> {
  const document = load(options.path);
  if (!document.ok) return status(document.error.code);
  if ((await options.loadKeyring()) === null) return status("vault_unavailable");
  return status(document.value === null ? "empty" : "unlocked");
}

const status = (state: VaultStatus["state"]): VaultStatus => ({ backend: "secret_service", opensWith: null, state });

async function put(
  options: KeyringVaultOptions,
  { ref, secret }: { readonly ref: SecretRef; readonly secret: Uint8Array },
): Promise<Result<void, VaultFault>> {
  const loaded = load(options.path);
  if (!loaded.ok) return loaded;
  const document = loaded.value ?? createDocument(options.random);
  const refs = [...new Set([...document.refs, ref])];
  if (secret.length > LIMITS.secretBytes || refs.length > LIMITS.vaultSecrets) {
    return err({ code: "vault_full", retryable: false });
  }
  const stored = await withKeyring(options, (keyring) => keyring.set(accountOf(document, ref), secret));
  // The secret first: a name without its secret would look like a loss.
  return stored.ok ? saveDocument(options.path, { ...document, refs }) : stored;
}

async function get(
  options: KeyringVaultOptions,
  ref: SecretRef,
): Promise<Result<Uint8Array, SecretMissing | VaultFault>> {
  const document = load(options.path);
  if (!document.ok) return document;
  const { value } = document;
  if (value === null || !value.refs.includes(ref)) return err({ code: "secret_missing", ref });
  const secret = await withKeyring(options, (keyring) => keyring.get(accountOf(value, ref)));
  if (!secret.ok) return secret;
  return secret.value === null ? err({ code: "secret_missing", ref }) : ok(secret.value);
}

async function remove(options: KeyringVaultOptions, ref: SecretRef): Promise<Result<void, VaultFault>> {
  const document = load(options.path);
  if (!document.ok) return document;
  const { value } = document;
  if (value === null || !value.refs.includes(ref)) return ok();
  const removed = await withKeyring(options, (keyring) => keyring.remove(accountOf(value, ref)));
  if (!removed.ok) return removed;
  return saveDocument(options.path, { ...value, refs: value.refs.filter((kept) => kept !== ref) });
}

/** Two data directories of one person never share a secret. */
const accountOf = ({ vault_id: vaultId }: ServiceDocument, ref: SecretRef): string => `${vaultId}/${ref}`;

const createDocument = (random: Randomness): ServiceDocument => ({
  format: "silas-vault",
  version: 1,
  vault_id: Buffer.from(random.bytes(16)).toString("hex"),
  backend: "secret_service",
  refs: [],
});

function load(path: string): Result<ServiceDocument | null, VaultFault> {
  const document = loadDocument(path);
  if (!document.ok || document.value === null) return document.ok ? ok(null) : document;
  return document.value.backend === "secret_service" ? ok(document.value) : damaged("made_for_the_encrypted_file");
}

async function withKeyring<T>(
  { loadKeyring }: KeyringVaultOptions,
  work: (keyring: Keyring) => Promise<T>,
): Promise<Result<T, VaultFault>> {
  const keyring = await loadKeyring();
  if (keyring === null) return err({ code: "vault_unavailable", retryable: true });
  try {
    return ok(await work(keyring));
  } catch (cause) {
    return err({ code: "vault_unavailable", retryable: true, cause });
  }
}
