import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { assert, msOfInstant, type Instant } from "#base";
import {
  planProposalText,
  type AuditEntry,
  type Config,
  type Cycle,
  type KeptRequest,
  type StandingTerms,
} from "#model";
import type { Log, Vault } from "#ports";
import { createMemoryVault } from "#stores";
import { answerTo, BY } from "./approval-world.ts";
import type { World } from "./disk-run.ts";
import { createVirtualTimers, type VirtualTimers } from "./seeded.ts";
import { closeWork, openWork, playSandboxes, until, type Played, type Script, type Working } from "./work-world.ts";

/** A page that breaks and is repaired; whoever looks sees whether it is there. */
export type Page = { isThere: boolean; canBeRepaired: boolean };

export const pageScript =
  (page: Page): Script =>
  ({ argv }) => {
    if (argv[0] === "make") {
      page.isThere = page.canBeRepaired;
      return 0;
    }
    return page.isThere ? 0 : 1;
  };

type GoalText = { readonly lines?: string; readonly standing?: StandingTerms | null };

export function goalText({ lines = STEPS, standing = null }: GoalText = {}): string {
  const plan = `---
id: goal-page
type: goal
title: Keep the page there
schedule: "* * * * *"
budget: { max_attempts: 1 }
verify:
  - { name: page is there, run: look, expect: { exit_code: 0 } }
${lines}
---

# What to do

Make the page again.
`;
  return planProposalText({ plan, tasks: [], standing });
}
export const STEPS = `on_failure: spawn_task
failure_context: "Again: $failed_checks"
steps:
  - { name: write, run: make page }`;

export type GoalWorld = Working & {
  readonly world: World;
  readonly page: Page;
  readonly sandboxes: Played;
  readonly dataDir: string;
  readonly vault: Vault;
  readonly timers: VirtualTimers;
  /** Lets time pass, with everything that falls due in it. */
  pass(minutes: number): Promise<void>;
  /** Waits for nothing but what is going on. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

export const BERLIN: Config["scheduler"] = {
  enabled: true,
  timezone: "Europe/Berlin",
  missedRunPolicy: "once",
  missedRunGraceMinutes: 5,
};

type Opening = {
  readonly page?: Page;
  /** What programs do, in place of looking at the page. */
  readonly script?: Script;
  readonly dataDir?: string;
  readonly vault?: Vault;
  readonly scheduler?: Partial<Config["scheduler"]>;
  readonly onStatement?: (sql: string) => void;
  readonly log?: Log;
};

/** Silas as it starts, in a world whose time only passes when it is told to. */
export async function openGoals(world: World, opening: Opening = {}): Promise<GoalWorld> {
  const { page = { isThere: true, canBeRepaired: true }, vault = createMemoryVault() } = opening;
  const dataDir = opening.dataDir ?? join(world.root, "data");
  const sandboxes = playSandboxes(join(world.root, "spaces"), opening.script ?? pageScript(page));
  const timers = createVirtualTimers(world.clock);
  const scheduling = { timers, scheduler: { ...BERLIN, ...opening.scheduler } };
  const { onStatement, log } = opening;
  const working = await openWork(world, {
    dataDir,
    vault,
    sandboxes,
    scheduling,
    ...(onStatement === undefined ? {} : { onStatement }),
    ...(log === undefined ? {} : { log }),
  });
  const settle = (): Promise<void> => settled(working, { sandboxes, timers });
  return {
    ...working,
    world,
    page,
    sandboxes,
    dataDir,
    vault,
    timers,
    settle,
    async pass(minutes) {
      const endMs = msOfInstant(world.clock.now()) + minutes * 60_000;
      while (timers.next(endMs)) await settle();
      world.clock.moveMs(Math.max(0, endMs - msOfInstant(world.clock.now())));
    },
    close: () => closeWork(working),
  };
}

/** Nothing waits for a real timer: what is going on is over when a turn of the loop brought nothing more. */
async function settled(
  { trust, work }: Working,
  { sandboxes, timers }: Pick<GoalWorld, "sandboxes" | "timers">,
): Promise<void> {
  let seen = "";
  await turn();
  await until(async () => {
    await work.idle();
    const head = await trust.stores.audit.head();
    assert(head.ok, "the file can be read");
    const before = seen;
    seen = `${head.value.seq} ${sandboxes.ran.length} ${sandboxes.opened()}`;
    return before === seen && timers.isArmed() && !(await isRunning(trust));
  });
}

/** Whether a goal is being looked at or repaired; one that waits for a decision is not. */
export async function isRunning({ stores }: Working["trust"]): Promise<boolean> {
  const open = await stores.goals.open();
  assert(open.ok, "the file can be read");
  return open.value.some(({ state }) => state !== "waiting");
}

/** Approves a goal; whoever lists goals has it taken up. */
export async function approve({ trust, work }: Working, text: string): Promise<KeptRequest> {
  const proposed = await trust.approvals.propose(text, BY);
  assert(proposed.ok, `a goal is proposed: ${JSON.stringify(proposed)}`);
  await answer({ trust }, { request: proposed.value.request, verdict: "approved" });
  assert((await work.goals.list()).ok, "goals can be listed");
  return proposed.value.request;
}

type Answering = { readonly request: KeptRequest; readonly verdict: "approved" | "declined" };
export async function answer({ trust }: Pick<Working, "trust">, { request, verdict }: Answering): Promise<void> {
  const decided = await trust.approvals.decide(answerTo(request, verdict));
  assert(decided.ok, `a request is decided: ${JSON.stringify(decided)}`);
}

export async function cyclesOf({ trust }: Working): Promise<readonly Cycle[]> {
  const cycles = await trust.stores.goals.cycles("goal-page");
  assert(cycles.ok, "cycles can be read");
  return cycles.value;
}

/** What the chain says, oldest first. */
export async function chainOf({ trust }: Working): Promise<readonly AuditEntry[]> {
  const found: AuditEntry[] = [];
  for (let beforeSeq: number | null = null; ;) {
    const page = await trust.stores.audit.entries({ beforeSeq, from: null, to: null, limit: 500 });
    assert(page.ok, "the chain can be read");
    const last = page.value.at(-1);
    if (last === undefined) return found.toReversed();
    found.push(...page.value);
    beforeSeq = last.seq;
  }
}

/** Sets the clock of a world, before anything began in it. */
export function setClock({ clock }: World, at: string): void {
  clock.moveMs(msOfInstant(at as Instant) - msOfInstant(clock.now()));
}
