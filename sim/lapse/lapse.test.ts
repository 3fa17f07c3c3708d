import { expect, test } from "vitest";
import { assert } from "#base";
import { planProposalText } from "#model";
import { sampleOf } from "../../test/depth.ts";
import { answerTo, BY } from "../approval-world.ts";
import { batchOf } from "../batch-cuts.ts";
import { ADVICE, advising, modelPlan, pageScript as advisedScript } from "../consult/advice.fixture.ts";
import { approve, goalText, isRunning } from "../goals.fixture.ts";
import { allEnded, grantPlan, INSIDE, until, type Script, type Working } from "../work-world.ts";
import { EXPIRED, live, REVOKED, type Begun, type Ended, type Kind } from "./scene.fixture.ts";

/** The check fails once, so that a second attempt is met too. */
function failsOnce(): Script {
  let looks = 0;
  return ({ argv }) => (argv[0] === "look" && (looks += 1) === 1 ? 1 : 0);
}

const task = (id: string): string => INSIDE.replace("id: task-steps", `id: ${id}`);
const PROJECT = planProposalText({
  plan: "---\nid: project-one\ntype: project\ntitle: All of it\ntasks: [task-one, task-two]\nverify:\n  - { name: all, run: look, expect: { exit_code: 0 } }\n---\n\n# What to do\n\nMake it.\n",
  tasks: [task("task-one"), task("task-two")],
  standing: null,
});

async function goOn({ work }: Working): Promise<void> {
  await work.start();
  await allEnded(work);
}

async function grantBatch({ trust, world }: Parameters<Kind["grant"]>[0]): Promise<void> {
  const moves = ["a.pdf", "b.pdf"].map((from) => ({ from, to: `Documents/${from}`, bytes: from }));
  const batch = batchOf({ name: "tidy-sim", folder: "/srv/files", moves, at: world.clock.now() });
  const proposed = await trust.approvals.proposePayload(batch, BY);
  assert(proposed.ok, `a batch is proposed: ${JSON.stringify(proposed)}`);
  assert((await trust.approvals.decide(answerTo(proposed.value.request, "approved"))).ok, "a batch is approved");
}

/** Looks at a goal whose page is gone, and lets the repair end that this begins. */
async function repair({ work, trust }: Working): Promise<void> {
  await work.start();
  await work.goals.check("goal-page", BY);
  await until(async () => !(await isRunning(trust)));
}
const STANDING = { max_executions: 3, expires_at: "2026-11-15T08:01:00.000Z" };
const brokenPage = (): Script => {
  let isThere = false;
  return ({ argv }) => {
    if (argv[0] === "make") isThere = true;
    return argv[0] === "make" || isThere ? 0 : 1;
  };
};

const KINDS: readonly Kind[] = [
  { name: "steps", grant: async (scene) => void (await grantPlan(scene, INSIDE)), goOn, script: failsOnce },
  {
    name: "two runs at once",
    grant: async (scene) => {
      await grantPlan(scene, task("task-left"));
      await grantPlan(scene, task("task-right"));
    },
    goOn,
  },
  { name: "a batch", grant: grantBatch, goOn },
  { name: "a project", grant: async (scene) => void (await grantPlan(scene, PROJECT)), goOn },
  {
    name: "the repair of a goal on its standing approval",
    grant: async (scene) => void (await approve(scene, goalText({ standing: STANDING }))),
    goOn: repair,
    script: brokenPage,
    lastsMinutes: 1,
    looksOn: "look",
    oneIn: 1,
  },
  {
    name: "a model with advice",
    grant: async (scene) => void (await grantPlan(scene, modelPlan())),
    goOn,
    script: advisedScript,
    says: advising(ADVICE),
  },
];

type Judging = { readonly lapsed: Begun; readonly kind: Kind; readonly words: string; readonly at: string };

/** Nothing began after the lapse, and what had not ended by then says why. */
function judge(ended: Ended, { lapsed, kind, words, at }: Judging): void {
  expect(ended, at).toMatchObject({ ...lapsed, isChainWhole: true });
  expect(
    ended.ranAgain.filter((program) => program !== kind.looksOn),
    at,
  ).toEqual([]);
  // What waits for another task of its project says that.
  const reasons = new RegExp(`${words}|Not begun|is blocked`);
  const odd = ended.runs.filter(({ status, lastError }) =>
    status === "blocked" ? !reasons.test(lastError ?? "") : status !== "done" && status !== "in_doubt",
  );
  expect(odd, at).toEqual([]);
}

for (const kind of KINDS) {
  for (const lapse of [REVOKED, EXPIRED]) {
    test(`[WORK-13] [WSTORE-06] ${kind.name}: once the approval is ${lapse.name}, before whichever transaction, nothing more begins, in this process or in the next`, async () => {
      const whole = await live({ kind, lapse, boundary: 0 });
      expect(whole.lived.steps).toBeGreaterThan(0);
      let stopped = 0;
      const boundaries = Array.from({ length: whole.boundaries }, (_, index) => index + 1);
      const played = sampleOf(boundaries, kind.oneIn ?? 6);
      for (const boundary of played) {
        const { lapsed, lived, killed } = await live({ kind, lapse, boundary });
        if (lapsed === null || killed === null) continue;
        const at = `boundary ${boundary} of ${whole.boundaries}`;
        judge(lived, { lapsed, kind, words: lapse.words, at });
        judge(killed, { lapsed, kind, words: lapse.words, at: `${at}, killed` });
        stopped += lived.runs.some(({ status }) => status === "blocked") ? 1 : 0;
      }
      // Every step but the first, and whatever else begins, was met with an approval that had just lapsed.
      const every = played.length === boundaries.length;
      expect(stopped).toBeGreaterThanOrEqual(every ? whole.lived.steps : 1);
    });
  }
}
