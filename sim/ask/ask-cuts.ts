import { join } from "node:path";
import { assert } from "#base";
import type { KeptRequest } from "#model";
import type { Vault } from "#ports";
import { createMemoryVault } from "#stores";
import { answerTo, BY, checkTrust, RUNTIME_FILE } from "../approval-world.ts";
import { checkIntegrity, createCutting, lookAtEach, type PickStates } from "../disk.ts";
import { inWorld, type Cuts, type World } from "../disk-run.ts";
import {
  closeWork,
  grantPlan,
  openWork,
  playSandboxes,
  statusOf,
  until,
  type Script,
  type Working,
} from "../work-world.ts";

/** The first step asks, so that nothing outside was changed before; the second has its place outside, done at most once. */
const ASKING = `---
id: task-ask
type: task
title: Pay the rent
files: { write: [/srv/pages] }
gates:
  - { name: cap, on: on_tool_call, extract: content, type: string_match, allowed_values: [free], approval_values: [ask] }
steps:
  - { name: pay, tool: file_write, args: { path: /srv/pages/paid.txt, content: ask } }
  - { name: note, tool: file_write, args: { path: note.txt, content: free } }
---

# What to do

Pay it.
`;

type Word = "asked" | "approved" | "declined" | "stopped";
type Scene = { readonly name: string; play(played: Played): Promise<void> };
type Played = Working & { readonly runId: string; readonly hear: (word: Word) => void };

const answered = (verdict: "approved" | "declined", ends: string): Scene => ({
  name: verdict,
  async play(played) {
    const request = await asked(played);
    played.hear("asked");
    assert((await played.trust.approvals.decide(answerTo(request, verdict))).ok, "an answer is taken");
    played.hear(verdict);
    played.review.changed();
    await until(async () => (await statusOf(played, played.runId)) === ends);
  },
});
const SCENES: readonly Scene[] = [
  answered("approved", "done"),
  answered("declined", "blocked"),
  {
    name: "stopped",
    async play(played) {
      await asked(played);
      played.hear("asked");
      assert((await played.work.cancel(played.runId, BY)).ok, "it is stopped");
      played.hear("stopped");
    },
  },
];

/** Ends the process at every statement of asking, of each answer, and of a stop while it waits. */
export function cutAsking(seed: number, pick?: PickStates): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    let states = 0;
    for (const scene of SCENES) states += await cutScene(world, { ...scene, pick });
    return { states };
  });
}

const writing =
  (ran: string[]): Script =>
  ({ stdin }) => {
    ran.push((JSON.parse(String(stdin)) as { args: { content: string } }).args.content);
    return 0;
  };

async function cutScene(world: World, scene: Scene & { readonly pick: PickStates | undefined }): Promise<number> {
  const dataDir = join(world.root, scene.name);
  const vault = createMemoryVault();
  const [words, ran]: readonly [Word[], string[]] = [[], []];
  const sandboxes = playSandboxes(join(world.root, "spaces"), writing(ran));
  const into = join(world.root, `cuts-${scene.name}`);
  const see = () => ({ ran: [...ran], words: [...words] });
  const cutting = createCutting({ dataDir, file: RUNTIME_FILE, into, see });
  const working = await openWork(world, { dataDir, vault, sandboxes, onStatement: cutting.onStatement });
  const runId = await grantPlan(working, ASKING);
  cutting.start();
  await working.work.start();
  await scene.play({ ...working, runId, hear: (word) => void words.push(word) });
  cutting.finish();
  await closeWork(working);
  return lookAtEach(cutting.cuts(), {
    file: RUNTIME_FILE,
    into: world.root,
    pick: scene.pick,
    look: (dir, seen) => check(world, { dir, vault, runId, ...seen }),
  });
}

/** The request it asks, once it does. */
async function asked(played: Pick<Played, "work" | "runId" | "trust">): Promise<KeptRequest> {
  await until(async () => (await statusOf(played, played.runId)) === "waiting");
  const inbox = await played.trust.approvals.inbox();
  assert(inbox.ok && inbox.value.length === 1 && inbox.value[0] !== undefined, "what is asked is asked once");
  return inbox.value[0];
}

type Cut = {
  readonly dir: string;
  readonly vault: Vault;
  readonly runId: string;
  readonly ran: readonly string[];
  readonly words: readonly Word[];
};

async function check(world: World, { dir, vault, runId, ran: before, words }: Cut): Promise<void> {
  const ran: string[] = [];
  const sandboxes = playSandboxes(join(world.root, "spaces"), writing(ran));
  const working = await openWork(world, { dataDir: dir, vault, sandboxes });
  const played = { ...working, runId };
  await working.work.start();
  const last = words.at(-1);
  // Whatever is still open is answered now, with what was not said before.
  await until(async () => (await statusOf(played, played.runId)) === "waiting" || (await isOver(played)));
  const wasOpen = (await statusOf(played, played.runId)) === "waiting";
  assert(!wasOpen || last === undefined || last === "asked", "an answer that was acknowledged holds");
  if (wasOpen) {
    assert(ran.length + before.length === 0, "WORK-24 nothing runs before an answer");
    assert((await working.trust.approvals.decide(answerTo(await asked(played), "approved"))).ok, "it can be answered");
    working.review.changed();
    await until(() => isOver(played));
  }
  const all = [...before, ...ran];
  assert(
    all.filter((one) => one === "ask").length <= 1,
    `WORK-24 what was asked about is done once: ${all.join(", ")}`,
  );
  if (last === "declined" || last === "stopped") assert(!all.includes("ask"), "what was not allowed is not done");
  const inbox = await working.trust.approvals.inbox();
  assert(inbox.ok && inbox.value.length === 0, "no card waits for a run that has ended");
  await checkTrust(working.trust, dir);
  await closeWork(working);
  checkIntegrity(join(dir, RUNTIME_FILE));
}

async function isOver({ work, runId }: Pick<Played, "work" | "runId">): Promise<boolean> {
  const shown = await work.show(runId);
  return shown.ok && shown.value.run.endedAt !== null;
}
