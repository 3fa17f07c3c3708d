import { join } from "node:path";
import { err, LIMITS, ok, type Result } from "#base";
import type { SecretMissing, SecretRef, SecretText, VaultFault, VaultStatus } from "#model";
import { createMutex, type Randomness, type Vault } from "#ports";
import {
  ensureKeyFile,
  loadKeyFile,
  createKeyKeeper,
  type Derive,
  type KeyKeeper,
  bytesOfPassphrase,
  createDerivation,
  openSealed,
  seal,
} from "./vault-seal.ts";
import { damaged, loadDocument, refsOf, saveDocument, type FileDocument, VAULT_FILE } from "./vault-document.ts";
import { loadDesktopKeyring, type Keyring } from "./desktop-keyring.ts";
import { createKeyringVault } from "./keyring-vault.ts";

type FileVaultOptions = {
  readonly path: string;
  /** Apart from the data, so that a copy of the data directory is no copy of the secrets. */
  readonly keyFile: string;
  /** Decides, when the vault is made, whether a passphrase or the key file opens it. */
  readonly passphrase: SecretText | null;
  /** Asked only when an existing vault needs a passphrase and none was given. */
  readonly askPassphrase: () => Promise<SecretText | null>;
  readonly random: Randomness;
  /** How an opener is stretched; scrypt by default. */
  readonly derive?: Derive;
};
type Opening = FileVaultOptions & { readonly keeper: KeyKeeper };

/** Secrets sealed one by one in `vault.json`. Whoever cannot open the vault any more loses the derived key as well. */
export function createFileVault(given: FileVaultOptions): Vault {
  const options: Opening = { ...given, keeper: createKeyKeeper(given.random, given.derive) };
  const { path } = options;
  const take = createMutex();
  return {
    status: () => take(() => describe(options)),
    put: (ref, secret) => take(() => put(options, { ref, secret })),
    get: (ref) => take(() => get(options, ref)),
    remove: (ref) => take(() => remove(options, ref)),
    list: () =>
      take(async () => {
        const document = load(path);
        return document.ok ? ok(document.value === null ? [] : refsOf(document.value)) : document;
      }),
  };
}

async function describe(options: Opening): Promise<VaultStatus> {
  const document = load(options.path);
  if (!document.ok) return status(null, document.error.code);
  if (document.value === null) return status(options.passphrase === null ? "key_file" : "passphrase", "empty");
  const opened = await withKey(options, { document: document.value, work: async () => ok() });
  return status(document.value.opens_with, opened.ok ? "unlocked" : opened.error.code);
}

const status = (opensWith: VaultStatus["opensWith"], state: VaultStatus["state"]): VaultStatus => ({
  backend: "encrypted_file",
  opensWith,
  state,
});

async function get(options: Opening, ref: SecretRef): Promise<Result<Uint8Array, SecretMissing | VaultFault>> {
  const document = load(options.path);
  if (!document.ok) return document;
  const entry = document.value === null ? undefined : entryOf(document.value, ref);
  if (document.value === null || entry === undefined) return err({ code: "secret_missing", ref });
  const { vault_id: vaultId } = document.value;
  return withKey(options, {
    document: document.value,
    work: async (key) => {
      const secret = openSealed(entry, { key, place: { vaultId, slot: `entry:${ref}` } });
      return secret === null ? damaged("secret_does_not_open") : ok(secret);
    },
  });
}

async function put(
  options: Opening,
  { ref, secret }: { readonly ref: SecretRef; readonly secret: Uint8Array },
): Promise<Result<void, VaultFault>> {
  if (secret.length > LIMITS.secretBytes) return err({ code: "vault_full", retryable: false });
  const loaded = load(options.path);
  if (!loaded.ok) return loaded;
  const document = loaded.value === null ? await createDocument(options) : ok(loaded.value);
  if (!document.ok) return document;
  const { vault_id: vaultId, entries } = document.value;
  const isNew = entryOf(document.value, ref) === undefined;
  if (isNew && Object.keys(entries).length >= LIMITS.vaultSecrets) return err({ code: "vault_full", retryable: false });
  return withKey(options, {
    document: document.value,
    work: async (key) => {
      const sealed = seal(secret, { key, place: { vaultId, slot: `entry:${ref}` }, random: options.random });
      return saveDocument(options.path, { ...document.value, entries: { ...entries, [ref]: sealed } });
    },
  });
}

async function remove(options: Opening, ref: SecretRef): Promise<Result<void, VaultFault>> {
  const document = load(options.path);
  if (!document.ok) return document;
  if (document.value === null || entryOf(document.value, ref) === undefined) return ok();
  const { [ref]: _removed, ...entries } = document.value.entries;
  const rest = { ...document.value, entries };
  // Whoever cannot open the vault does not change it either.
  return withKey(options, { document: document.value, work: async () => saveDocument(options.path, rest) });
}

const entryOf = ({ entries }: FileDocument, ref: SecretRef) => (Object.hasOwn(entries, ref) ? entries[ref] : undefined);

function load(path: string): Result<FileDocument | null, VaultFault> {
  const document = loadDocument(path);
  if (!document.ok || document.value === null) return document.ok ? ok(null) : document;
  return document.value.backend === "encrypted_file" ? ok(document.value) : damaged("made_for_the_secret_service");
}

/** An empty vault, not yet on the disk: it appears with its first secret. */
async function createDocument(options: Opening): Promise<Result<FileDocument, VaultFault>> {
  const { random } = options;
  const opensWith = options.passphrase === null ? "key_file" : "passphrase";
  const opener =
    options.passphrase === null ? ensureKeyFile(options.keyFile, random) : ok(bytesOfPassphrase(options.passphrase));
  if (!opener.ok) return opener;
  const kdf = createDerivation(opensWith, random);
  const vaultId = Buffer.from(random.bytes(16)).toString("hex");
  const key = await options.keeper.keyFor(opener.value, kdf);
  const check = seal(new Uint8Array(0), { key, place: { vaultId, slot: "check" }, random });
  return ok({
    format: "silas-vault",
    version: 1,
    vault_id: vaultId,
    backend: "encrypted_file",
    opens_with: opensWith,
    kdf,
    check,
    entries: {},
  });
}

type Unlocking<T> = {
  readonly document: FileDocument;
  readonly work: (key: Uint8Array) => Promise<Result<T, VaultFault>>;
};

/** Runs work with the vault's key, once the key has opened the check. The opener is asked for each time. */
async function withKey<T>(options: Opening, { document, work }: Unlocking<T>): Promise<Result<T, VaultFault>> {
  const { keeper } = options;
  const opener = await openerOf(options, document);
  if (!opener.ok) {
    keeper.forget();
    return opener;
  }
  const key = await keeper.keyFor(opener.value, document.kdf);
  const opened = openSealed(document.check, { key, place: { vaultId: document.vault_id, slot: "check" } });
  if (opened !== null) return work(key);
  keeper.forget();
  return err({ code: "vault_wrong_key", retryable: false });
}

async function openerOf(options: FileVaultOptions, document: FileDocument): Promise<Result<Uint8Array, VaultFault>> {
  if (document.opens_with === "passphrase") {
    const passphrase = options.passphrase ?? (await options.askPassphrase());
    return passphrase === null ? locked("passphrase") : ok(bytesOfPassphrase(passphrase));
  }
  const bytes = loadKeyFile(options.keyFile);
  if (!bytes.ok) return bytes;
  return bytes.value === null ? locked("key_file") : ok(bytes.value);
}

const locked = (missing: "passphrase" | "key_file") =>
  err({ code: "vault_locked", retryable: false, missing } as const);

/** What this start was told about opening the vault. */
export type VaultAccess = {
  readonly passphrase: SecretText | null;
  readonly askPassphrase: () => Promise<SecretText | null>;
  /** `present` on Linux with a session bus; elsewhere the secret service is not even looked for. */
  readonly sessionBus: "present" | "absent";
};
export type VaultOptions = {
  readonly dataDir: string;
  readonly stateDir: string;
  readonly random: Randomness;
  readonly access: VaultAccess;
  /** The system's own by default; a test puts a stand-in in place. */
  readonly loadKeyring?: () => Promise<Keyring | null>;
};

const KEY_FILE = "vault.key";

/**
 * The vault of a data directory. The backend it was made with is the only one that is ever used: falling over to the
 * other would look like an empty vault. Before there is one, the secret service is preferred where it answers.
 */
export function openVault(options: VaultOptions): Vault {
  const { access, random } = options;
  const path = join(options.dataDir, VAULT_FILE);
  const loadKeyring = access.sessionBus === "present" ? (options.loadKeyring ?? loadDesktopKeyring) : async () => null;
  const file = createFileVault({ path, keyFile: join(options.stateDir, KEY_FILE), random, ...access });
  const service = createKeyringVault({ path, random, loadKeyring });
  const choose = async (): Promise<Vault> =>
    (await backendOf(path, loadKeyring)) === "secret_service" ? service : file;
  return {
    status: async () => (await choose()).status(),
    put: async (ref, secret) => (await choose()).put(ref, secret),
    get: async (ref) => (await choose()).get(ref),
    remove: async (ref) => (await choose()).remove(ref),
    list: async () => (await choose()).list(),
  };
}

async function backendOf(path: string, loadKeyring: () => Promise<Keyring | null>): Promise<VaultStatus["backend"]> {
  const document = loadDocument(path);
  // A damaged file is reported as such by either vault, and neither writes over it.
  if (!document.ok) return "encrypted_file";
  if (document.value !== null) return document.value.backend;
  return (await loadKeyring()) === null ? "encrypted_file" : "secret_service";
}
