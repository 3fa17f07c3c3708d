import { readFileSync } from "node:fs";
import { join } from "node:path";
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
} from "../src/core/model/index.ts";
import { createAuditRules, judgeVerify, mintTokens } from "../src/core/policy/index.ts";
import { parseYaml } from "../src/config/index.ts";
import type { ApprovalsDoor, Signer } from "../src/shell/ports.ts";
import {
  createApprovalsDoor,
  createKeysDoor,
  createSigner,
  keyIdOf,
  systemClock,
  systemEd25519,
  systemRandomness,
  systemSha256,
  verifySigned,
} from "../src/shell/runtime/index.ts";
import { createMemoryVault, openRuntime } from "../src/shell/stores/index.ts";
import { NO_PASSKEYS, NO_SKILLS, NOTHING_FOLLOWS } from "../sim/index.ts";
import type { Line } from "./measure.ts";
import { createRawApprovals, type Beside } from "./approval/raw-rows.ts";
import { importPeer } from "./peers.ts";
import { makeDir, ROOT, whenMeasured } from "./places.ts";

// Node's own: what the peer and the bare primitive are made of.
const { generateKeyPairSync, sign } = process.getBuiltinModule("node:crypto");

const DECISIONS = 120;
/** Batches in each turn: a handful of approvals would measure how code is compiled. */
const BATCHES = 3;
const JOSE = 400;

/**
 * An approval from the answer to its first use, each of another request: judged, minted, signed, verified with the
 * registered key, used and recorded, and its request closed in one commit. The limit signs and verifies the same bytes and
 * writes the same rows; the peer keeps nothing. The whole way through the door of the terminal also reads the plan afresh
 * and records the use of the key; its vault is in memory here, since stretching the key is the vault's own price.
 */
export async function lines(): Promise<readonly Line[]> {
  const product = await makeProduct();
  const peer = await makeJose();
  return [
    {
      what: "issue an approval and use it",
      unit: "cpu us",
      product: () => product.issueMany(),
      limit: () => product.writeSame("with_line"),
      peer: () => peer.signAndVerify(),
      goals: [{ against: "limit", compare: "speed_at_least", factor: 0.6 }],
    },
    {
      what: "the same against the rows alone",
      unit: "cpu us",
      product: () => product.issueMany(),
      limit: () => product.writeSame("without_line"),
      peer: null,
      goals: [],
    },
    {
      what: "decide at the terminal, all of it",
      unit: "cpu us",
      product: () => product.decideMany(),
      limit: () => product.writeSame("with_line"),
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

async function openProduct() {
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
  const owner = await enrolOwner(stores, signer);
  return { dataDir, stores, door, owner };
}

async function makeProduct() {
  const { dataDir, stores, door, owner } = await openProduct();
  const raw = createRawApprovals(join(dataDir, "silas.db"), owner);
  const approved: string[] = [];
  let plans = 0;
  const propose = async (): Promise<KeptRequest> => {
    plans += 1;
    const id = `task-0190f8a2-6c1e-7b44-9d0e-${String(plans).padStart(12, "0")}`;
    return must(await door.propose(EXAMPLE.replace(/^id: .*$/m, `id: ${id}`), OWNER)).request;
  };
  /** As the store gives it to whoever decides: not the very object that was proposed. */
  const readBack = async ({ requestId }: KeptRequest): Promise<KeptRequest> => {
    const found = must(await stores.approvals.find(requestId));
    if (found === null) throw new Error("a request is gone");
    return found;
  };
  return {
    proposeMany: () => cpuMicros(DECISIONS, () => eachTime(DECISIONS, propose).then((made) => declineAll(door, made))),
    async issueMany(): Promise<number> {
      const batches = await eachTime(BATCHES, async () => {
        const requests = await eachTime(DECISIONS, () => propose().then(readBack));
        if (approved.length === 0) raw.copyBefore();
        return cpuMicros(DECISIONS, async () => {
          for (const pending of requests) await issueAndUse({ pending, stores, owner });
          approved.push(...requests.map(({ requestId }) => requestId));
        });
      });
      return batches.reduce((sum, cpu) => sum + cpu, 0) / BATCHES;
    },
    /** Of each turn anew. */
    writeSame: (beside: Beside) => raw.writeSame(approved.splice(0), beside),
    async decideMany(): Promise<number> {
      const requests = await eachTime(DECISIONS, propose);
      raw.copyBefore();
      approved.push(...requests.map(({ requestId }) => requestId));
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
type Owner = { readonly key: OwnerKey; readonly publicKey: KeyObject; readonly privateKey: KeyObject };

/** A key whose private half is outside, as a browser's is. */
async function enrolOwner({ keys }: Runtime, signer: Signer): Promise<Owner> {
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
  const signed = must(await signer.sign(Buffer.from(enrolmentStatement(key)), { purpose: "key", actor: OWNER }));
  must(await keys.add(key, { actor: OWNER, signed }));
  return { key, publicKey, privateKey };
}

const DECIDED = { verdict: "approved", approvalStrength: "tap", signature: null, conditions: {} } as const;

type Issuing = { readonly pending: KeptRequest; readonly stores: Runtime; readonly owner: Owner };

/** Judged, minted, signed, verified with the registered key, used, and its request closed. */
async function issueAndUse({ pending, stores, owner }: Issuing): Promise<void> {
  const { keyId } = owner.key;
  const { planHash: shownHash } = pending;
  const friction = ["tap", "confirm"] as const;
  const at = systemClock.now();
  const decision: ApprovalDecision = { ...DECIDED, shownHash, friction: [...friction], keyId };
  const nonces = [Buffer.from(systemRandomness.bytes(32)).toString("hex")];
  const minting = { decision, pending, at, nonces, strongAuth: "unavailable", ...SETTINGS } as const;
  const [unsigned] = must(mintTokens(minting));
  if (unsigned === undefined) throw new Error("nothing was minted");
  const signature = sign(null, Buffer.from(tokenSigningBytes(unsigned)), owner.privateKey);
  const token: ApprovalToken = { ...unsigned, signature };
  const claim = { keyId, bytes: Buffer.from(tokenSigningBytes(token)), signature: signature.toString("hex") };
  must(await verifySigned(stores.keys, claim));
  const item = { workItemId: token.workItemId, contentHash: shownHash };
  const lineage = uuidV7(at, systemRandomness.bytes(10));
  const facts = { signature: "valid", scope: "full_plan", spawn: null, uses: [], isVoid: false } as const;
  const use = must(judgeVerify({ ...facts, token, item, at, lineage }));
  const spending = { ...use, workItemId: token.workItemId, friction, at, actor: OWNER, judged: pending, also: [] };
  must(await stores.approvals.spend({ ...spending, token: storedToken(token) }));
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
      cpuMicros(JOSE, async () => {
        for (let index = 0; index < JOSE; index += 1) {
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
