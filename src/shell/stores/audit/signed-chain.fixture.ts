import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sha256Hex, type Instant } from "#base";
import {
  enrolmentStatement,
  headStatement,
  type AuditDraft,
  type AuditHead,
  type AuditHeadKey,
  type AuditRow,
  type AuditRules,
  type HeadKey,
  type KeyId,
  type OwnerKey,
  type PublicKeyHex,
  type SignatureHex,
  type SignedHead,
} from "#model";
import { createAuditRules, type CheckSignature } from "#policy";
import type { KeyEnrolling } from "#ports";
import { openRuntime } from "../open-stores.ts";
import { AT, countingRandom, fixedClock, must } from "../store.fixture.ts";

const { createPublicKey, generateKeyPairSync, hash, sign, verify } = process.getBuiltinModule("node:crypto");

const SPKI_LEAD = Buffer.from("302a300506032b6570032100", "hex");

/** The answers are kept: a sweep asks about the same few thousand texts and signatures again and again. */
function remembered<A extends string, T>(ask: (text: A) => T): (text: A) => T {
  const known = new Map<A, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const answer = ask(text);
    if (known.size < 5_000) known.set(text, answer);
    return answer;
  };
}

const check: CheckSignature = ({ publicKey, text, signature }) => {
  const spki = Buffer.concat([SPKI_LEAD, Buffer.from(publicKey, "hex")]);
  const key = createPublicKey({ key: spki, format: "der", type: "spki" });
  return /^[0-9a-f]{128}$/.test(signature) && verify(null, Buffer.from(text), key, Buffer.from(signature, "hex"));
};

const sha256 = remembered((text: string): string => hash("sha256", text));

const plainRules = createAuditRules(sha256, check);
const judged = remembered((asked: string) => {
  const { head, keys } = JSON.parse(asked) as { head: SignedHead; keys: readonly AuditHeadKey[] };
  return { broken: plainRules.judgeHead(head, keys) };
});
const parsed = new WeakMap<AuditRow, ReturnType<AuditRules["parse"]>>();
const sound = new WeakMap<AuditRow, { readonly after: AuditHead; readonly verdict: ReturnType<AuditRules["judge"]> }>();

/** The rules with the machine's own hash and signature check, each answer found once. */
export const signedRules: AuditRules = {
  ...plainRules,
  judgeHead: (head, keys) => judged(JSON.stringify({ head, keys })).broken,
  judge(after, row) {
    const known = sound.get(row);
    if (known?.after.seq === after.seq && known.after.hash === after.hash) return known.verdict;
    const verdict = plainRules.judge(after, row);
    // What was changed is another row each time, and judged each time.
    if (verdict.ok) sound.set(row, { after, verdict });
    return verdict;
  },
  parse(row) {
    const known = parsed.get(row) ?? plainRules.parse(row);
    parsed.set(row, known);
    return known;
  },
};

/** A key of the owner with its private half in hand. */
export function makeHeadKey(enrolledAt: Instant = AT): {
  readonly owner: OwnerKey;
  readonly enrolling: KeyEnrolling;
  readonly key: HeadKey;
} {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(SPKI_LEAD.length);
  const keyId = sha256Hex(raw).slice(0, 32) as KeyId;
  const owner: OwnerKey = {
    keyId,
    publicKey: raw.toString("hex") as PublicKeyHex,
    name: "This machine",
    kind: "vault",
    sessionId: null,
    enrolledAt,
    revokedAt: null,
    lastUsedAt: null,
  };
  const signText = (text: string) => sign(null, Buffer.from(text), privateKey).toString("hex") as SignatureHex;
  return {
    owner,
    enrolling: { actor: { kind: "system" }, signed: { keyId, signature: signText(enrolmentStatement(owner)) } },
    key: {
      keyId,
      sign: (head) => signText(headStatement(head)),
      forget: () => {},
    },
  };
}

export const ENTRIES = 1_000;
export const CHECKPOINT_EVERY = 20;
export const MARKED_AT = "2026-11-15T08:10:00.000Z" as Instant;

export function draftAt(index: number): AuditDraft {
  const sessionId = `0192f0c1-7a3b-7c11-9e55-${String(index).padStart(12, "0")}`;
  const data = { session_id: sessionId, device_name: `Firefox on Linux ${index} größer` };
  return { event: "device_enrolled", data, at: AT, actor: { kind: "owner", session_id: sessionId } };
}

/** A thousand entries by the store itself, every twentieth a signed head. The first is the enrolment of the key. */
export async function makeSignedChain(dataDir: string) {
  const { owner, enrolling, key } = makeHeadKey();
  const opened = must(
    await openRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules: signedRules }),
  );
  const { audit } = opened;
  must(await opened.keys.add(owner, enrolling));
  for (let mark = CHECKPOINT_EVERY; mark <= ENTRIES; mark += CHECKPOINT_EVERY) {
    const first = must(await audit.head()).seq + 1;
    const drafts = Array.from({ length: mark - first }, (_, index) => draftAt(first + index));
    for (const appended of await Promise.all(drafts.map(audit.append))) must(appended);
    must(await audit.checkpoint({ checkpointId: `checkpoint-${mark}`, at: MARKED_AT, key }));
  }
  opened.close();
  return { owner, key };
}

/** The file as somebody who has it in hand would change it: SQLite itself would refuse text that is not JSON any more. */
export function openBare(dataDir: string): DatabaseSync {
  const db = new DatabaseSync(join(dataDir, "silas.db"));
  db.exec(`CREATE TABLE bare (seq INTEGER PRIMARY KEY, entry TEXT, hash TEXT);
    INSERT INTO bare SELECT seq, entry, hash FROM audit_entries;
    DROP TABLE audit_entries;
    ALTER TABLE bare RENAME TO audit_entries`);
  return db;
}

export function readableOf(db: DatabaseSync) {
  return {
    get: <Row>(sql: string, params = {}) => (db.prepare(sql).get(params) as Row | undefined) ?? null,
    all: <Row>(sql: string, params = {}) => db.prepare(sql).all(params) as Row[],
    columns: <Row>(sql: string, params = {}) => {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(params) as unknown[] as Row[];
    },
    close: () => db.close(),
  };
}
