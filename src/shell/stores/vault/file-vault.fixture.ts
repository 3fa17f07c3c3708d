import { join } from "node:path";
import { secretText, type SecretRef } from "#model";
import type { Randomness, Vault } from "#ports";
import { createFileVault } from "./file-vault.ts";
import type { Derive } from "./vault-seal.ts";

const { randomBytes } = process.getBuiltinModule("node:crypto");

const random: Randomness = { bytes: (count) => randomBytes(count) };
export const ref = (name: string): SecretRef => name as SecretRef;

type Opening = {
  readonly passphrase?: string;
  readonly typed?: string;
  readonly random?: Randomness;
  readonly derive?: Derive;
};

/** The vault of a directory, its key file beside it in `state`. */
export function openFile(dir: string, opening: Opening = {}): Vault {
  return createFileVault({
    path: join(dir, "vault.json"),
    keyFile: join(dir, "state", "vault.key"),
    passphrase: secretText(opening.passphrase ?? null),
    askPassphrase: async () => secretText(opening.typed ?? null),
    random: opening.random ?? random,
    ...(opening.derive && { derive: opening.derive }),
  });
}
