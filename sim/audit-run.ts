import { join } from "node:path";
import { assert, sha256Hex, type Result } from "#base";
import type { AuditEntry } from "#model";
import { createAuditRules } from "#policy";
import type { Session } from "#ports";
import { openRuntime, type RuntimeStores } from "#stores";
import { checkIntegrity, createCutDisk, lookAtAll } from "./disk.ts";
import { inWorld, type Cuts, type World } from "./disk-run.ts";

const FILE = "silas.db";
const DEVICES_BEFORE = 4;

/**
 * Cuts the signing in of a device at every write boundary of a real file: the session and its audit entry are both there
 * or neither is, the chain verifies in every state, and the next act is recorded behind it. [AUD-01, AUD-06]
 */
export function cutAuditedAct(seed: number): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    const dataDir = join(world.root, "data");
    const disk = createCutDisk({ dataDir, file: FILE, into: join(world.root, "cuts") });
    const stores = await openSeeded(world, { dataDir, onRuntimeStatement: disk.onStatement });
    for (let index = 0; index < DEVICES_BEFORE; index += 1) {
      assert((await stores.sessions.add(sessionOf(world, index))).ok, "an undisturbed sign-in succeeds");
    }
    const session = sessionOf(world, DEVICES_BEFORE);
    disk.start();
    assert((await stores.sessions.add(session)).ok, "an undisturbed sign-in succeeds");
    disk.finish();
    stores.close();
    const look = (dir: string): Promise<void> => checkCut(world, { dir, session });
    return { states: await lookAtAll(disk.states(), { file: FILE, into: world.root, look }) };
  });
}

/** Lets every single statement of a sign-in and of a checkpoint fail; nothing of it is kept, and the next try succeeds. */
export function failAuditedAct(seed: number): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    let failingAt = 0;
    let seen = 0;
    const onRuntimeStatement = (): void => {
      seen += 1;
      if (seen !== failingAt) return;
      throw Object.assign(new Error("simulated failure"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
    };
    const stores = await openSeeded(world, { dataDir: join(world.root, "data"), onRuntimeStatement });
    const session = sessionOf(world, 0);
    const acts = [
      () => stores.sessions.add(session),
      () =>
        stores.audit.append({ event: "instance_stopped", data: {}, at: world.clock.now(), actor: { kind: "system" } }),
      () => stores.audit.checkpoint({ checkpointId: "checkpoint-1", at: world.clock.now(), key: null }),
      () => stores.sessions.revoke(session.sessionId, { at: world.clock.now(), actor: { kind: "terminal" } }),
    ];
    let states = 0;
    for (const act of acts) {
      const before = await stateOf(stores);
      for (let at = 1; ; at += 1) {
        [seen, failingAt] = [0, at];
        const done: Result<unknown, { readonly code: string }> = await act();
        failingAt = 0;
        if (done.ok) break;
        states += 1;
        assert(done.error.code === "disk_full", `statement ${at}: the fault is said`);
        assert((await stateOf(stores)) === before, `statement ${at}: nothing was kept`);
      }
      assert((await stateOf(stores)) !== before, "the act is done when the trouble is over");
      await checkChain(stores);
    }
    stores.close();
    return { states };
  });
}

type Opening = { readonly dataDir: string; readonly onRuntimeStatement?: (sql: string) => void };

async function openSeeded(world: World, options: Opening): Promise<RuntimeStores> {
  const auditRules = createAuditRules(sha256Hex);
  const opened = await openRuntime({ ...options, clock: world.clock, random: world.seeded, auditRules });
  assert(opened.ok, `the runtime file opens: ${opened.ok ? "" : JSON.stringify(opened.error)}`);
  return opened.value;
}

function sessionOf(world: World, index: number): Session {
  world.clock.moveMs(1000);
  const at = world.clock.now();
  return {
    sessionId: `session-${index}`,
    deviceName: `Device ${world.seeded.below(1000)}`,
    tokenDigest: sha256Hex(`token ${index}`),
    createdAt: at,
    lastSeenAt: at,
    revokedAt: null,
  };
}

async function checkCut(
  world: World,
  { dir, session }: { readonly dir: string; readonly session: Session },
): Promise<void> {
  const stores = await openSeeded(world, { dataDir: dir });
  await checkChain(stores);
  const [sessions, entries] = await contentOf(stores);
  const isSignedIn = sessions.some(({ sessionId }) => sessionId === session.sessionId);
  const isRecorded = entries.some(({ data }) => data["session_id"] === session.sessionId);
  assert(isSignedIn === isRecorded, "AUD-01 an act is there with its entry or not at all");
  assert(entries.length === sessions.length, "AUD-06 no entry is lost");
  if (!isSignedIn) assert((await stores.sessions.add(session)).ok, "the device signs in at the next try");
  await checkChain(stores);
  stores.close();
  checkIntegrity(join(dir, FILE));
}

async function checkChain({ audit }: RuntimeStores): Promise<void> {
  const verdict = await audit.verify("genesis");
  assert(verdict.ok && verdict.value.valid, `AUD-02 the chain verifies: ${JSON.stringify(verdict)}`);
}

async function contentOf(stores: RuntimeStores): Promise<readonly [readonly Session[], readonly AuditEntry[]]> {
  const sessions = await stores.sessions.list();
  const entries = await stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 });
  assert(sessions.ok && entries.ok, "what is stored can be read");
  return [sessions.value, entries.value];
}

const stateOf = async (stores: RuntimeStores): Promise<string> => JSON.stringify(await contentOf(stores));
