import { defaultSandboxConfig, sandboxWords } from "#model";
import type { Sandboxes, SandboxSpace } from "#ports";
import { ownWord, type Attempt } from "./attempt.ts";
import { FILE_ATTEMPTS } from "./file-attempts.ts";
import { GATEWAY_ATTEMPTS } from "./gateway-attempts.ts";
import { KERNEL_ATTEMPTS } from "./kernel-attempts.ts";
import { LIMIT_ATTEMPTS } from "./limit-attempts.ts";
import { MODE_ATTEMPTS } from "./mode-attempts.ts";
import { NETWORK_ATTEMPTS } from "./network-attempts.ts";
import { PROCESS_ATTEMPTS } from "./process-attempts.ts";
import { setStage, type Stage } from "./stage.ts";

export type Outcome = {
  readonly name: string;
  /** `not_tried` where the sandbox lacks the program the attempt is made with. */
  readonly state: "held" | "escaped" | "not_tried";
  readonly detail: string | null;
};

export const ATTEMPTS: readonly Attempt[] = [
  ...NETWORK_ATTEMPTS,
  ...GATEWAY_ATTEMPTS,
  ...FILE_ATTEMPTS,
  ...MODE_ATTEMPTS,
  ...PROCESS_ATTEMPTS,
  ...KERNEL_ATTEMPTS,
  ...LIMIT_ATTEMPTS,
];

type SuiteOptions = {
  readonly sandboxes: Sandboxes;
  readonly attempts: readonly Attempt[];
  readonly own: readonly string[];
  readonly mark: string;
  readonly onOutcome: (outcome: Outcome) => void;
};

/** Makes every attempt, one after the other, each in a space of its own. Anything but a clear "held" is an escape. */
export async function runSuite(options: SuiteOptions): Promise<readonly Outcome[]> {
  const { sandboxes, attempts, own, mark, onOutcome } = options;
  const other = await sandboxes.open(BASE);
  if (!other.ok) throw new Error(sandboxWords(other.error).what);
  const stage = await setStage({ own, otherWorkspace: other.value.workspace, mark });
  const scene = { sandboxes, stage, programs: programsOf(other.value) };
  try {
    const outcomes: Outcome[] = [];
    for (const attempt of attempts) {
      const outcome = await make(attempt, scene);
      outcomes.push(outcome);
      onOutcome(outcome);
    }
    return outcomes;
  } finally {
    await stage.clear();
    await other.value.close();
  }
}

const BASE = defaultSandboxConfig({ memoryMb: 256, cpuSeconds: 20 });
/** An attempt that a busy machine did not let come to its end would prove nothing. */
const PATIENCE_MS = 120_000;

type Scene = {
  readonly sandboxes: Sandboxes;
  readonly stage: Stage;
  /** Whether the sandbox has a program; a container has other ones than this machine. */
  readonly programs: (path: string) => Promise<boolean>;
};

function programsOf(space: SandboxSpace): Scene["programs"] {
  const known = new Map<string, Promise<boolean>>();
  const look = async (path: string): Promise<boolean> => {
    const looked = await space.run({ argv: ["/bin/sh", "-c", 'test -x "$0"', path] });
    return looked.ok && looked.value.end.kind === "exit" && looked.value.end.code === 0;
  };
  return (path) => {
    const asked = known.get(path) ?? look(path);
    known.set(path, asked);
    return asked;
  };
}

async function make(attempt: Attempt, { sandboxes, stage, programs }: Scene): Promise<Outcome> {
  const { name, needs, grants, limits, command, judge = ownWord } = attempt;
  if (needs !== undefined && !(await programs(needs)))
    return { name, state: "not_tried", detail: `there is no ${needs}` };
  const space = await sandboxes.open({
    ...BASE,
    ...grants?.(stage),
    env: { MARK: stage.mark },
    limits: { ...BASE.limits, timeoutMs: PATIENCE_MS, ...limits },
  });
  if (!space.ok) return { name, state: "escaped", detail: `not begun: ${sandboxWords(space.error).what}` };
  const run = await space.value.run(command(stage));
  const seen = run.ok ? judge(run.value) : `not begun: ${sandboxWords(run.error).what}`;
  const detail = stage.damage() ?? seen;
  await space.value.close();
  return { name, state: detail === null ? "held" : "escaped", detail };
}
