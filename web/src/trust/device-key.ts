import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import { sha256Hex } from "#base";
import { signatureToHex, type KeyId, type PublicKeyHex } from "#model";

/**
 * The key pair of this browser for one session. The private half cannot be read out, by this page neither: the browser
 * keeps it and signs with it. It is in a database of its own, so that dropping the copy of the journal never drops it.
 */
export type DeviceKey = {
  readonly sessionId: string;
  readonly publicKey: PublicKeyHex;
  readonly keyId: KeyId;
  readonly pair: CryptoKeyPair;
};

interface KeyDatabase extends DBSchema {
  deviceKeys: { key: string; value: DeviceKey };
}

const ALGORITHM = { name: "Ed25519" } as const;
let opened: Promise<IDBPDatabase<KeyDatabase>> | null = null;

function keyDatabase(): Promise<IDBPDatabase<KeyDatabase>> {
  opened ??= openDB<KeyDatabase>("silas-keys", 1, {
    upgrade: (db) => void db.createObjectStore("deviceKeys", { keyPath: "sessionId" }),
    terminated: () => {
      opened = null;
    },
  });
  return opened;
}

let isAble: Promise<boolean> | null = null;

/**
 * Browsers before 2025 cannot make such a key, none can on a page without HTTPS that is not on this machine, and some
 * keep nothing in a private window.
 */
export const canKeepKeys = (): Promise<boolean> => (isAble ??= tryKeys());

async function tryKeys(): Promise<boolean> {
  try {
    await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]);
    await keyDatabase();
    return true;
  } catch {
    return false;
  }
}

export async function loadDeviceKey(sessionId: string): Promise<DeviceKey | null> {
  return (await (await keyDatabase()).get("deviceKeys", sessionId)) ?? null;
}

/** The key of this session, made now if there is none. Of two tabs that make one at once, both get the first. */
export async function ensureDeviceKey(sessionId: string): Promise<DeviceKey> {
  const kept = await loadDeviceKey(sessionId);
  if (kept !== null) return kept;
  // Made before the transaction: IndexedDB ends one that waits for anything else.
  const made = await makeDeviceKey(sessionId);
  const transaction = (await keyDatabase()).transaction("deviceKeys", "readwrite");
  const first = (await transaction.store.get(sessionId)) ?? made;
  await transaction.store.put(first);
  await transaction.done;
  return first;
}

/** A key that was revoked is never enrolled again: this makes room for another. */
export async function dropDeviceKey(sessionId: string): Promise<void> {
  await (await keyDatabase()).delete("deviceKeys", sessionId);
}

/** Keys of sessions that have ended are of no use to anybody. */
export async function dropOtherKeys(sessionId: string): Promise<void> {
  const db = await keyDatabase();
  const others = (await db.getAllKeys("deviceKeys")).filter((each) => each !== sessionId);
  for (const each of others) await db.delete("deviceKeys", each);
}

/** The text must say by its own first line what kind of statement it is. */
export async function signText({ pair }: DeviceKey, text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign(ALGORITHM, pair.privateKey, new TextEncoder().encode(text)));
}

async function makeDeviceKey(sessionId: string): Promise<DeviceKey> {
  const pair = (await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"])) as CryptoKeyPair;
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const publicKey = signatureToHex(raw) as string as PublicKeyHex;
  return { sessionId, publicKey, keyId: sha256Hex(raw).slice(0, 32) as KeyId, pair };
}
