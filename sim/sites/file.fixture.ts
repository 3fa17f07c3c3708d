import { createPrivateKey, sign } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { assert, canonicalJson, sha256Hex } from "#base";
import {
  approvalTokenSchema,
  approvalTokenToWire,
  SIGNING_KEY_NAME,
  secretRefSchema,
  tokenSigningBytes,
  type ApprovalToken,
} from "#model";
import type { Vault } from "#ports";

/** The file as somebody sees it who can write to it, and who even has the owner's key. */
export type File = { readonly path: string; readonly vault: Pick<Vault, "get"> };

/** What may become of an approval between the moment it was given and the moment something stands on it. */
export const DAMAGES = ["taken away", "used up", "of another content", "of another site"] as const;
export type Damage = (typeof DAMAGES)[number];

export async function damage(file: File, { tokenId, how }: { readonly tokenId: string; readonly how: Damage }) {
  const row = inFile(file, (database) =>
    database.prepare("SELECT nonce, token FROM approval_tokens WHERE token_id = ?").get(tokenId),
  );
  assert(row !== undefined, "there is an approval to damage");
  const nonce = String(row["nonce"]);
  const changed =
    how === "taken away" || how === "used up" ? null : await signedAnew(file, { text: String(row["token"]), how });
  inFile(file, (database) => {
    database.exec("PRAGMA foreign_keys = OFF");
    for (const table of ["approval_tokens", "approval_uses"])
      for (const guard of ["stay", "remain"]) database.exec(`DROP TRIGGER IF EXISTS ${table}_${guard}`);
    if (how === "taken away") {
      database.prepare("DELETE FROM approval_uses WHERE nonce = ?").run(nonce);
      database.prepare("DELETE FROM approval_tokens WHERE token_id = ?").run(tokenId);
    } else if (changed === null) {
      database
        .prepare("INSERT INTO attempt_lineages SELECT 'another', 'another', ?, 'granted', '2026-11-10T09:00:00.000Z'")
        .run(sha256Hex("another"));
      database
        .prepare(
          `INSERT INTO approval_uses SELECT ?, count(*) + 1, ?, 'another', '2026-11-10T09:00:00.000Z'
           FROM approval_uses WHERE nonce = ?`,
        )
        .run(nonce, sha256Hex("another"), nonce);
    } else {
      database
        .prepare("UPDATE approval_tokens SET token = ?, plan_hash = ? WHERE token_id = ?")
        .run(changed.text, changed.planHash, tokenId);
    }
  });
}

type Changing = { readonly text: string; readonly how: Damage };

/** Signed by the owner's own key: nothing but what it says is wrong with it. */
async function signedAnew(
  { vault }: File,
  { text, how }: Changing,
): Promise<{ readonly text: string; readonly planHash: string }> {
  const token = approvalTokenSchema.parse(JSON.parse(text));
  const about: Partial<ApprovalToken> =
    how === "of another content"
      ? { planHash: sha256Hex("another") }
      : { scope: token.scope === "tool_type" ? "single_step" : "tool_type", conditions: {} };
  const changed = { ...token, ...about };
  const seed = await vault.get(secretRefSchema.parse(SIGNING_KEY_NAME));
  assert(seed.ok, "the key is in the vault");
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed.value]), format: "der", type: "pkcs8" });
  const signature = new Uint8Array(sign(null, Buffer.from(tokenSigningBytes(changed)), key));
  const wire = canonicalJson(approvalTokenToWire({ ...changed, signature }));
  assert(wire.ok, "a token has canonical bytes");
  return { text: wire.value, planHash: changed.planHash };
}
/** What stands before the seed of an Ed25519 key in a file of its own. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

export function inFile<T>({ path }: Pick<File, "path">, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path);
  try {
    return look(database);
  } finally {
    database.close();
  }
}

/** How often an approval was used, by its rows and by the chain. */
export const usesOf = (file: Pick<File, "path">, tokenId: string): readonly [rows: number, told: number] =>
  inFile(file, (database) => {
    const rows = database
      .prepare(
        "SELECT count(*) AS uses FROM approval_uses u JOIN approval_tokens t ON t.nonce = u.nonce WHERE t.token_id = ?",
      )
      .get(tokenId);
    const told = database
      .prepare(
        `SELECT count(*) AS uses FROM audit_entries WHERE event IN ('approval_granted', 'approval_used')
           AND json_extract(entry, '$.data.token_id') = ?`,
      )
      .get(tokenId);
    return [Number(rows?.["uses"]), Number(told?.["uses"])];
  });

/** Every approval of a decision, in the order they were given. */
export const tokensOf = (file: Pick<File, "path">, requestId: string): readonly string[] =>
  inFile(file, (database) =>
    database
      .prepare("SELECT token_id FROM decision_tokens WHERE request_id = ? ORDER BY position")
      .all(requestId)
      .map((row) => String(row["token_id"])),
  );

export type Told = { readonly event: string; readonly data: Readonly<Record<string, unknown>> };

/** What the chain tells, from an entry on. */
export const toldSince = (file: Pick<File, "path">, seq: number): readonly Told[] =>
  inFile(file, (database) =>
    database
      .prepare("SELECT entry FROM audit_entries WHERE seq > ? ORDER BY seq")
      .all(seq)
      .map((row) => JSON.parse(String(row["entry"])) as Told),
  );
export const lastSeq = (file: Pick<File, "path">): number =>
  inFile(file, (database) => Number(database.prepare("SELECT max(seq) AS seq FROM audit_entries").get()?.["seq"] ?? 0));
