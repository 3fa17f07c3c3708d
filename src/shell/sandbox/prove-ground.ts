import { err, type Result } from "#base";
import { defaultSandboxConfig, type SandboxConfig, type SandboxRefusal } from "#model";
import type { SandboxSpace } from "#ports";
import { layContainerGround } from "./container/container-ground.ts";
import { closePaths, openGranted } from "./granted-paths.ts";
import type { Ground, Unsupported } from "./ground.ts";
import { checkConfig, createSpace, type SpaceParts } from "./space.ts";
import type { SandboxesOptions } from "./sandboxes.ts";
import { layGround } from "./support.ts";
import { sweepWorkspaces } from "./work-dir.ts";

type Opening = { readonly config: SandboxConfig; readonly ground: Ground; readonly options: SandboxesOptions };

/** Lays the ground and launches once for real: what a system forbids shows only then. */
export async function proveGround(options: SandboxesOptions): Promise<Result<Ground, Unsupported>> {
  const { settings, host, randomness, timers } = options;
  const { backend, workDir } = settings;
  if (backend === "subprocess") await sweepWorkspaces(workDir);
  const parts = { host, workDir, randomness, timers };
  const ground = backend === "docker" ? await layContainerGround({ ...parts, settings }) : await layGround(parts);
  if (!ground.ok) return ground;
  const refused = await tryLaunch({ config: TRIAL, ground: ground.value, options });
  if (refused === null) return ground;
  await ground.value.leave();
  const reason = backend === "docker" ? "engine_refused" : "namespaces_refused";
  return err({ code: "sandbox_unsupported", backend, reason, detail: refused });
}

const TRIAL: SandboxConfig = defaultSandboxConfig({ memoryMb: 64, cpuSeconds: 10 });
/** A machine that is busy takes long, and forbids nothing. */
const TRIAL_WAIT_MS = 60_000;

/** Null when it worked, or what the machine said. */
async function tryLaunch(opening: Opening): Promise<string | null> {
  const space = await openSpace(opening);
  if (!space.ok) return space.error.code;
  const run = await space.value.run({ argv: opening.ground.trial, timeoutMs: TRIAL_WAIT_MS });
  await space.value.close();
  if (!run.ok) return run.error.code === "sandbox_not_started" ? run.error.detail : run.error.code;
  const { end, stderr } = run.value;
  if (end.kind === "exit" && end.code === 0) return null;
  return Buffer.from(stderr.bytes).toString().trim().slice(0, 500) || `a trial ended with ${JSON.stringify(end)}`;
}

export async function openSpace({ config, ground, options }: Opening): Promise<Result<SandboxSpace, SandboxRefusal>> {
  const checked = checkConfig(config);
  if (!checked.ok) return checked;
  const { settings, own, randomness, egress = null } = options;
  const paths = openGranted(config, { own: [...own, ...ground.own], workDir: settings.workDir });
  if (!paths.ok) return paths;
  const { workDir } = settings;
  const parts: SpaceParts = { config, paths: paths.value, ground, egress, workDir, randomness };
  try {
    return await createSpace(parts);
  } catch (cause) {
    closePaths(paths.value);
    const detail = cause instanceof Error ? cause.message : String(cause);
    return err({ code: "sandbox_unsupported", backend: settings.backend, reason: "work_dir_unusable", detail });
  }
}
