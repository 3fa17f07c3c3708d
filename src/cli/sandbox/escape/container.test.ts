import { randomBytes } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { composeSandboxes } from "#compose";
import { loadConfig } from "#config";
import type { Sandboxes } from "#ports";
import { SANDBOX_NODE } from "#sandbox";
import { startContainerEngine, type ContainerEngine } from "../../../../test/contracts/container-engine.ts";
import { ownWord, textOf, type Attempt } from "./attempt.ts";
import { ATTEMPTS, runSuite } from "./suite.ts";
import type { Stage } from "./stage.ts";

let engine: ContainerEngine;
let sandboxes: Sandboxes;
const root = realpathSync(mkdtempSync(join(tmpdir(), "silas-container-")));
beforeAll(async () => {
  engine = await startContainerEngine();
  const env = {
    SILAS_SANDBOX__BACKEND: "docker",
    SILAS_SANDBOX__BASE_IMAGE: engine.image,
    SILAS_SANDBOX__ENGINE_SOCKET: engine.socket,
  };
  const loaded = loadConfig({ env, cwd: root, homeDir: root, platform: process.platform });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const { config, paths } = loaded.value;
  sandboxes = composeSandboxes({ config, stateDir: paths.stateDir, searchPath: "" });
});
afterAll(async () => {
  await sandboxes.close();
  await engine.close();
  rmSync(root, { recursive: true, force: true });
});

/** What is seen differs when others run beside it, and what it leaves running must be looked for when its run is over. */
const ALONE = /^(see processes|live on|leave the dead|end the first|find open files|inherit)/;

/** Those that say themselves whether they were held, and ask for nothing in particular, can share a container. */
const canShare = ({ name, judge, grants, limits, command }: Attempt, stage: Stage): boolean =>
  [judge, grants, limits, command(stage).network].every((asked) => asked === undefined) && !ALONE.test(name);

const STAND_IN = { port: 1, port6: 1, udpPort: 1, own: ["/", "/"] } as unknown as Stage;

/** Runs programs one after the other in one container, and prints what each of them said. */
const ROUND = `
const { spawnSync } = require("node:child_process");
const orders = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const said = orders.map(({ argv: [program, ...args], env }) => {
  const ran = spawnSync(program, args, { env: { ...process.env, ...env }, timeout: 300000 });
  return String(ran.stdout) + String(ran.stderr);
});
require("node:fs").writeSync(1, JSON.stringify(said));`;

const shared = ATTEMPTS.filter((attempt) => canShare(attempt, STAND_IN));

const round: Attempt = {
  name: "all that can share a container",
  // It is many attempts in one, and the time of one is not theirs.
  limits: { outputBytes: 1_000_000, cpuSeconds: 900, timeoutMs: 900_000 },
  command: (stage) => ({
    argv: [SANDBOX_NODE, "--eval", ROUND],
    stdin: Buffer.from(JSON.stringify(shared.map(({ command }) => command(stage)))),
  }),
  judge: (run) => {
    const said = JSON.parse(textOf(run.stdout)) as readonly string[];
    const faults = said.flatMap((text, at) => {
      const fault = ownWord({ ...run, stdout: { bytes: Buffer.from(text), isTruncated: false } });
      return fault === null ? [] : [`${shared[at]?.name}: ${fault}`];
    });
    return said.length === shared.length && faults.length === 0 ? null : faults.join("\n");
  },
};

/** One of each kind of what needs a container of its own; `silas sandbox test` makes every attempt in one. */
const SINGLE = [
  "see processes of this machine",
  "live on in a session of its own",
  "climb out of a granted path by a link laid in it",
  "write to a path granted for reading",
  "have the gateway connect to 127.0.0.1",
  "speak to the gateway by its socket",
  "fork until the machine is full",
  "take all memory in many processes",
];

test("[SBX-11] attempts to break out are held by a container as well", async () => {
  expect(shared.length).toBeGreaterThan(70);
  const outcomes = await runSuite({
    sandboxes,
    attempts: [round, ...ATTEMPTS.filter(({ name }) => SINGLE.includes(name))],
    own: [join(root, "data"), join(root, "state")],
    mark: `mark-${randomBytes(12).toString("hex")}`,
    onOutcome: () => {},
  });
  expect(outcomes.filter(({ state }) => state !== "held")).toEqual([]);
  expect(outcomes).toHaveLength(SINGLE.length + 1);
  expect(engine.containers()).toEqual([]);
});
