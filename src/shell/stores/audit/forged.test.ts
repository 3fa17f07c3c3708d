import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { AuditBreak, AuditRow, HeadKey, KeyId, SignatureHex } from "#model";
import { must, tempDir } from "../store.fixture.ts";
import { createHeadsFile } from "./heads.ts";
import { openAuditReader, renewHeads } from "./open-beside.ts";
import { createAuditReader } from "./read.ts";
import {
  CHECKPOINT_EVERY,
  draftAt,
  ENTRIES,
  makeHeadKey,
  makeSignedChain,
  MARKED_AT,
  openBare,
  readableOf,
  signedRules as rules,
} from "./signed-chain.fixture.ts";

const whole = mkdtempSync(join(tmpdir(), "silas-forged-"));
let dataDir = "";
let owner: HeadKey;

beforeAll(async () => {
  owner = (await makeSignedChain(whole)).key;
});
beforeEach(() => {
  dataDir = tempDir();
  cpSync(whole, dataDir, { recursive: true });
});
afterAll(() => rmSync(whole, { recursive: true, force: true }));

/** How a forger fills in the heads of a chain made anew. */
type Forging = {
  readonly keyId: KeyId | null;
  readonly sign: HeadKey["sign"] | null;
};

/** Writes every entry, checkpoint and head anew and consistently, with other content: all that can be done with the files. */
function rewriteAll(db: DatabaseSync, { keyId, sign }: Forging): void {
  db.exec("BEGIN; DELETE FROM audit_entries; DELETE FROM audit_checkpoints");
  rmSync(join(dataDir, "audit-heads.jsonl"));
  const heads = createHeadsFile(dataDir);
  let head: Pick<AuditRow, "seq" | "hash"> = rules.genesis;
  for (let seq = 1; seq <= ENTRIES; seq += 1) {
    const isMark = seq % CHECKPOINT_EVERY === 0;
    const checkpointId = `checkpoint-${seq}`;
    const data = { checkpoint_id: checkpointId, key_id: keyId };
    const mark = { event: "audit_checkpoint", data, at: MARKED_AT, actor: { kind: "system" } } as const;
    const row = must(rules.seal(head, isMark ? mark : draftAt(seq + 50_000)));
    db.prepare("INSERT INTO audit_entries (seq, entry, hash) VALUES (?, ?, ?)").run(seq, row.text, row.hash);
    head = { seq, hash: row.hash };
    if (!isMark) continue;
    const statement = { ...head, checkpointId, at: MARKED_AT };
    const signature = sign === null || keyId === null ? null : sign({ ...statement, keyId });
    db.prepare("INSERT INTO audit_checkpoints (checkpoint_id, seq, hash, signature) VALUES (?, ?, ?, ?)").run(
      checkpointId,
      seq,
      row.hash,
      signature,
    );
    heads.append({ ...statement, keyId, signature });
  }
  db.exec("COMMIT");
}

/** The file with its triggers gone, and what a look at all of it and at its end alone finds. */
function inHand() {
  const db = openBare(dataDir);
  onTestFinished(() => db.close());
  const reader = createAuditReader({ db: readableOf(db), rules, heads: createHeadsFile(dataDir) });
  const found = async (): Promise<readonly (AuditBreak["code"] | null)[]> => {
    const codes: (AuditBreak["code"] | null)[] = [];
    for (const from of ["genesis", "latest"] as const) {
      const verdict = must(await reader.verify(from));
      codes.push(verdict.valid ? null : verdict.broken.code);
    }
    return codes;
  };
  return { db, found };
}

const both = (code: AuditBreak["code"]): readonly AuditBreak["code"][] => [code, code];

describe("a chain written anew, with all its checkpoints and heads, by somebody without the owner's key", () => {
  test("[AUD-04] is betrayed by the signatures it cannot have", async () => {
    const { db, found } = inHand();
    expect(await found()).toEqual([null, null]);
    rewriteAll(db, { keyId: owner.keyId, sign: null });
    expect(await found()).toEqual(both("head_signature_missing"));
    const stranger = makeHeadKey();
    rewriteAll(db, { keyId: owner.keyId, sign: stranger.key.sign });
    expect(await found()).toEqual(both("head_signature_invalid"));
    rewriteAll(db, { keyId: owner.keyId, sign: () => "0".repeat(128) as SignatureHex });
    expect(await found()).toEqual(both("head_signature_invalid"));
  });

  test("[AUD-04] is betrayed when it names no key, or one that is not the owner's", async () => {
    const { db, found } = inHand();
    rewriteAll(db, { keyId: null, sign: null });
    expect(await found()).toEqual(both("heads_unsigned"));
    const stranger = makeHeadKey();
    rewriteAll(db, { keyId: stranger.key.keyId, sign: stranger.key.sign });
    expect(await found()).toEqual(both("head_key_unknown"));
    // Another public key under the owner's id is no key of the owner.
    rewriteAll(db, { keyId: owner.keyId, sign: stranger.key.sign });
    db.prepare("UPDATE owner_keys SET public_key = ?").run(stranger.owner.publicKey);
    expect(await found()).toEqual(both("head_key_unknown"));
  });

  test("[AUD-04] old signatures do not fit it", async () => {
    const { db, found } = inHand();
    const kept = db.prepare("SELECT seq, signature FROM audit_checkpoints").all() as {
      seq: number;
      signature: string;
    }[];
    const bySeq = new Map(kept.map(({ seq, signature }) => [seq, signature as SignatureHex]));
    rewriteAll(db, { keyId: owner.keyId, sign: ({ seq }) => bySeq.get(seq) ?? ("" as SignatureHex) });
    expect(await found()).toEqual(both("head_signature_invalid"));
  });
});

test("[AUD-03] a signature taken away on one side alone shows on either", async () => {
  const { db, found } = inHand();
  db.exec("BEGIN; UPDATE audit_checkpoints SET signature = NULL WHERE seq = 500");
  expect(await found()).toEqual(["head_signature_missing", null]);
  db.exec("ROLLBACK");
  const path = join(dataDir, "audit-heads.jsonl");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace(/("key_id":)"[0-9a-f]+"(,"seq":500,"signature":)"[0-9a-f]+"/, "$1null$2null"));
  expect(await found()).toEqual(["head_differs", null]);
});

test("[AUD-04] a chain put back from a copy gets the heads it was signed with, and none that were not", async () => {
  const path = join(dataDir, "audit-heads.jsonl");
  const before = readFileSync(path, "utf8");
  writeFileSync(path, "of another chain\n");
  must(renewHeads({ dataDir, rules }, MARKED_AT));
  expect(readFileSync(path, "utf8")).toBe(before);
  const aside = readdirSync(dataDir).filter((name) => name.startsWith("audit-heads.jsonl.replaced-"));
  expect(aside.map((name) => readFileSync(join(dataDir, name), "utf8"))).toEqual(["of another chain\n"]);
  const reader = must(openAuditReader({ dataDir, rules }));
  onTestFinished(() => reader.close());
  expect(must(await reader.verify("genesis"))).toMatchObject({ valid: true, headsSigned: ENTRIES / CHECKPOINT_EVERY });
});
