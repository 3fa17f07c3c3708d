import { createPrivateKey, createPublicKey, sign, type KeyObject } from "node:crypto";
import { assert, type Result } from "#base";
import {
  deviceProofText,
  tokenSigningBytes,
  type AuditEntry,
  type KeptRequest,
  type OwnerKey,
  type PublicKeyHex,
} from "#model";
import type { DecideRefusal } from "#ports";
import { createDeviceKeys, keyIdOf } from "#runtime";
import { cutActs, requestIn, type Act, type Cut } from "./approval-acts.ts";
import { BY, checkTrust, type Trust } from "./approval-world.ts";
import type { PickStates } from "./disk.ts";
import type { Cuts, World } from "./disk-run.ts";

const SESSION = "session-sim";
/** The browser's own key: like the vault, it is no part of the disk that is cut. */
const PKCS8_LEAD = "302e020100300506032b657004220420";

type Browser = { readonly privateKey: KeyObject; readonly publicKey: PublicKeyHex };

function createBrowser(): Browser {
  const key = Buffer.from(PKCS8_LEAD + "42".repeat(32), "hex");
  const privateKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
  const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  return { privateKey, publicKey: spki.subarray(-32).toString("hex") as PublicKeyHex };
}

const browser = createBrowser();
const KEY_ID = keyIdOf(browser.publicKey);

/** One act of a browser. Doing it again after a cut ends it; what was done is not done twice. */
type DeviceAct = Act & { isDone(trust: Trust): Promise<boolean> };

async function signIn({ clock }: World, { stores }: Trust): Promise<void> {
  const at = clock.now();
  const session = { deviceName: "Phone", tokenDigest: "digest", createdAt: at, lastSeenAt: at, revokedAt: null };
  assert((await stores.sessions.add({ sessionId: SESSION, ...session })).ok, "a device signs in");
}

/** Challenge, proof, code and confirmation. */
async function enrol({ clock, seeded }: World, { stores, signer }: Trust): Promise<boolean> {
  const { keys: registry, audit } = stores;
  const review = { changed: () => {} };
  const devices = createDeviceKeys({ registry, signer, audit, review, clock, randomness: seeded });
  const { challenge } = devices.begin(SESSION);
  const proof = { challenge, name: "Phone", publicKey: browser.publicKey, sessionId: SESSION };
  const signature = new Uint8Array(sign(null, Buffer.from(deviceProofText(proof)), browser.privateKey));
  const offered = await devices.offer({ ...proof, deviceName: "Phone", signature });
  return offered.ok && (await devices.confirm(offered.value.code, BY)).ok;
}

/** Mint, sign, send back. A restart forgets what was minted, so this begins at the beginning. */
async function approve(_world: World, trust: Trust): Promise<boolean> {
  const { requestId, planHash: shownHash } = await requestIn(trust);
  const friction = ["tap", "confirm", "slide"] as const;
  const asked = { requestId, sessionId: SESSION };
  const minted = await trust.approvals.prepareApproval({ ...asked, shownHash, friction, keyId: KEY_ID });
  if (!minted.ok) return false;
  const signatures = minted.value.tokens.map((token) => ({
    tokenId: token.tokenId,
    signature: new Uint8Array(sign(null, Buffer.from(tokenSigningBytes(token)), browser.privateKey)),
  }));
  const approved: Result<KeptRequest, DecideRefusal> = await trust.approvals.completeApproval({
    ...asked,
    signatures,
    assertion: null,
  });
  return approved.ok;
}

async function keyIn({ stores }: Trust): Promise<OwnerKey | null> {
  const found = await stores.keys.find(KEY_ID);
  assert(found.ok, "keys can be read");
  return found.value;
}

const ACTS: readonly DeviceAct[] = [
  { name: "enrol a browser", prepare: signIn, run: enrol, isDone: async (trust) => (await keyIn(trust)) !== null },
  {
    name: "approve in a browser",
    prepare: async (world, trust) => {
      await signIn(world, trust);
      assert(await enrol(world, trust), "a browser is enrolled");
      await requestIn(trust);
    },
    run: approve,
    isDone: async (trust) => (await requestIn(trust)).state === "approved",
  },
  {
    name: "sign a browser out",
    prepare: async (world, trust) => {
      await signIn(world, trust);
      assert(await enrol(world, trust), "a browser is enrolled");
    },
    run: async ({ clock }, { stores }) => (await stores.sessions.revoke(SESSION, { at: clock.now(), actor: BY })).ok,
    isDone: async (trust) => (await keyIn(trust))?.revokedAt !== null,
  },
];

/**
 * Cuts what a browser does with its key at every write boundary of the real file. In every state a key is enrolled or
 * revoked exactly when the chain says so, it ends with its session, and an approval is whole or not there.
 */
export function cutDevices(seed: number, pick?: PickStates): Promise<Cuts> {
  return cutActs(seed, { acts: ACTS, check: checkCut, pick });
}

async function checkCut({ act, world, trust, dir }: Cut<DeviceAct>): Promise<void> {
  await checkDevice(trust, dir);
  if (!(await act.isDone(trust))) assert(await act.run(world, trust), `to ${act.name} can be done again after a cut`);
  assert(await act.isDone(trust), `to ${act.name} is done in the end`);
  if (act.run === approve) assert(!(await approve(world, trust)), "APPR-19 a decision is taken once");
  await checkDevice(trust, dir);
}

async function checkDevice(trust: Trust, dir: string): Promise<void> {
  await checkTrust(trust, dir);
  const key = await keyIn(trust);
  const entries = await trust.stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 });
  const sessions = await trust.stores.sessions.list();
  assert(entries.ok && sessions.ok, "entries and sessions can be read");
  const said = (event: string): number =>
    entries.value.filter((entry: AuditEntry) => entry.event === event && entry.data["key_id"] === KEY_ID).length;
  assert(said("key_enrolled") === (key === null ? 0 : 1), "AUD-01 a key is enrolled with its entry");
  const isRevoked = key !== null && key.revokedAt !== null;
  assert(said("key_revoked") === (isRevoked ? 1 : 0), "AUD-01 a key is revoked with its entry");
  const isSignedOut = sessions.value.some(({ sessionId, revokedAt }) => sessionId === SESSION && revokedAt !== null);
  assert(key === null || isSignedOut === isRevoked, "a key ends in the commit that ends its session");
}
