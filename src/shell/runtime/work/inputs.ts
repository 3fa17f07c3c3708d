import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { err, ok, type Instant, type Result } from "#base";
import type { Artifacts, WorkItem } from "#model";
import type { WorkStore } from "#ports";
import type { ArtifactFiles } from "./artifact-files.ts";

/** Where a workspace holds what was taken over from other work. */
const INPUTS = "inputs";

export type Linked = Pick<WorkItem, "followUpOf" | "inputArtifactsFrom">;
type InputDeps = { readonly store: Pick<WorkStore, "doneBefore">; readonly artifacts: ArtifactFiles };
type Asked = { readonly plan: Linked; readonly before: Instant };

/**
 * Results that a plan takes over: those it names of the last run of that work which was done before. What is not there is
 * said in words, and nothing begins then. [WORK-15] [WORK-16]
 */
async function findInputs({ store }: InputDeps, { plan, before }: Asked): Promise<Result<Artifacts, string>> {
  const { followUpOf: item, inputArtifactsFrom: wanted } = plan;
  if (item === null) return ok({});
  const found = await store.doneBefore(item, before);
  if (!found.ok) return err(`The results of ${item} cannot be read`);
  if (found.value === null) return err(`It follows ${item}, which is not done`);
  const { artifacts } = found.value;
  if (wanted.includes("*")) return ok(artifacts);
  const missing = wanted.filter((name) => !Object.hasOwn(artifacts, name));
  if (missing.length > 0) return err(`It takes over results that ${item} does not have: ${missing.join(", ")}`);
  return ok(
    Object.fromEntries(wanted.flatMap((name) => (artifacts[name] === undefined ? [] : [[name, artifacts[name]]]))),
  );
}

/** The same with their bytes, each as its digest says. */
export async function readInputs(
  deps: InputDeps,
  asked: Asked,
): Promise<Result<ReadonlyMap<string, Uint8Array>, string>> {
  const found = await findInputs(deps, asked);
  if (!found.ok) return found;
  const inputs = new Map<string, Uint8Array>();
  for (const [name, { sha256 }] of Object.entries(found.value)) {
    const bytes = await deps.artifacts.read(sha256);
    if (bytes === null) return err(`The bytes of ${name} were not kept, or are damaged`);
    inputs.set(name, bytes);
  }
  return ok(inputs);
}

type Laying = Asked & { readonly workspace: string };

/** Puts them into a workspace in which nothing runs yet. A folder of that name that came with a repository is not touched. */
export async function layInputs(deps: InputDeps, { workspace, ...asked }: Laying): Promise<Result<void, string>> {
  const inputs = await readInputs(deps, asked);
  if (!inputs.ok) return inputs;
  if (inputs.value.size === 0) return ok();
  try {
    // Not recursive: whatever lies there already, a link too, is a reason to stop.
    await mkdir(join(workspace, INPUTS), { mode: 0o700 });
  } catch {
    return err(`The repository has a folder ${INPUTS} of its own, where results are to be laid`);
  }
  for (const [name, bytes] of inputs.value) {
    await writeFile(join(workspace, INPUTS, name), bytes, { flag: "wx", mode: 0o600 });
  }
  return ok();
}
