import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { KeyObject } from "node:crypto";
import { canonicalJson, uuidV7, type Result } from "../src/core/base/index.ts";
import {
  approvalTokenToWire,
  enrolmentStatement,
  tokenSigningBytes,
  type ApprovalDecision,
  type ApprovalToken,
  type KeptRequest,
  type OwnerKey,
  type SignatureHex,
} from "../src/core/model/index.ts";
import { createAuditRules, judgeVerify, mintTokens } from "../src/core/policy/index.ts";
import { parseYaml } from "../src/config/index.ts";
import type { ApprovalsDoor } from "../src/shell/ports.ts";
import {
  createApprovalsDoor,
  createKeysDoor,
  createSigner,
  keyIdOf,
  systemClock,
  systemEd25519,
  systemRandomness,
  systemSha256,
} from "../src/shell/runtime/index.ts";
import { createMemoryVault, openRuntime } from "../src/shell/stores/index.ts";
import { NO_PASSKEYS, NO_SKILLS, NOTHING_FOLLOWS } from "../sim/index.ts";
import type { Line } from "./measure.ts";
import { importPeer } from "./peers.ts";
import { makeDir, ROOT, whenMeasured } from "./places.ts";

// Node's own: what the peer and the bare primitive are made of.
const { generateKeyPairSync, randomBytes, sign, verify } = process.getBuiltinModule("node:crypto");

const DECISIONS = 60;
const BARE = 400;

/**
 * An approval from the answer to its first use: judged, minted, signed, verified with the registered key, used and
 * recorded in one commit. The bare primitive signs, verifies and keeps a nonce, waiting for the disk each time; the peer
 * keeps nothing. The whole way through the door of the terminal also reads the plan afresh and records the use of the
 * key; its vault is in memory here, since stretching the key is the vault's own price.
 */
export async function lines(): Promise<readonly Line[]> {
  const product = await makeProduct();
  const limit = makeBare();
  const peer = await makeJose();
  return [
    {
      what: "issue an approval and use it",
      unit: "cpu us",
      product: () => product.issueMany(),
      limit: () => limit.signVerifyKeep(),
      peer: () => peer.signAndVerify(),
      goals: [
        { against: "limit", compare: "speed_at_least", factor: 0.85 },
        { against: "peer", compare: "speed_at_least", factor: 2.2 },
      ],
    },
    {
      what: "decide at the terminal, all of it",
      unit: "cpu us",
      product: () => product.decideMany(),
      limit: () => limit.signVerifyKeep(),
      peer: null,
      goals: [],
    },
    {
      what: "propose a plan: read, project, weigh, keep",
      unit: "cpu us",
      product: () => product.proposeMany(),
      limit: null,
      peer: null,
      goals: [],
    },
  ];
}

const EXAMPLE = readFileSync(join(ROOT, "docs/examples/tidy-notes.md"), "utf8");
const OWNER = { kind: "terminal" } as const;
const SETTINGS = {
  timeoutMs: 600_000,
  ttlMs: 600_000,
  maxExecutions: 1,
  standingUsesMax: 10,
  undoWindowSeconds: 300,
  fatigueDecisions: 10,
};

async function makeProduct() {
  const auditRules = createAuditRules(systemSha256, systemEd25519);
  const dataDir = join(makeDir(), "data");
  const stores = must(await openRuntime({ dataDir, clock: systemClock, random: systemRandomness, auditRules }));
  whenMeasured(() => stores.close());
  const deps = { registry: stores.keys, clock: systemClock, vault: createMemoryVault({ fault: null }) };
  const signer = createSigner(deps);
  must(await createKeysDoor({ ...deps, signer, randomness: systemRandomness, audit: stores.audit }).prepare());
  const door = createApprovalsDoor({
    ...deps,
    store: stores.approvals,
    audit: stores.audit,
    runs: stores.work,
    signer,
    randomness: systemRandomness,
    readYaml: parseYaml,
    settings: SETTINGS,
    passkeys: NO_PASSKEYS,
    skills: NO_SKILLS,
    ...NOTHING_FOLLOWS,
  });
  const owner = await enrolOwner(stores);
  let plans = 0;
  const propose = async (): Promise<KeptRequest> => {
    plans += 1;
    const id = `task-0190f8a2-6c1e-7b44-9d0e-${String(plans).padStart(12, "0")}`;
    return must(await door.propose(EXAMPLE.replace(/^id: .*$/m, `id: ${id}`), OWNER)).request;
  };
  return {
    proposeMany: () => cpuMicros(DECISIONS, () => eachTime(DECISIONS, propose).then((made) => declineAll(door, made))),
    async issueMany(): Promise<number> {
      const pending = await propose();
      const issued = await cpuMicros(BARE, () => issueAndUse({ pending, stores, owner }));
      await declineAll(door, [pending]);
      return issued;
    },
    async decideMany(): Promise<number> {
      const requests = await eachTime(DECISIONS, propose);
      return cpuMicros(DECISIONS, async () => {
        for (const { requestId, planHash: shownHash } of requests) {
          const friction = ["tap", "confirm"] as const;
          must(await door.decide({ requestId, verdict: "approved", shownHash, friction, actor: OWNER }));
        }
      });
    },
  };
}

type Runtime = Extract<Awaited<ReturnType<typeof openRuntime>>, { ok: true }>["value"];
type Owner = { readonly key: OwnerKey; readonly privateKey: KeyObject };

/** A key whose private half is outside, as a browser's is. */
async function enrolOwner({ keys }: Runtime): Promise<Owner> {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex") as OwnerKey["publicKey"];
  const enrolledAt = systemClock.now();
  const times = { enrolledAt, revokedAt: null, lastUsedAt: null };
  const key: OwnerKey = {
    keyId: keyIdOf(raw),
    publicKey: raw,
    name: "Bench",
    kind: "vault",
    sessionId: null,
    ...times,
  };
  const signature = sign(null, Buffer.from(enrolmentStatement(key)), privateKey).toString("hex") as SignatureHex;
  must(await keys.add(key, { actor: OWNER, signed: { keyId: key.keyId, signature } }));
  return { key, privateKey };
}

const DECIDED = { verdict: "approved", approvalStrength: "tap", signature: null, conditions: {} } as const;

type Issuing = { readonly pending: KeptRequest; readonly stores: Runtime; readonly owner: Owner };

async function issueAndUse({ pending, stores, owner }: Issuing): Promise<void> {
  const { keyId } = owner.key;
  const friction = ["tap", "confirm"] as const;
  for (let index = 0; index < BARE; index += 1) {
    const at = systemClock.now();
    const answer = { shownHash: pending.planHash, friction: [...friction], keyId };
    const decision: ApprovalDecision = { ...DECIDED, ...answer };
    const nonces = [Buffer.from(systemRandomness.bytes(32)).toString("hex")];
    const minting = { decision, pending, at, nonces, strongAuth: "unavailable", ...SETTINGS } as const;
    const [unsigned] = must(mintTokens(minting));
    if (unsigned === undefined) throw new Error("nothing was minted");
    const signature = sign(null, Buffer.from(tokenSigningBytes(unsigned)), owner.privateKey);
    const token: ApprovalToken = { ...unsigned, signature };
    const found = must(await stores.keys.find(keyId));
    const claim = { text: tokenSigningBytes(token), signature: signature.toString("hex") };
    const holds = found !== null && systemEd25519({ publicKey: found.publicKey, ...claim });
    const item = { workItemId: token.workItemId, contentHash: pending.planHash };
    const lineage = uuidV7(at, systemRandomness.bytes(10));
    const fact = holds ? "valid" : "invalid";
    const use = must(
      judgeVerify({
        token,
        signature: fact,
        item,
        scope: "full_plan",
        spawn: null,
        at,
        uses: [],
        lineage,
        isVoid: false,
      }),
    );
    const spending = { ...use, workItemId: token.workItemId, friction, at, actor: OWNER, requestId: null, also: [] };
    must(await stores.approvals.spend({ ...spending, token: storedToken(token) }));
  }
}

function storedToken(token: ApprovalToken) {
  const { tokenId, nonce, planHash, keyId, maxExecutions } = token;
  const text = must(canonicalJson(approvalTokenToWire(token)));
  return { tokenId, nonce, planHash, keyId, maxExecutions, text };
}

/** What nobody approves would pile up to the limit of what may wait. */
async function declineAll(door: ApprovalsDoor, requests: readonly KeptRequest[]): Promise<void> {
  for (const { requestId, planHash: shownHash } of requests) {
    must(await door.decide({ requestId, verdict: "declined", shownHash, friction: [], actor: OWNER }));
  }
}

/** The bytes of a token as long as a real one. */
const STATEMENT = Buffer.from(
  tokenSigningBytes({
    tokenId: "0".repeat(32),
    planHash: "0".repeat(64),
    workItemId: "task-0190f8a2-6c1e-7b44-9d0e-000000000001",
    scope: "full_plan",
    verdict: "approved",
    approvalStrength: "confirm",
    conditions: { friction: ["tap", "confirm"] },
    issuedAt: systemClock.now(),
    expiresAt: systemClock.now(),
    nonce: "0".repeat(64),
    maxExecutions: 1,
    keyId: "0".repeat(32) as OwnerKey["keyId"],
  } as unknown as Parameters<typeof tokenSigningBytes>[0]),
);

function makeBare() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const db = new DatabaseSync(join(makeDir(), "nonces.db"));
  whenMeasured(() => db.close());
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE nonces (nonce TEXT PRIMARY KEY) STRICT");
  const insert = db.prepare("INSERT INTO nonces (nonce) VALUES (?)");
  return {
    signVerifyKeep: () =>
      cpuMicros(BARE, async () => {
        for (let index = 0; index < BARE; index += 1) {
          const signature = sign(null, STATEMENT, privateKey);
          if (!verify(null, STATEMENT, publicKey, signature)) throw new Error("a signature does not verify");
          insert.run(randomBytes(32).toString("hex"));
        }
      }),
  };
}

type Jose = {
  readonly CompactSign: new (payload: Uint8Array) => {
    setProtectedHeader(header: { readonly alg: string }): { sign(key: unknown): Promise<string> };
  };
  generateKeyPair(alg: string): Promise<{ readonly publicKey: unknown; readonly privateKey: unknown }>;
  compactVerify(token: string, key: unknown): Promise<unknown>;
};

async function makeJose() {
  const { CompactSign, compactVerify, generateKeyPair } = await importPeer<Jose>("jose");
  const { publicKey, privateKey } = await generateKeyPair("EdDSA");
  return {
    signAndVerify: () =>
      cpuMicros(BARE, async () => {
        for (let index = 0; index < BARE; index += 1) {
          const token = await new CompactSign(STATEMENT).setProtectedHeader({ alg: "EdDSA" }).sign(privateKey);
          await compactVerify(token, publicKey);
        }
      }),
  };
}

async function eachTime<T>(times: number, make: () => Promise<T>): Promise<readonly T[]> {
  const made: T[] = [];
  for (let index = 0; index < times; index += 1) made.push(await make());
  return made;
}

function must<T>(result: Result<T, { readonly code: string }>): T {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

async function cpuMicros(operations: number, work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / operations;
}
