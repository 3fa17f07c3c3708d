import { join } from "node:path";
import { assert } from "#base";
import type { KeptRequest } from "#model";
import { createMemoryVault } from "#stores";
import { cutActs, requestIn, type Act, type Cut } from "./approval-acts.ts";
import { answerTo, BY, checkTrust, GOAL, openTrust, PLAN, PROJECT, TIMEOUT_MS, type Trust } from "./approval-world.ts";
import type { PickStates } from "./disk.ts";
import { inWorld, type Cuts, type World } from "./disk-run.ts";

/** One act that is cut, and the state of the request once it was done at last. */
type ApprovalAct = Act & { readonly ends: KeptRequest["state"] };

const propose = async (_world: World, trust: Trust): Promise<void> => void (await requestIn(trust));
const showing =
  (text: string) =>
  async (_world: World, trust: Trust): Promise<void> => {
    assert((await trust.approvals.show((await requestIn(trust, text)).requestId)).ok, "a request is shown");
  };
const show = showing(PLAN);
const decide = (verdict: "approved" | "declined") => async (_world: World, trust: Trust) =>
  (await trust.approvals.decide(answerTo(await requestIn(trust), verdict))).ok;

const ACTS: readonly ApprovalAct[] = [
  {
    name: "propose",
    ends: "pending",
    prepare: async () => {},
    run: async (_world, { approvals }) => (await approvals.propose(PLAN, BY)).ok,
  },
  {
    name: "show",
    ends: "pending",
    prepare: propose,
    run: async (_world, trust) => (await trust.approvals.show((await requestIn(trust)).requestId)).ok,
  },
  { name: "approve", ends: "approved", prepare: show, run: decide("approved") },
  { name: "approve-project", ends: "approved", prepare: showing(PROJECT), run: decide("approved") },
  { name: "approve-goal", ends: "approved", prepare: showing(GOAL), run: decide("approved") },
  { name: "decline", ends: "declined", prepare: show, run: decide("declined") },
  {
    name: "expire",
    ends: "expired",
    prepare: async (world, trust) => {
      await show(world, trust);
      world.clock.moveMs(TIMEOUT_MS);
    },
    run: async (_world, { approvals }) => (await approvals.missed()).ok,
  },
];

/**
 * Cuts every act between a plan and a used approval at every write boundary of the real file. Each state is opened
 * again: a decision is there whole or not at all, doing the act again ends it, and nothing is used twice.
 */
export function cutApprovals(seed: number, pick?: PickStates): Promise<Cuts> {
  return cutActs(seed, { acts: ACTS, check: checkCut, pick });
}

async function checkCut({ act, world, trust, dir }: Cut<ApprovalAct>): Promise<void> {
  await checkTrust(trust, dir);
  const wasDone = (await requestIn(trust)).state === act.ends;
  const isDoneAgain = await act.run(world, trust);
  const isDecision = act.ends === "approved" || act.ends === "declined";
  assert(isDoneAgain || (isDecision && wasDone), `${act.name} can be done again after a cut`);
  assert(!(isDecision && wasDone && isDoneAgain), `${act.name} that was done is not done twice`);
  const request = await requestIn(trust);
  assert(request.state === act.ends, `${act.name} leads to ${act.ends}`);
  if (request.state !== "pending") {
    for (const verdict of ["approved", "declined"] as const) {
      assert(!(await trust.approvals.decide(answerTo(request, verdict))).ok, "a decision is taken once");
    }
  }
  await checkTrust(trust, dir);
}

/** Lets every single statement of an approval fail: the answer is a refusal, nothing is kept, and trying again works. */
export function failApproval(seed: number, text = PLAN): Promise<Cuts> {
  return inWorld(seed, async (world) => {
    let failingAt: number | null = null;
    let seen = 0;
    const onStatement = (): void => {
      seen += 1;
      if (seen !== failingAt) return;
      throw Object.assign(new Error("simulated failure"), { code: "ERR_SQLITE_ERROR", errcode: 10 });
    };
    const dataDir = join(world.root, "data");
    const trust = await openTrust(world, { dataDir, vault: createMemoryVault(), onStatement });
    const answer = answerTo(await requestIn(trust, text), "approved");
    for (let at = 1; ; at += 1) {
      [seen, failingAt] = [0, at];
      const decided = await trust.approvals.decide(answer);
      failingAt = null;
      await checkTrust(trust, dataDir);
      assert(decided.ok === ((await requestIn(trust)).state === "approved"), `statement ${at}: the answer is true`);
      if (!decided.ok) continue;
      trust.stores.close();
      return { states: at - 1 };
    }
  });
}
