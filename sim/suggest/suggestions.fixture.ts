import { join } from "node:path";
import { assert, msOfInstant } from "#base";
import type { AuditEntry, Config, Suggestion } from "#model";
import type { ModelGateway, Vault } from "#ports";
import { createMemoryVault } from "#stores";
import { inWorld, type World } from "../disk-run.ts";
import { BERLIN, chainOf, isRunning, pageScript, setClock, type Page } from "../goals.fixture.ts";
import { createVirtualTimers } from "../seeded.ts";
import { closeWork, NO_SUGGESTIONS, openWork, playSandboxes, until, type Played, type Working } from "../work-world.ts";

export type SuggestWorld = Working & {
  readonly world: World;
  readonly sandboxes: Played;
  readonly page: Page;
  readonly dataDir: string;
  readonly vault: Vault;
  /** Starts it, and waits for what was due. */
  start(): Promise<void>;
  /** Lets time pass, with everything that falls due in it. */
  pass(minutes: number): Promise<void>;
  waiting(): Promise<readonly Suggestion[]>;
  /** What the chain says of suggestions, oldest first. */
  told(): Promise<readonly AuditEntry[]>;
  close(): Promise<void>;
};
type Opening = {
  readonly dataDir?: string;
  readonly vault?: Vault;
  readonly page?: Page;
  readonly suggestions?: Partial<Config["suggestions"]>;
  readonly onStatement?: (sql: string) => void;
  /** What carries out work that a model does. */
  readonly models?: ModelGateway;
};

/** Silas with suggestions as they are shipped, in a world whose time only passes when it is told to. */
export async function openSuggesting(world: World, opening: Opening = {}): Promise<SuggestWorld> {
  const { vault = createMemoryVault(), page = { isThere: true, canBeRepaired: true }, onStatement, models } = opening;
  const dataDir = opening.dataDir ?? join(world.root, "data");
  const sandboxes = playSandboxes(join(world.root, "spaces"), pageScript(page));
  const timers = createVirtualTimers(world.clock);
  const working = await openWork(world, {
    dataDir,
    vault,
    sandboxes,
    scheduling: { timers, scheduler: BERLIN },
    suggestions: { ...NO_SUGGESTIONS, enabled: true, ...opening.suggestions },
    ...(onStatement === undefined ? {} : { onStatement }),
    ...(models === undefined ? {} : { models }),
  });
  const { work, trust } = working;
  const settle = async (): Promise<void> => {
    let seen = "";
    await until(async () => {
      // An answer comes in the turn of what was begun before it, so that it is over once this one is there.
      await work.suggestions.answer("nobody", { answer: "not_now", actor: { kind: "terminal" } });
      await work.idle();
      const head = await trust.stores.audit.head();
      assert(head.ok, "the file can be read");
      const before = seen;
      seen = `${head.value.seq} ${sandboxes.ran.length}`;
      // A repair waits for the disk for longer than a turn.
      return before === seen && timers.isArmed() && !(await isRunning(trust));
    });
  };
  const pass = async (minutes: number): Promise<void> => {
    const endMs = msOfInstant(world.clock.now()) + minutes * 60_000;
    while (timers.next(endMs)) await settle();
    world.clock.moveMs(Math.max(0, endMs - msOfInstant(world.clock.now())));
  };
  return {
    ...working,
    world,
    sandboxes,
    page,
    dataDir,
    vault,
    async start() {
      await work.start();
      await pass(0.2);
    },
    pass,
    async waiting() {
      const listed = await work.suggestions.list();
      assert(listed.ok, "suggestions can be listed");
      return listed.value;
    },
    told: async () => (await chainOf(working)).filter(({ event }) => event.startsWith("suggestion")),
    close: () => closeWork(working),
  };
}

export const MORNING = "2026-11-10T09:00:00.000Z";

/** A Silas that was started, for as long as somebody looks at it. */
export const suggesting = (look: (silas: SuggestWorld) => Promise<void>, opening: Opening = {}): Promise<void> =>
  inWorld(7, async (world) => {
    setClock(world, MORNING);
    const silas = await openSuggesting(world, opening);
    await silas.start();
    try {
      await look(silas);
    } finally {
      await silas.close();
    }
  });
