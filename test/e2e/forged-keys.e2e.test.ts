import { createHash, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, databaseIn, type Home } from "./cli-process.ts";

/** Somebody who can write to `silas.db` and nothing else. */

type Doctor = { readonly checks: readonly { check: string; state: string; message: string }[] };
type Key = { readonly key_id: string; readonly public_key: string; readonly name: string };
type Entry = { seq: number; event: string; prev_hash: string; data: { [field: string]: unknown } };

const AT = "2026-11-15T21:00:00.000Z";
const TEXT = "I owe you nothing.\n";

let home: Home;
let file: string;
beforeEach(async () => {
  home = createHome();
  file = join(home.dir, "contract.txt");
  writeFileSync(file, TEXT);
  await home.silas(["init"]);
});
afterEach(() => home.remove());

function inDatabase(statement: string, values: readonly (string | number)[] = []): void {
  const db = databaseIn(home.dir);
  db.prepare(statement).run(...values);
  db.close();
}

const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");
const verify = (signature: string) => home.silas(["keys", "verify", file, "--signature", signature]);
const keysCheck = async () => {
  const { checks } = JSON.parse((await home.silas(["doctor", "--json"])).out) as Doctor;
  return checks.filter(({ check }) => check === "keys");
};

type Stranger = { readonly privateKey: KeyObject; readonly keyId: string; readonly raw: Buffer };

function makeStranger(): Stranger {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  return { privateKey, raw, keyId: sha256(raw).slice(0, 32) };
}

const signatureOf = ({ privateKey, keyId }: Stranger): string => {
  const statement = Buffer.from(`silas-file-v1\n${sha256(TEXT)}\n`);
  return `${keyId}:${sign(null, statement, privateKey).toString("hex")}`;
};

function addRow({ keyId, raw }: Stranger): void {
  inDatabase(
    `INSERT INTO owner_keys (key_id, public_key, name, kind, enrolled_at) VALUES (?, ?, 'This machine', 'vault', ?)`,
    [keyId, raw.toString("hex"), AT],
  );
}

function readEntries(): readonly Entry[] {
  const db = databaseIn(home.dir);
  const rows = db.prepare("SELECT entry FROM audit_entries ORDER BY seq").all();
  db.close();
  return rows.map(({ entry }) => JSON.parse(String(entry)) as Entry);
}

/** As an entry that follows the last one, with the hashes that it should have. */
function appendEntry(event: string, data: Entry["data"]): void {
  const last = readEntries().at(-1);
  const previous = sha256(JSON.stringify(last));
  const seq = (last?.seq ?? 0) + 1;
  const entry = JSON.stringify({ actor: { kind: "terminal" }, at: AT, data, event, prev_hash: previous, seq });
  inDatabase("INSERT INTO audit_entries (seq, entry, hash) VALUES (?, ?, ?)", [seq, entry, sha256(entry)]);
}

function forgeEnrolment(stranger: Stranger, signed: Entry["data"]): void {
  addRow(stranger);
  appendEntry("key_enrolled", { key_id: stranger.keyId, key_name: "This machine", ...signed });
}

test("[KEY-03] a key that was only written into the database signs nothing that counts, and doctor names it", async () => {
  expect(await keysCheck()).toMatchObject([{ state: "ok" }]);
  const stranger = makeStranger();
  addRow(stranger);
  expect(await verify(signatureOf(stranger))).toMatchObject({ code: 1, out: "" });
  expect(await keysCheck()).toMatchObject([{ state: "fail", message: expect.stringContaining(stranger.keyId) }]);
});

test("[KEY-01] [KEY-03] nor does one that was also entered into the chain, without a signature, with its own or a copied one", async () => {
  const own = (await home.json<{ keys: readonly Key[] }>(["keys", "list", "--json"])).keys[0];
  const enrolled = readEntries().find(({ event }) => event === "key_enrolled");
  const [unsigned, selfSigned, copied] = [makeStranger(), makeStranger(), makeStranger()];
  forgeEnrolment(unsigned, {});
  const { keyId, raw, privateKey } = selfSigned;
  const row = { enrolled_at: AT, key_id: keyId, kind: "vault", name: "This machine", public_key: raw.toString("hex") };
  const statement = Buffer.from(`silas-key-v1\n${JSON.stringify({ ...row, session_id: null })}`);
  forgeEnrolment(selfSigned, { signature: sign(null, statement, privateKey).toString("hex"), signed_by: keyId });
  forgeEnrolment(copied, { signature: enrolled?.data["signature"], signed_by: own?.key_id });
  expect(await home.silas(["audit", "verify", "--full"])).toMatchObject({ code: 0 });
  const [check] = await keysCheck();
  for (const stranger of [unsigned, selfSigned, copied]) {
    expect(await verify(signatureOf(stranger))).toMatchObject({ code: 1, out: "" });
    expect(check).toMatchObject({ state: "fail", message: expect.stringContaining(stranger.keyId) });
  }
  const signature = (await home.silas(["keys", "sign", file])).out.trim();
  expect(await verify(signature)).toMatchObject({ code: 0 });
});

test("[KEY-03] a revoked key that was made unrevoked in the database stays revoked", async () => {
  const signature = (await home.silas(["keys", "sign", file])).out.trim();
  expect(await verify(signature)).toMatchObject({ code: 0 });
  const [keyId = ""] = signature.split(":");
  await home.silas(["keys", "enrol", "Another"]);
  await home.silas(["keys", "revoke", keyId, "--yes"]);
  expect(await verify(signature)).toMatchObject({ code: 1 });
  inDatabase("UPDATE owner_keys SET revoked_at = NULL WHERE key_id = ?", [keyId]);
  expect(await verify(signature)).toMatchObject({ code: 1 });
  expect(await keysCheck()).toMatchObject([{ state: "fail", message: expect.stringContaining(keyId) }]);
});

/** The chain as it was written before enrolments were signed. */
function withoutSignatures(): void {
  const entries = readEntries();
  const db = databaseIn(home.dir);
  db.exec("DROP TRIGGER audit_entries_stay; BEGIN");
  let previous = "";
  for (const entry of entries) {
    const { signature: _signature, signed_by: _signedBy, ...data } = entry.data;
    const text = JSON.stringify({ ...entry, data, prev_hash: previous === "" ? entry.prev_hash : previous });
    previous = sha256(text);
    db.prepare("UPDATE audit_entries SET entry = ?, hash = ? WHERE seq = ?").run(text, previous, entry.seq);
  }
  db.exec(`CREATE TRIGGER audit_entries_stay BEFORE UPDATE ON audit_entries
    BEGIN SELECT RAISE(ABORT, 'audit entries are never changed'); END; COMMIT`);
  db.close();
}

test("[KEY-01] the vault vouches once for keys from before enrolments were signed, on record, and for none that come later", async () => {
  withoutSignatures();
  const signature = (await home.silas(["keys", "sign", file])).out.trim();
  expect(await verify(signature)).toMatchObject({ code: 0 });
  expect(await keysCheck()).toMatchObject([{ state: "ok" }]);
  const confirmations = () => readEntries().filter(({ data }) => data["countersigned"] === true);
  expect(confirmations()).toMatchObject([{ event: "key_enrolled", data: { key_id: signature.split(":")[0] } }]);
  expect((await home.silas(["activity"])).out).toContain("Confirmed the signing key This machine");
  const stranger = makeStranger();
  forgeEnrolment(stranger, {});
  expect(await verify(signatureOf(stranger))).toMatchObject({ code: 1, out: "" });
  expect(confirmations()).toHaveLength(1);
});

test("[KEY-01] the vault vouches for no key while the chain from before does not hold", async () => {
  withoutSignatures();
  const stranger = makeStranger();
  forgeEnrolment(stranger, {});
  const db = databaseIn(home.dir);
  db.exec("DROP TRIGGER audit_entries_remain; DELETE FROM audit_entries WHERE seq = 2");
  db.close();
  expect(await verify(signatureOf(stranger))).toMatchObject({ code: 1, out: "" });
  expect(await home.silas(["keys", "sign", file])).toMatchObject({ code: 1 });
  expect(readEntries().filter(({ data }) => data["countersigned"] === true)).toEqual([]);
});

test("[KEY-01] an owner whose vault was lost makes a new key that counts, and what the old one signed still counts", async () => {
  const old = (await home.silas(["keys", "sign", file])).out.trim();
  for (const place of ["data/vault.json", "state/vault.key"]) rmSync(join(home.dir, place));
  expect(await home.silas(["keys", "sign", file])).toMatchObject({ code: 1 });
  expect(await home.silas(["keys", "enrol", "New machine"])).toMatchObject({ code: 0 });
  const signature = (await home.silas(["keys", "sign", file])).out.trim();
  expect(signature.split(":")[0]).not.toBe(old.split(":")[0]);
  for (const one of [old, signature]) expect(await verify(one)).toMatchObject({ code: 0 });
  expect(await keysCheck()).toMatchObject([{ state: "ok" }]);
});
