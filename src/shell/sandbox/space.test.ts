import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { ok } from "#base";
import type { SandboxRun } from "#model";
import type { EgressGateway, SandboxCommand, SandboxSpace } from "#ports";
import { heldUnder } from "../../../test/held-under.ts";
import { openByWalking } from "./granted-paths.ts";
import type { Ground, Launched } from "./ground.ts";
import { CONFIG, randomness, sandboxesIn, runIn, spaceIn, tempFolder, timers } from "./sandbox.fixture.ts";
import { checkConfig, createSpace, type SpaceParts } from "./space.ts";
import { prepareWorkDir } from "./work-dir.ts";

const EMPTY = { bytes: new Uint8Array(), truncated: false } as unknown as SandboxRun["stdout"];
const RUN: SandboxRun = { end: { kind: "exit", code: 0 }, stdout: EMPTY, stderr: EMPTY, durationMs: 1 };

/** Programs that end when the test says so: what a space does meanwhile and afterwards is all that is looked at. */
function standIn() {
  const runs: { readonly end: () => void; isKilled: boolean }[] = [];
  const start = (): Launched => {
    const { promise, resolve } = Promise.withResolvers<Awaited<Launched["ended"]>>();
    const run = { end: () => resolve(ok(RUN)), isKilled: false };
    runs.push(run);
    return { ended: promise, kill: () => void (run.isKilled = true) };
  };
  const ground: Ground = {
    version: "1",
    own: [],
    trial: [],
    handsOverPipes: true,
    talks: true,
    start,
    leave: async () => {},
  };
  return { ground, runs };
}

/** A gateway whose door takes a moment to close. */
function doors(onOpened = (): void => {}) {
  const told: string[] = [];
  const egress: EgressGateway = {
    async open(socketPath) {
      writeFileSync(socketPath, "");
      told.push("opened");
      onOpened();
      return ok({
        async close() {
          await nextTurn();
          told.push("closed");
        },
      });
    },
  };
  return { egress, told };
}

const NETWORK = { hosts: [], onUse: async () => true };
const COMMAND: SandboxCommand = { argv: ["/bin/true"] };

async function spaceOver(given: Partial<SpaceParts> & Pick<SpaceParts, "ground">) {
  const folder = tempFolder();
  const workDir = join(folder, "work");
  prepareWorkDir(workDir);
  const granted = join(folder, "granted");
  mkdirSync(granted);
  const opened = openByWalking(granted);
  if (!opened.ok) throw new Error(opened.error);
  const paths = [{ fd: opened.value, as: "/granted", access: "read" as const }];
  const made = await createSpace({ config: CONFIG, paths, egress: null, workDir, randomness, ...given });
  return { folder, workDir, made };
}

async function openSpace(given: Partial<SpaceParts> & Pick<SpaceParts, "ground">) {
  const { made, ...places } = await spaceOver(given);
  if (!made.ok) throw new Error(made.error.code);
  return { ...places, space: made.value };
}

const MIB = 1024 * 1024;

/** Arguments of so many bytes in all, none of them longer than Linux takes. */
function argumentsOf(bytes: number): readonly string[] {
  const longest = 100_000;
  const whole = Array<string>(Math.floor(bytes / longest)).fill("x".repeat(longest));
  return [...whole, "x".repeat(bytes % longest)];
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await nextTurn();
};

describe("a space", () => {
  test("is closed when every run is ended and over, and leaves neither a file nor an open one", async () => {
    const { ground, runs } = standIn();
    const { folder, workDir, space } = await openSpace({ ground });
    writeFileSync(join(space.workspace, "left"), "x");
    const under = [space.run(COMMAND), space.run(COMMAND)];
    await until(() => runs.length === 2);
    let isClosed = false;
    const closing = space.close().then(() => void (isClosed = true));
    expect(runs.map(({ isKilled }) => isKilled)).toEqual([true, true]);
    runs[0]?.end();
    await nextTurn();
    await nextTurn();
    expect([isClosed, readdirSync(workDir).length]).toEqual([false, 1]);
    runs[1]?.end();
    await closing;
    expect([heldUnder(folder), readdirSync(workDir)]).toEqual([[], []]);
    for (const ran of await Promise.all(under)) expect(ran).toMatchObject({ ok: true });
    expect(await space.run(COMMAND)).toEqual({ ok: false, error: { code: "sandbox_closed" } });
    await space.close();
  });

  test("starts a command of exactly one MiB, and refuses one byte more", async () => {
    const { ground, runs } = standIn();
    const { space } = await openSpace({ ground });
    const running = space.run({ argv: argumentsOf(MIB) });
    await until(() => runs.length === 1);
    runs[0]?.end();
    expect(await running).toMatchObject({ ok: true });
    expect(await space.run({ argv: argumentsOf(MIB + 1) })).toEqual({
      ok: false,
      error: { code: "sandbox_command_refused", reason: "too_long" },
    });
    await space.close();
  });

  test.each(Object.keys(CONFIG.limits) as (keyof typeof CONFIG.limits)[])(
    "takes a whole number from 1 for the limit %s, and nothing else",
    (limit) => {
      const checked = (value: number) => checkConfig({ ...CONFIG, limits: { ...CONFIG.limits, [limit]: value } });
      expect(checked(1)).toEqual(ok());
      for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
        expect(checked(value)).toEqual({ ok: false, error: { code: "sandbox_limit_refused", limit } });
    },
  );

  test("ends no run that is over by itself", async () => {
    const { ground, runs } = standIn();
    const { space } = await openSpace({ ground });
    const running = space.run(COMMAND);
    await until(() => runs.length === 1);
    runs[0]?.end();
    await running;
    await space.close();
    expect(runs[0]?.isKilled).toBe(false);
  });

  test.each<readonly [string, Partial<SandboxCommand>, Partial<Ground>]>([
    ["ends", {}, {}],
    ["is refused for its command", { argv: [] }, {}],
    ["is refused for its pipes", { pipes: { KEY: Buffer.alloc(1) } }, { handsOverPipes: undefined as never }],
  ])("has closed the way out of a run that %s before it answers", async (_how, command, less) => {
    const { ground, runs } = standIn();
    const { egress, told } = doors();
    const { folder, space } = await openSpace({ ground: { ...ground, ...less }, egress });
    const before = heldUnder(folder);
    const running = space.run({ ...COMMAND, network: NETWORK, ...command }).then((ran) => [ran.ok, ...told]);
    await until(() => runs.length === 1 || told.includes("closed"));
    runs[0]?.end();
    expect(await running).toEqual([runs.length === 1, "opened", "closed"]);
    expect(heldUnder(folder)).toEqual(before);
    await space.close();
  });

  test("begins nothing that asked before it was closed and was not ready yet", async () => {
    const { ground, runs } = standIn();
    const { egress, told } = doors(() => void space.close());
    const { space } = await openSpace({ ground, egress });
    const refused = { ok: false, error: { code: "sandbox_closed" } };
    expect(await space.run({ ...COMMAND, network: NETWORK })).toEqual(refused);
    expect([runs.length, told]).toEqual([0, ["opened", "closed"]]);
    await space.close();
  });

  test("takes back what a program handed over once it is over, and closes its ends of the pipes", async () => {
    const { ground, runs } = standIn();
    const { folder, space } = await openSpace({ ground });
    const before = heldUnder(folder).length;
    const taken: Uint8Array[] = [];
    const handsBack = { name: "BACK", take: (bytes: Uint8Array) => void taken.push(bytes) };
    const running = space.run({ ...COMMAND, handsBack, pipes: { KEY: Buffer.from("x") } });
    await until(() => runs.length === 1);
    expect([heldUnder(folder).length - before, taken.length]).toEqual([1, 0]);
    runs[0]?.end();
    await running;
    expect([heldUnder(folder).length - before, taken.length]).toEqual([0, 1]);
    await space.run({ argv: [], handsBack });
    expect([heldUnder(folder).length - before, taken.length]).toEqual([0, 2]);
    await space.close();
  });

  test("that cannot be begun as the plan says closes what was granted and leaves no folder", async () => {
    const { ground } = standIn();
    const absent = { ...CONFIG, workDir: join(tempFolder(), "absent") };
    const { folder, workDir, made } = await spaceOver({ ground, config: absent });
    expect(made).toMatchObject({ ok: false, error: { code: "sandbox_path_refused" } });
    expect([heldUnder(folder), readdirSync(workDir)]).toEqual([[], []]);
  });

  test("begins with a copy that has no special rights, and nothing of the folder it came from stays open", async () => {
    const from = tempFolder();
    for (const name of ["first", "second"]) {
      writeFileSync(join(from, name), "x");
      chmodSync(join(from, name), 0o4755);
    }
    const { ground } = standIn();
    const { space } = await openSpace({ ground, config: { ...CONFIG, workDir: from } });
    const modes = readdirSync(space.workspace).map((name) => statSync(join(space.workspace, name)).mode & 0o7777);
    expect([modes, heldUnder(from)]).toEqual([[0o755, 0o755], []]);
    await space.close();
  });
});

test("no timer of a run is left once it is over", async () => {
  const waiting = new Set<symbol>();
  const counted: typeof timers = {
    after(delayMs, work) {
      const one = Symbol("timer");
      waiting.add(one);
      const cancel = timers.after(delayMs, () => {
        waiting.delete(one);
        work();
      });
      return () => {
        waiting.delete(one);
        cancel();
      };
    },
  };
  const space: SandboxSpace = await spaceIn(sandboxesIn(tempFolder(), { timers: counted }));
  expect((await runIn(space, "/bin/true")).end).toEqual({ kind: "exit", code: 0 });
  expect(waiting.size).toBe(0);
});
