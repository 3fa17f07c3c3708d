import { err, ok, oneLine, type Result } from "#base";
import { sandboxWords, type Repository, type SandboxConfig } from "#model";
import type { Sandboxes, SandboxSpace } from "#ports";
import { textOf } from "./perform-step.ts";

/** Where git finds the repository, to read only, and nobody else does. */
const REPOSITORY = "/repository";
const TREE_TIMEOUT_MS = 120_000;

/** Neither the machine's settings of git nor those of whoever runs Silas count, and nothing is asked of anybody. */
const ENV = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
};

const commandsFor = (ref: string): readonly (readonly string[])[] => [
  ["git", "init", "--quiet", "--template=", "--initial-branch=silas", "."],
  [
    "git",
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-recurse-submodules",
    "--depth=1",
    ...UPLOAD,
    `file://${REPOSITORY}`,
    ref,
  ],
  ["git", "checkout", "--quiet", "--detach", "FETCH_HEAD"],
];
/** So that a commit can be named by its id as well. */
const UPLOAD = ["--upload-pack", "git -c uploadpack.allowAnySHA1InWant=true upload-pack"];

/**
 * A tree of its own of one commit, in a sandbox of its own. Git runs inside of it, with the repository to read only: what
 * the settings or hooks of a hostile repository start has no more than any step has, and the repository itself stays as it
 * is. Whoever gets the tree copies it and closes the space. [PAR-05]
 */
export async function openTree(
  sandboxes: Sandboxes,
  { repository, usual }: { readonly repository: Repository; readonly usual: SandboxConfig },
): Promise<Result<SandboxSpace, string>> {
  const { path, ref } = repository;
  const limits = { ...usual.limits, timeoutMs: TREE_TIMEOUT_MS };
  const opened = await sandboxes.open({ ...usual, readPaths: [{ path, as: REPOSITORY }], env: ENV, limits });
  if (!opened.ok) return err(`No tree of ${oneLine(path)}: ${sandboxWords(opened.error).what}`);
  const space = opened.value;
  for (const argv of commandsFor(ref)) {
    const problem = await problemOf(space, argv);
    if (problem === null) continue;
    await space.close();
    return err(`No tree of ${oneLine(path)} at ${ref}: ${problem}`);
  }
  return ok(space);
}

async function problemOf(space: SandboxSpace, argv: readonly string[]): Promise<string | null> {
  const ran = await space.run({ argv });
  if (!ran.ok) return sandboxWords(ran.error).what;
  const { end, stderr } = ran.value;
  if (end.kind === "exit" && end.code === 0) return null;
  const said = textOf(stderr.bytes).trim().split("\n").at(-1) ?? "";
  return `${argv[1]} ended with ${end.kind === "exit" ? `code ${end.code}` : end.kind}: ${oneLine(said)}`;
}
