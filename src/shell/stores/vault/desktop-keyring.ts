/** The desktop's keyring as this room needs it: one secret per account. Everything may reject. */
export type Keyring = {
  set(account: string, secret: Uint8Array): Promise<void>;
  /** Null when there is none. */
  get(account: string): Promise<Uint8Array | null>;
  remove(account: string): Promise<void>;
};

const SERVICE = "silas";
const PROBE = "probe";

/**
 * The secret service of this session; null where none answers. The store is pinned: left to itself the library would
 * silently use the kernel's keyring, which forgets everything at restart.
 */
export async function loadDesktopKeyring(): Promise<Keyring | null> {
  try {
    const { AsyncEntry } = await import("@napi-rs/keyring");
    const entry = (account: string) => new AsyncEntry(SERVICE, account, { linux: { store: "secret-service" } });
    await entry(PROBE).getSecret();
    return {
      set: (account, secret) => entry(account).setSecret(secret),
      get: async (account) => {
        const secret = await entry(account).getSecret();
        return secret === null ? null : Uint8Array.from(secret);
      },
      remove: async (account) => void (await entry(account).deleteCredential()),
    };
  } catch {
    // No library for this platform, no service on the bus, or a collection that stays locked: all mean "not here".
    return null;
  }
}
