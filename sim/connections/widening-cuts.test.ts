import { join } from "node:path";
import { expect, test } from "vitest";
import { assert } from "#base";
import type { Vault } from "#ports";
import type { InstalledSkills } from "#runtime";
import { createMemoryVault } from "#stores";
import { sampleOf } from "../../test/depth.ts";
import { RUNTIME_FILE } from "../approval-world.ts";
import { checkIntegrity, createCutting, lookAt, lookAtEach, type PickStates } from "../disk.ts";
import { inWorld, type World } from "../disk-run.ts";
import { allEnded, closeWork, grantPlan, statusOf, until } from "../work-world.ts";
import {
  answer,
  askedIn,
  CONNECTION,
  installedIn,
  NARROW,
  openConnecting,
  planFor,
  playHost,
  vaultAt,
  vaultWith,
  waitingIn,
  WIDE,
  type Answering,
  type Connecting,
  type Outside,
  type NotesHost,
} from "./widening.fixture.ts";

type Scene = {
  readonly name: string;
  /** What the owner says, and what the service does then; the run is over after it. */
  readonly answers: Answering["says"];
  readonly service: NotesHost["answer"] | "cancel";
  readonly ends: "done" | "blocked";
};
const SCENES: readonly Scene[] = [
  { name: "for good", answers: "approved", service: "give", ends: "done" },
  { name: "just once", answers: "once", service: "give", ends: "done" },
  { name: "refused by the service", answers: "approved", service: "refuse", ends: "blocked" },
  { name: "cancelled while signing in", answers: "once", service: "cancel", ends: "blocked" },
  { name: "denied", answers: "declined", service: null, ends: "blocked" },
];

const pick: PickStates = (states) => sampleOf(states, 4);

type Seen = Omit<Outside, "used"> & { readonly used: readonly string[] };
type Desk = { readonly world: World; readonly skills: InstalledSkills; readonly vault: Vault };

const isSigningIn = async ({ connections }: Connecting): Promise<boolean> => {
  const shown = await connections.show(CONNECTION);
  return shown.ok && shown.value.setup !== null;
};

/** States of the disk from the first statement of the step to the end of the run, each opened again, and killed again. */
test.each(SCENES)(
  "[PERM-04] [PERM-05] [PERM-07] wherever Silas is killed, twice, no run is left waiting for nobody and nothing is used that was not signed: $name",
  async (scene) => {
    await inWorld(11, async (world) => {
      const outside: Outside = { used: [], signIns: 0, access: NARROW };
      const skills = await installedIn(world);
      const vault = vaultWith(createMemoryVault(), outside);
      const service = playHost(join(world.root, "spaces"), outside);
      const dataDir = join(world.root, "data");
      const see = (): Seen => ({ ...outside, used: [...outside.used] });
      const cutting = createCutting({ dataDir, file: RUNTIME_FILE, into: join(world.root, "cuts"), see });
      const parts = { dataDir, vault, service, skills };
      const connecting = await openConnecting(world, { ...parts, onStatement: cutting.onStatement });
      await connecting.keep();
      const runId = await grantPlan(connecting, planFor("add"));
      // One of them is cut from the beginning of the run, the others from the answer.
      if (scene.answers === "declined") cutting.start();
      await connecting.work.start();
      const request = await askedIn(connecting);
      if (scene.answers !== "declined") cutting.start();
      await answer(connecting, { request, says: scene.answers });
      if (scene.service === "cancel") {
        await until(() => isSigningIn(connecting));
        assert((await connecting.connections.cancel(CONNECTION)).ok, "signing in is cancelled");
      } else service.answer = scene.service;
      await until(async () => (await statusOf(connecting, runId)) === scene.ends);
      cutting.finish();
      await closeWork(connecting);
      const desk: Desk = { world, skills, vault };
      let looks = 0;
      const look = (dir: string, seen: Seen) => lookTwice(desk, { dir, seen, isKilledAgain: (looks += 1) % 3 === 1 });
      const states = await lookAtEach(cutting.cuts(), { file: RUNTIME_FILE, into: world.root, pick, look });
      expect(states).toBeGreaterThan(scene.answers === "declined" ? 3 : 15);
    });
  },
);

type Cut = { readonly dir: string; readonly seen: Seen; readonly isKilledAgain: boolean };

/** Opens a state; of every third kills that Silas too at one of its writes, and judges what a third one makes of it. */
async function lookTwice(desk: Desk, { dir, seen, isKilledAgain }: Cut): Promise<void> {
  const into = join(desk.world.root, "second");
  const outside: Outside = { ...seen, used: [...seen.used] };
  if (!isKilledAgain) return judge(desk, { dir, outside });
  const see = (): Seen => ({ ...outside, used: [...outside.used] });
  const cutting = createCutting({ dataDir: dir, file: RUNTIME_FILE, into, see });
  cutting.start();
  await judge(desk, { dir, outside, onStatement: cutting.onStatement });
  cutting.finish();
  const { state, seen: then } = desk.world.seeded.pick(cutting.cuts());
  await lookAt({ state, file: RUNTIME_FILE, into: join(into, "again") }, (again) =>
    judge(desk, { dir: again, outside: { ...then, used: [...then.used] } }),
  );
}

type Judging = { readonly dir: string; readonly outside: Outside; readonly onStatement?: (sql: string) => void };

/** Nobody says yes any more: what was not signed before is denied now. */
async function judge({ world, skills, vault }: Desk, { dir, outside, onStatement }: Judging): Promise<void> {
  const service = playHost(join(dir, "spaces"), outside);
  service.answer = "give";
  const copy = vaultWith(await vaultAt(vault, outside.access), outside);
  const parts = { dataDir: dir, vault: copy, service, skills };
  const again = await openConnecting(world, onStatement === undefined ? parts : { ...parts, onStatement });
  await again.work.start();
  await until(async () => {
    const request = await waitingIn(again);
    if (request !== null) await answer(again, { request, says: "declined" });
    const runs = await again.work.list();
    return runs.ok && runs.value.every(({ run }) => run.endedAt !== null);
  });
  const [run] = await allEnded(again.work);
  const shown = await again.connections.show(CONNECTION);
  assert(run !== undefined && shown.ok, "the run and its connection are there");
  const { record, setup, failure } = shown.value;
  expect({ status: record.status, setup, failure }).toEqual({ status: "active", setup: null, failure: null });
  const isWider = record.permissionsGranted.includes("notes.write");
  const entries = await again.trust.stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 200 });
  const events = (entries.ok ? entries.value : []).map(({ event }) => event);
  const count = (event: string): number => events.filter((one) => one === event).length;
  // What was granted was signed, once, and is in the chain; what was lent is in neither record nor vault.
  expect(count("connection_widened")).toBe(isWider ? 1 : 0);
  expect(count("connection_setup_begun")).toBe(
    count("connection_widened") + count("connection_widened_once") + count("connection_not_widened"),
  );
  expect(count("connection_setup_begun")).toBeLessThanOrEqual(1);
  if (isWider) expect(outside.access).toBe(WIDE);
  if (count("connection_widened_once") === 1) expect(outside.access).toBe(NARROW);
  // The call is made at most once, and with nothing but what was given for it.
  expect(outside.used.length).toBeLessThanOrEqual(1);
  for (const token of outside.used) expect(token).toBe(`Bearer ${WIDE}`);
  if (run.status === "done") expect(outside.used).toHaveLength(1);
  else expect(["blocked", "in_doubt"]).toContain(run.status);
  const verdict = await again.trust.stores.audit.verify("genesis");
  expect(verdict).toMatchObject({ ok: true, value: { valid: true } });
  await closeWork(again);
  checkIntegrity(join(dir, RUNTIME_FILE));
}
