import { assert, type Instant } from "#base";
import { planProposalText, type KeptRequest, type Payload } from "#model";
import { answerTo, BY } from "../approval-world.ts";
import { goalText, isRunning } from "../goals.fixture.ts";
import { INSIDE, runOf, until } from "../work-world.ts";
import { tokensOf } from "./file.fixture.ts";
import { OUTSIDE, type Site, type SiteScene } from "./scene.fixture.ts";

async function proposed({ trust }: SiteScene, text: string): Promise<KeptRequest> {
  const asked = await trust.approvals.propose(text, BY);
  assert(asked.ok, `a plan is proposed: ${JSON.stringify(asked)}`);
  return asked.value.request;
}
async function approved(scene: SiteScene, request: KeptRequest): Promise<KeptRequest> {
  const decided = await scene.trust.approvals.decide(answerTo(request, "approved"));
  assert(decided.ok, `a request is approved: ${JSON.stringify(decided)}`);
  return request;
}

/** How many of its kind were done since then. */
const countOf = ({ did }: SiteScene, what: string): number => did.filter((one) => one === what).length;

/** Everything that was granted is taken up, as a running Silas does, and is over. */
async function runs(scene: SiteScene, runId: string): Promise<void> {
  await scene.work.runGranted(runId);
  await scene.work.start();
}

const ended = ({ work }: SiteScene, runId: string): Promise<void> =>
  until(async () => {
    const shown = await work.show(runId);
    return shown.ok && shown.value.run.endedAt !== null;
  });

type Kept = { readonly request: KeptRequest; readonly position?: number };
function tokenOf({ file }: SiteScene, { request, position = 0 }: Kept): string {
  const tokenId = tokensOf(file, request.requestId)[position];
  assert(tokenId !== undefined, "an answer gave this approval");
  return tokenId;
}

/** A plan whose own run stands on the approval at this place of its decision. */
const planSite = (
  name: string,
  { text, position = 0 }: { readonly text: string; readonly position?: number },
): Site => ({
  name,
  async ask(scene) {
    const request = await proposed(scene, text);
    return {
      request,
      async granted() {
        const runId = await runOf(scene.work, request);
        return {
          tokenId: tokenOf(scene, { request, position }),
          use: "now",
          goOn: () => runs(scene, runId),
          done: () => countOf(scene, "make page"),
        };
      },
    };
  },
});

const PROJECT = planProposalText({
  plan: "---\nid: project-one\ntype: project\ntitle: All of it\ntasks: [task-one]\n---\n\n# What to do\n\nMake it.\n",
  tasks: [INSIDE.replace("task-steps", "task-one")],
  standing: null,
});

const cycleOver = ({ trust }: SiteScene): Promise<void> => until(async () => !(await isRunning(trust)));

/** One look at a goal whose page is gone, with the repair that this may begin. */
async function lookAtGoal(scene: SiteScene): Promise<void> {
  scene.page.isThere = false;
  await scene.work.start();
  await scene.work.goals.list();
  await scene.work.goals.check("goal-page", BY);
  await cycleOver(scene);
}

const standing: Site = {
  name: "the repair of a goal, on its standing approval",
  async ask(scene) {
    const terms = { max_executions: 1, expires_at: "2030-01-01T00:00:00.000Z" };
    const request = await proposed(scene, goalText({ standing: terms }));
    return {
      request,
      granted: async () => ({
        tokenId: tokenOf(scene, { request, position: 1 }),
        use: "later",
        goOn: () => lookAtGoal(scene),
        done: () => countOf(scene, "make page"),
      }),
    };
  },
};

const fallback: Site = {
  name: "the repair of a goal that stands on nothing",
  async ask(scene) {
    await approved(scene, await proposed(scene, goalText()));
    await lookAtGoal(scene);
    const waiting = await scene.trust.stores.approvals.list(["pending"]);
    const request = waiting.ok ? waiting.value[0] : undefined;
    assert(request !== undefined, "the owner is asked about the repair");
    return {
      request,
      granted: async () => ({
        tokenId: tokenOf(scene, { request }),
        use: "now",
        async goOn() {
          scene.review.changed();
          await scene.work.start();
          const open = await scene.trust.stores.goals.open();
          const [cycle] = open.ok ? open.value : [];
          await until(async () => {
            const last = await scene.trust.stores.goals.lastCycle("goal-page");
            return cycle === undefined || (last.ok && last.value?.ended !== null);
          });
        },
        done: () => countOf(scene, "make page"),
      }),
    };
  },
};

const WIDER: Payload = {
  kind: "autonomy_threshold",
  proposal_id: "by-hand",
  scope_id: "owner",
  goal_id: null,
  changes: [{ key: "batch_review.default_size", current_value: "10", proposed_value: "12", direction: "widen" }],
  sample_size: 0,
  correction_rate: 0,
  evidence_window: "asked for by hand, no decisions counted",
  rationale: "I want it so.",
  risk_level: "high",
  created_at: "2026-11-10T09:00:00.000Z" as Instant,
};

/** Its effect is in the very commit that uses its approval: there is no moment in between. */
const limits: Site = {
  name: "a change of limits of autonomy",
  between: "nothing",
  async ask(scene) {
    const asked = await scene.trust.approvals.proposePayload(WIDER, BY);
    assert(asked.ok, `limits are proposed: ${JSON.stringify(asked)}`);
    const { request } = asked.value;
    return {
      request,
      granted: async () => ({
        tokenId: tokenOf(scene, { request }),
        use: "now",
        goOn: () => scene.work.start(),
        done: () => limitsChanged(scene),
      }),
    };
  },
};
export async function limitsChanged({ work }: SiteScene): Promise<number> {
  const shown = await work.autonomy.show();
  assert(shown.ok, "limits are shown");
  return shown.value.limits.filter(({ value, configured }) => value !== configured).length;
}

async function askedToMove({ work, folder }: SiteScene): Promise<KeptRequest> {
  const tidied = await work.batches.tidy(folder, BY);
  assert(tidied.ok && tidied.value.asked !== null, `there is a file to move: ${JSON.stringify(tidied)}`);
  return tidied.value.asked.request;
}

const batch: Site = {
  name: "a batch",
  whenTaken: "nobody_tries",
  async ask(scene) {
    const request = await askedToMove(scene);
    return {
      request,
      async granted() {
        const runId = await runOf(scene.work, request);
        return {
          tokenId: tokenOf(scene, { request }),
          use: "now",
          goOn: () => runs(scene, runId),
          done: () => countOf(scene, "file_move"),
        };
      },
    };
  },
};

const undo: Site = {
  name: "taking a batch back",
  async ask(scene) {
    const request = await askedToMove(scene);
    return {
      request,
      async granted() {
        const runId = await runOf(scene.work, request);
        await runs(scene, runId);
        const before = countOf(scene, "file_move");
        return {
          tokenId: tokenOf(scene, { request, position: 1 }),
          use: "later",
          async goOn() {
            const taken = await scene.work.batches.undo(runId, BY);
            const undoRunId = taken.ok ? taken.value.runId : null;
            if (undoRunId !== null) await ended(scene, undoRunId);
          },
          done: () => countOf(scene, "file_move") - before,
        };
      },
    };
  },
};

const PAY = `---
id: task-pay
type: task
title: Pay the rent
gates:
  - { name: cap, on: on_tool_call, extract: content, type: numeric_range, auto_approve: { min: 0, max: 50 }, require_approval: { min: 50, max: 500 } }
steps:
  - { name: pay, tool: file_write, args: { path: paid.txt, content: "120" } }
---

# What to do

Pay it.
`;
const BY_MODEL = `---
id: task-model
type: task
title: Make a page
executor: model
tools: [file_write]
budget: { max_attempts: 1, max_tokens: 100000 }
on_stuck: report
files: { write: [${OUTSIDE}] }
---

# What to do

Make the page.
`;

/** A run that was approved and waits, in its workspace, for an approval of one call. */
const callSite = (name: string, { text, call }: { readonly text: string; readonly call: string }): Site => ({
  name,
  async ask(scene) {
    const plan = await approved(scene, await proposed(scene, text));
    const runId = await runOf(scene.work, plan);
    await scene.work.start();
    const request = await waitingCall(scene, runId);
    return {
      request,
      granted: async () => ({
        tokenId: tokenOf(scene, { request }),
        use: "now",
        async goOn() {
          scene.review.changed();
          await ended(scene, runId);
        },
        done: () => countOf(scene, call),
      }),
    };
  },
});

async function waitingCall({ work, trust }: SiteScene, runId: string): Promise<KeptRequest> {
  let found: KeptRequest | null = null;
  await until(async () => {
    const shown = await work.show(runId);
    const question = shown.ok ? shown.value.run.question : undefined;
    const request = question === undefined ? null : await trust.stores.approvals.find(question.requestId);
    found = request?.ok === true ? request.value : null;
    return found !== null;
  });
  assert(found !== null, "the call is asked about");
  return found;
}

export const WORK_SITES: readonly Site[] = [
  { ...planSite("a plan", { text: INSIDE }), whenTaken: "nobody_tries" },
  planSite("a task of a project", { text: PROJECT, position: 1 }),
  standing,
  fallback,
  limits,
  batch,
  undo,
  callSite("a call that a gate asks about", { text: PAY, call: "file_write paid.txt" }),
  callSite("a high-risk call of a model", { text: BY_MODEL, call: `file_write ${OUTSIDE}/page.txt` }),
];
