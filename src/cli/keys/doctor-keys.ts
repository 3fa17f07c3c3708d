import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "#config";
import { SIGNING_KEY_NAME, wordPartsFor, type KeysReport, type VaultStatus } from "#model";
import { reachSilas } from "../client/door.ts";
import type { Finding } from "../house/doctor.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { createHttpKeys } from "./http-keys.ts";

type Subject = {
  readonly environment: Environment;
  readonly setup: { readonly paths: { readonly dataDir: string } };
  /** What was found about directories, files and databases; nothing is opened that a start would refuse or repair. */
  readonly places: readonly Finding[];
};

/** Which vault is in use and whether it opens; whether the signing key is there, enrolled, signs and is checked. */
export async function checkKeys({ environment, setup, places }: Subject): Promise<readonly Finding[]> {
  if (!existsSync(join(setup.paths.dataDir, "silas.db"))) {
    return [{ check: "vault", state: "warn", message: "there is none yet", fix: "silas init" }];
  }
  if (places.some(({ check, state }) => check !== "dates" && state !== "ok")) {
    const message = "not looked at until the files are in order";
    return [
      {
        check: "vault",
        state: "warn",
        message,
        fix: "repair what is said about directories, files and databases first",
      },
    ];
  }
  try {
    const report = await loadReport(environment);
    return [vaultFinding(report.vault), signingFinding(report), recordFinding(report)];
  } catch (failure) {
    if (!(failure instanceof CommandFailure)) throw failure;
    const { what, next = "silas stop, then run this again" } = failure.words;
    return [{ check: "vault", state: "fail", message: what, fix: next }];
  }
}

async function loadReport(environment: Environment): Promise<KeysReport> {
  const silas = await reachSilas({ environment, askPassphrase: async () => null });
  if (silas.kind === "instance") return createHttpKeys(silas.address).report({ kind: "terminal" });
  try {
    return await silas.app.keys.report({ kind: "terminal" });
  } finally {
    await silas.app.close();
  }
}

const OPENED_BY = { passphrase: ", opened by a passphrase", key_file: ", opened by its key file" } as const;

function vaultFinding(vault: VaultStatus): Finding {
  const check = "vault";
  const kind = vault.backend === "secret_service" ? "secret service" : "encrypted file";
  const message = `${kind}${vault.opensWith === null ? "" : OPENED_BY[vault.opensWith]}`;
  if (vault.state === "unlocked") return { check, state: "ok", message, fix: null };
  if (vault.state === "empty") return { check, state: "warn", message: `${kind}, empty`, fix: "silas init" };
  return refused(check, { code: vault.state, vault });
}

function signingFinding({ vault, signing }: KeysReport): Finding {
  const check = "signing key";
  if (signing.state === "refused") return refused(check, { code: signing.code, vault });
  return { check, state: "ok", message: `${signing.keyId} is enrolled and signs`, fix: null };
}

/** A key that was written into the database by somebody else than Silas. */
function recordFinding({ offRecord }: KeysReport): Finding {
  const check = "keys";
  if (offRecord.length === 0) return { check, state: "ok", message: "each was signed by a key of yours", fix: null };
  const message = `none of your keys vouches for ${offRecord.join(", ")}; its signatures do not count`;
  return { check, state: "fail", message, fix: "find out who can write to the data directory, then silas restore" };
}

/** The shared words, with the facts a report has: the code, and what would open the vault. */
function refused(check: string, { code, vault }: { readonly code: string; readonly vault: VaultStatus }): Finding {
  const facts = {
    missing: vault.opensWith,
    reason: "it does not open",
    ref: SIGNING_KEY_NAME,
    keyId: "in the vault",
  };
  const { what, next } = wordPartsFor({ code, ...facts });
  return { check, state: "fail", message: what, fix: next === "" ? "silas logs" : next };
}
