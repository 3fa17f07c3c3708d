import { sandboxWords, type CheckResult, type SandboxLine, type VerificationCheck } from "#model";
import type { EgressGrant, SandboxSpace } from "#ports";
import { checkNotRun, judgeOutput, splitCommand, type RunPlan } from "#work";
import { findPattern } from "../gates/linear-patterns.ts";
import { isInside } from "./artifacts.ts";
import { textOf } from "./perform-step.ts";
import { RESULTS } from "./spaces.ts";

type Checking = {
  readonly plan: RunPlan;
  /** The sandbox of the checks, and where on this machine the steps left their workspace. */
  readonly space: SandboxSpace;
  readonly workspace: string;
  /** What the check at this place may reach. Without it a check that asks for network fails closed. [VER-07] */
  readonly networkFor?: (index: number) => EgressGrant;
  readonly isStopped: () => boolean;
  readonly onCheck: (check: VerificationCheck) => void;
  readonly onLine: (line: SandboxLine) => void;
};

/** Every check, in order, also after one has failed. [VER-03] */
export async function performChecks(checking: Checking): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [index, check] of checking.plan.verify.entries()) {
    if (checking.isStopped()) break;
    checking.onCheck(check);
    results.push(await performCheck(checking, { check, index }));
  }
  return results;
}

type Placed = { readonly check: VerificationCheck; readonly index: number };

/** Says with every result what the run changed that it may rest on; it decides nothing. */
export const withChanges = (results: readonly CheckResult[], changed: readonly string[]): readonly CheckResult[] =>
  changed.length === 0 ? results : results.map((result) => ({ ...result, changedFiles: [...changed] }));

async function performCheck(checking: Checking, { check, index }: Placed): Promise<CheckResult> {
  const network = check.network ? checking.networkFor?.(index) : undefined;
  // With no host to keep it to, nothing could enforce what was approved.
  if (check.network && (network?.hosts ?? []).length === 0) {
    return checkNotRun(check, "This check asks for network, and its plan names no hosts");
  }
  const words = splitCommand(check.run);
  if (!words.ok) return checkNotRun(check, "The command does not split into words");
  const { space, onLine } = checking;
  const online = network === undefined ? {} : { network };
  const timeoutMs = check.timeout * 1000;
  const ran = await space.run({ argv: words.value, cwd: RESULTS, timeoutMs, ...online, onLine });
  if (!ran.ok) return checkNotRun(check, sandboxWords(ran.error).what);
  const { end, stdout } = ran.value;
  const { fileExists: place } = check.expect;
  const fileExists = place === null ? null : await isThere(checking, place);
  const run = { end, stdout: textOf(stdout.bytes), isTruncated: stdout.isTruncated, fileExists };
  return judgeOutput({ check, run, findPattern });
}

/** In the workspace, or in a place the plan was granted. */
async function isThere({ workspace, plan }: Checking, place: string): Promise<boolean> {
  if (!place.startsWith("/")) return isInside(workspace, place);
  const granted = [...plan.files.read, ...plan.files.write].find((folder) => place.startsWith(`${folder}/`));
  return granted !== undefined && isInside(granted, place.slice(granted.length + 1));
}
