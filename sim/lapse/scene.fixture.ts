import { cpSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert } from "#base";
import { createMemoryModels, type ModelScript } from "#gateway";
import type { KeyId, RunRecord } from "#model";
import type { ModelGateway, Vault } from "#ports";
import { createMemoryVault } from "#stores";
import { BY, RUNTIME_FILE } from "../approval-world.ts";
import { inWorld, type World } from "../disk-run.ts";
import { closeWork, openWork, playSandboxes, settleAll, type Script, type Working } from "../work-world.ts";

/** One kind of work: how it is granted and carried out, and what its programs and its model do. */
export type Kind = {
  readonly name: string;
  /** Everything before its first step: whatever lapses in here is found at entry. */
  readonly grant: (scene: Working & { readonly world: World }) => Promise<void>;
  readonly goOn: (scene: Working) => Promise<void>;
  readonly script?: () => Script;
  readonly says?: ModelScript;
  /** How long its approval holds; 30 minutes unless it says so itself. */
  readonly lastsMinutes?: number;
  /** What looks at a goal, whose own approval lasts as long as its key. */
  readonly looksOn?: string;
  /** Of how many of its moments `npm test` plays one; few of those of a repair stop anything, so it plays them all. */
  readonly oneIn?: number;
};

/** What takes the approval away. It happens inside of a statement, where nobody waits for an answer. */
type Lapse = {
  readonly name: "revoked" | "expired";
  readonly words: string;
  /** Before which statements it may happen: the moment of a write is read before its transaction begins. */
  readonly statement: "BEGIN IMMEDIATE" | "COMMIT";
  readonly cause: (scene: Working & { readonly world: World; readonly keyIds: readonly KeyId[] }) => void;
};

export const REVOKED: Lapse = {
  name: "revoked",
  words: "its key was revoked",
  statement: "BEGIN IMMEDIATE",
  cause: ({ trust, world, keyIds }) => {
    for (const keyId of keyIds)
      void trust.stores.keys.revoke({ keyId, at: world.clock.now(), actor: BY, lastKey: "revoke" });
  },
};
/** Work begins a minute before the end of its approval, so that it has time of its budget left when that comes. */
const MINUTE_MS = 60_000;
export const EXPIRED: Lapse = {
  name: "expired",
  words: "it has expired",
  statement: "COMMIT",
  cause: ({ world }) => world.clock.moveMs(MINUTE_MS),
};

/** What of a plan had begun by some moment, as the file says. */
export type Begun = { readonly steps: number; readonly advice: number };

type Lived = {
  /** Transactions between the grant and the end. */
  readonly boundaries: number;
  /** Null when the work was over before the lapse. */
  readonly lapsed: Begun | null;
  /** How it ended in the process in which it lapsed. */
  readonly lived: Ended;
  /** How it ended when that process was killed right after the lapse, and another one took up what it left. */
  readonly killed: Ended | null;
};
export type Ended = Begun & {
  readonly runs: readonly RunRecord[];
  /** Programs that the process started which took up what was left. */
  readonly ranAgain: readonly string[];
  readonly isChainWhole: boolean;
};

type Living = {
  readonly kind: Kind;
  readonly lapse: Lapse;
  /** Before which transaction after the grant the approval lapses; 0 for never. */
  readonly boundary: number;
};

/** Carries out one piece of work whose approval lapses at this boundary. */
export async function live({ kind, lapse, boundary }: Living): Promise<Lived> {
  let told: Lived | null = null;
  await inWorld(7, async (world) => {
    const dataDir = join(world.root, "data");
    const left = join(world.root, "left");
    const vault = createMemoryVault();
    const sandboxes = playSandboxes(join(world.root, "spaces"), kind.script?.() ?? (() => 0));
    const models = createMemoryModels(kind.says ?? (() => ""));
    const watch = { isOn: false, isLapsing: false, seen: 0 };
    let lapsed: Begun | null = null;
    const look = (): void => {
      watch.isLapsing = false;
      lapsed = begunIn(dataDir);
      // What the disk holds when the process is killed in this moment.
      cpSync(dataDir, left, { recursive: true });
    };
    let cause: (() => void) | null = null;
    const onStatement = (sql: string): void => {
      if (watch.isLapsing) look();
      if (!watch.isOn || sql !== lapse.statement) return;
      watch.seen += 1;
      if (watch.seen !== boundary) return;
      watch.isOn = false;
      cause?.();
      watch.isOn = true;
      // What is committed in this moment began before it; the next statement shows what had.
      watch.isLapsing = sql === "COMMIT";
      if (!watch.isLapsing) look();
    };
    const scene = await openWork(world, { dataDir, vault, sandboxes, models, onStatement });
    const keys = await scene.trust.stores.keys.list();
    const keyIds = keys.ok ? keys.value.map(({ keyId }) => keyId) : [];
    cause = () => lapse.cause({ ...scene, world, keyIds });
    await kind.grant({ ...scene, world });
    world.clock.moveMs(((kind.lastsMinutes ?? 30) - 1) * MINUTE_MS);
    watch.isOn = true;
    await kind.goOn(scene);
    watch.isOn = false;
    await closeWork(scene);
    const end = (dir: string): Promise<Ended> => endIn({ world, dir, kind, vault, models });
    const lived = await end(dataDir);
    const killed = lapsed === null ? null : await end(left);
    told = { boundaries: watch.seen, lapsed, lived, killed };
  });
  assert(told !== null, "it was lived");
  return told;
}

type Ending = Pick<Living, "kind"> & {
  readonly world: World;
  readonly dir: string;
  readonly vault: Vault;
  readonly models: ModelGateway;
};

/** Another process takes up whatever is left. */
async function endIn({ world, dir, kind, vault, models }: Ending): Promise<Ended> {
  const sandboxes = playSandboxes(join(world.root, "spaces"), kind.script?.() ?? (() => 0));
  const again = await openWork(world, { dataDir: dir, vault, sandboxes, models });
  const runs = await settleAll(again);
  const verdict = await again.trust.stores.audit.verify("genesis");
  await closeWork(again);
  return { ...begunIn(dir), runs, ranAgain: sandboxes.ran, isChainWhole: verdict.ok && verdict.value.valid };
}

function begunIn(dataDir: string): Begun {
  const database = new DatabaseSync(join(dataDir, RUNTIME_FILE), { readOnly: true });
  const count = (sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  const begun = {
    steps: count("SELECT count(*) FROM work_ledger"),
    advice: count("SELECT count(*) FROM consultations WHERE asked_at IS NOT NULL"),
  };
  database.close();
  return begun;
}
