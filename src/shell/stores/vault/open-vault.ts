import { join } from "node:path";
import type { SecretText, VaultStatus } from "#model";
import type { Randomness, Vault } from "#ports";
import { createFileVault } from "./file-vault.ts";
import { loadDesktopKeyring, type Keyring } from "./desktop-keyring.ts";
import { createKeyringVault } from "./keyring-vault.ts";
import { loadDocument, VAULT_FILE } from "./vault-document.ts";

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
