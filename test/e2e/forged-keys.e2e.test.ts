import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, databaseIn, type Home } from "./cli-process.ts";

/** Somebody who can write to `silas.db` and nothing else. */

type Doctor = { readonly checks: readonly { check: string; state: string; message: string }[] };

let home: Home;
let file: string;
beforeEach(() => {
  home = createHome();
  file = join(home.dir, "contract.txt");
  writeFileSync(file, "I owe you nothing.\n");
});
afterEach(() => home.remove());

function inDatabase(statement: string, values: readonly string[]): void {
  const db = databaseIn(home.dir);
  db.prepare(statement).run(...values);
  db.close();
}

const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");
const verify = (signature: string) => home.silas(["keys", "verify", file, "--signature", signature]);
const strangers = async () => {
  const { checks } = JSON.parse((await home.silas(["doctor", "--json"])).out) as Doctor;
  return checks.filter(({ check }) => check === "keys");
};

test("[KEY-03] a key that was only written into the database signs nothing that counts, and doctor names it", async () => {
  await home.silas(["init"]);
  expect(await strangers()).toMatchObject([{ state: "ok" }]);
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const keyId = sha256(raw).slice(0, 32);
  inDatabase(
    `INSERT INTO owner_keys (key_id, public_key, name, kind, enrolled_at) VALUES (?, ?, 'This machine', 'vault', ?)`,
    [keyId, raw.toString("hex"), "2026-11-15T21:00:00.000Z"],
  );
  const statement = Buffer.from(`silas-file-v1\n${sha256("I owe you nothing.\n")}\n`);
  const forged = await verify(`${keyId}:${sign(null, statement, privateKey).toString("hex")}`);
  expect(forged).toMatchObject({ code: 1, out: "" });
  expect(await strangers()).toMatchObject([{ state: "fail", message: expect.stringContaining(keyId) }]);
});

test("[KEY-03] a revoked key that was made unrevoked in the database stays revoked", async () => {
  await home.silas(["init"]);
  const signature = (await home.silas(["keys", "sign", file])).out.trim();
  expect(await verify(signature)).toMatchObject({ code: 0 });
  const [keyId = ""] = signature.split(":");
  await home.silas(["keys", "enrol", "Another"]);
  await home.silas(["keys", "revoke", keyId, "--yes"]);
  expect(await verify(signature)).toMatchObject({ code: 1 });
  inDatabase("UPDATE owner_keys SET revoked_at = NULL WHERE key_id = ?", [keyId]);
  expect(await verify(signature)).toMatchObject({ code: 1 });
  expect(await strangers()).toMatchObject([{ state: "fail", message: expect.stringContaining(keyId) }]);
});
