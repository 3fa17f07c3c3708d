import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { sha256Hex } from "#base";
import { parseYaml } from "#config";
import {
  payloadSchema,
  tokenSigningBytes,
  type DeviceAnswer,
  type KeptRequest,
  type KeyId,
  type OwnerKey,
  type Payload,
  type PasskeyAssertion,
  type PreparedApproval,
  type PublicKeyHex,
} from "#model";
import { createAuditRules } from "#policy";
import type { KeptExecution, Passkeys, SecretsDoor } from "#ports";
import { createSeeded, createVirtualClock, NO_SKILLS, NOTHING_FOLLOWS } from "#sim";
import { createMemoryVault } from "#stores";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { createKeysDoor } from "../keys/door.ts";
import { keyIdOf } from "../keys/ed25519.ts";
import { createSigner } from "../keys/signer.ts";
import { createApprovalsDoor } from "./door.ts";
import { enrolledBy, must } from "../must.fixture.ts";

export const TERMINAL = { kind: "terminal" } as const;
export const EXAMPLE = readFileSync(new URL("../../../../docs/examples/tidy-notes.md", import.meta.url), "utf8");

export const SETTINGS = {
  timeoutMs: 300_000,
  ttlMs: 1_800_000,
  maxExecutions: 1,
  standingUsesMax: 100,
  undoWindowSeconds: 300,
  fatigueDecisions: 20,
};

/** Irreversible: something is deleted for good. */
export const DELETION: Payload = payloadSchema.parse({
  kind: "batch_review",
  batch_id: "batch-1",
  goal_id: "goal-1",
  action: "delete",
  params: null,
  items: [
    {
      item_id: "mail-1",
      title: "Newsletter",
      actor: "news@letters.example",
      occurred_at: "2026-11-01T08:00:00.000Z",
      reason: "Not opened in a year",
      confidence: 0.9,
    },
  ],
  reason_summary: "Nobody reads these",
  confidence_min: 0.9,
  created_at: "2026-11-15T08:00:00.000Z",
});

/** A signed-in browser with a key of its own. */
export type Device = { readonly sessionId: string; readonly key: OwnerKey; readonly privateKey: KeyObject };

/** Says what a passkey prompt would; an assertion whose id is the challenge verifies. */
type FakePasskeys = Passkeys & { isAvailable: boolean };

const assertionFor = (challenge: string): PasskeyAssertion => ({
  id: challenge,
  rawId: challenge,
  type: "public-key",
  response: { clientDataJSON: "e30", authenticatorData: "AA", signature: "AA" },
  clientExtensionResults: {},
});

function createFakePasskeys(): FakePasskeys {
  const passkeys: FakePasskeys = {
    isAvailable: false,
    availableFor: async () => ({ ok: true, value: passkeys.isAvailable }),
    challengeFor: async ({ bytes }) => ({ ok: true, value: { challenge: sha256Hex(bytes), credentialIds: ["AA"] } }),
    verify: async ({ challenge, assertion }) =>
      assertion.id === challenge
        ? { ok: true, value: { credentialId: "AA" } }
        : { ok: false, error: { code: "passkey_refused", reason: "challenge_differs" } },
  };
  return passkeys;
}

/** The door to approvals on stores in memory, with browsers that sign for real. */
export function createPageWorld() {
  const clock = createVirtualClock(1_794_729_600_000);
  const opened = openInMemory(
    createAuditRules(sha256Hex, () => true),
    clock,
  );
  const { audit, keys: registry, sessions, approvals: store } = opened;
  const parts = { clock, randomness: createSeeded(1), vault: createMemoryVault(), registry };
  const passkeys = createFakePasskeys();
  const signer = createSigner(parts);
  const keys = createKeysDoor({ ...parts, signer, audit });
  /** What was run on a request, by its id; nothing unless a test says so. */
  const executions = new Map<string, readonly KeptExecution[]>();
  /** Decisions that went on to their effect, and secrets that were asked for. */
  const settled: string[] = [];
  const wanted: string[] = [];
  const ask: SecretsDoor["ask"] = async ({ refId }) => (wanted.push(refId), NOTHING_FOLLOWS.secrets.ask());
  const open = () =>
    createApprovalsDoor({
      ...parts,
      secrets: { ...NOTHING_FOLLOWS.secrets, ask },
      follow: async ({ requestId, state }) => void settled.push(`${requestId} ${state}`),
      signer,
      store,
      audit,
      passkeys,
      skills: NO_SKILLS,
      readYaml: parseYaml,
      runs: { executions: async (requestId) => ({ ok: true, value: executions.get(requestId) ?? [] }) },
      settings: SETTINGS,
    });
  const signIn = async (name: string): Promise<Device> => {
    const sessionId = `session-${name}`;
    const at = clock.now();
    const session = { sessionId, deviceName: name, tokenDigest: name, createdAt: at, lastSeenAt: at, revokedAt: null };
    must(await sessions.add(session));
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const hex = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex") as PublicKeyHex;
    const key: OwnerKey = {
      keyId: keyIdOf(hex),
      publicKey: hex,
      name,
      kind: "browser",
      sessionId,
      enrolledAt: at,
      revokedAt: null,
      lastUsedAt: null,
    };
    const keyId = must(await registry.root()) ?? key.keyId;
    must(await registry.add(key, enrolledBy(TERMINAL, { keyId })));
    return { sessionId, key, privateKey };
  };
  const events = async (prefix = "approval_"): Promise<readonly string[]> =>
    must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 }))
      .toReversed()
      .map(({ event, data }) => (event === "approval_refused" ? `${event} ${String(data["reason"])}` : event))
      .filter((event) => event.startsWith(prefix));
  const seen = { executions, settled, wanted };
  return { clock, audit, registry, sessions, keys, store, passkeys, ...seen, door: open(), open, signIn, events };
}

export const answerOf = (device: Device, request: KeptRequest, change: Partial<DeviceAnswer> = {}): DeviceAnswer => ({
  requestId: request.requestId,
  sessionId: device.sessionId,
  shownHash: request.planHash,
  friction: ["tap", "confirm"],
  keyId: device.key.keyId as KeyId,
  ...change,
});

/** What a page sends back: each minted token signed, and the passkey asked when it is to be. */
export function signaturesOf(device: Device, requestId: string, { tokens, passkey }: PreparedApproval) {
  return {
    requestId,
    sessionId: device.sessionId,
    signatures: tokens.map((token) => ({
      tokenId: token.tokenId,
      signature: new Uint8Array(sign(null, Buffer.from(tokenSigningBytes(token)), device.privateKey)),
    })),
    assertion: passkey === null ? null : assertionFor(passkey.challenge),
  };
}
