import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { err, ok, type Result } from "#base";
import type { Config } from "#model";
import type { Randomness, Timers } from "#ports";
import type { Ground, Unsupported } from "../ground.ts";
import { PROCESSORS, type Processor } from "../seccomp/calls-table.ts";
import type { Host } from "../support.ts";
import { makeOwnedFolder, prepareWorkDir, removeTree, sweepWorkspaces } from "../work-dir.ts";
import { fieldOf } from "./engine-client.ts";
import { findEngine, type Engine } from "./find-engine.ts";
import { seccompProfile } from "./seccomp-profile.ts";
import { startContainer } from "./start-container.ts";
import { sweepContainers } from "./sweep-containers.ts";

type ContainerSettings = Pick<Config["sandbox"], "workDir" | "baseImage" | "engineSocket">;

type ContainerOptions = {
  readonly settings: ContainerSettings;
  readonly host: Host;
  readonly randomness: Randomness;
  readonly timers: Timers;
};

/** Everything that can be known without a launch; the launch that proves it comes after. */
export async function layContainerGround(options: ContainerOptions): Promise<Result<Ground, Unsupported>> {
  const { settings, host, randomness } = options;
  const { workDir, baseImage } = settings;
  if (host.platform !== "linux") return unsupported("not_linux", host.platform);
  if (!Object.hasOwn(PROCESSORS, host.arch)) return unsupported("processor_unknown", host.arch);
  const owner = { uid: ownUid(), gid: process.getgid?.() ?? 0 };
  const engine = await findEngine({ socket: settings.engineSocket, uid: owner.uid });
  if (!engine.ok) return unsupported("engine_missing", engine.error);
  if (engine.value.kind === "docker" && owner.uid === 0) return unsupported("engine_wants_user", null);
  const image = await imageFault(engine.value, baseImage);
  if (image !== null) return image;
  await sweepContainers(engine.value, workDir);
  await sweepWorkspaces(workDir);
  try {
    prepareWorkDir(workDir);
    const folder = makeOwnedFolder(workDir, randomness);
    const profile = writeProfile(folder, { engine: engine.value, processor: host.arch as Processor });
    const parts = { ...options, engine: engine.value, owner, profile };
    return ok({
      version: `${engine.value.kind} ${engine.value.version} at ${engine.value.socket}, image ${baseImage}`,
      // Whoever can speak to the engine can do everything.
      own: [engine.value.socket],
      handsOverPipes: true,
      trial: ["/bin/sh", "-c", "exit 0"],
      start: (order) => startContainer(order, parts),
      leave: () => removeTree(folder),
    });
  } catch (cause) {
    return unsupported("work_dir_unusable", cause instanceof Error ? cause.message : String(cause));
  }
}

/** Does nothing where there is no engine: what it left cannot be running either. */
export async function sweepEngine({ engineSocket, workDir }: ContainerSettings): Promise<void> {
  const engine = await findEngine({ socket: engineSocket, uid: ownUid() });
  if (engine.ok) await sweepContainers(engine.value, workDir);
}

const ownUid = (): number => process.getuid?.() ?? 0;

const unsupported = (reason: Unsupported["reason"], detail: string | null): Result<never, Unsupported> =>
  err({ code: "sandbox_unsupported", backend: "docker", reason, detail });

/** Nothing is fetched here: that would be a use of the network nobody approved. */
async function imageFault(engine: Engine, image: string): Promise<Result<never, Unsupported> | null> {
  const seen = await engine.call({ method: "GET", path: `/images/${image}/json` });
  if (!seen.ok) {
    return seen.error.status === 404
      ? unsupported("image_missing", `${engine.kind} pull ${image}`)
      : unsupported("engine_refused", seen.error.detail);
  }
  const volumes = fieldOf(seen.value, "Config", "Volumes");
  const names = typeof volumes === "object" && volumes !== null ? Object.keys(volumes) : [];
  return names.length === 0 ? null : unsupported("image_unusable", names.join(" "));
}

type Filter = { readonly engine: Engine; readonly processor: Processor };

/** Docker is told the filter itself, Podman where it lies. */
function writeProfile(folder: string, { engine, processor }: Filter): string {
  const text = JSON.stringify(seccompProfile(processor));
  if (engine.kind === "docker") return text;
  const file = join(folder, "filter.json");
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}
