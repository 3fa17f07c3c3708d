import { err, ok, type Result } from "#base";
import {
  defaultSandboxConfig,
  type Config,
  type SandboxConfig,
  type SandboxRefusal,
  type SandboxSupport,
} from "#model";
import type { EgressGateway, Randomness, Sandboxes, SandboxSpace, Timers } from "#ports";
import { closePaths, openGranted } from "./granted-paths.ts";
import { checkConfig } from "./requests.ts";
import { createSpace, type SpaceParts } from "./space.ts";
import { layGround, leaveGround, unsupported, type Ground, type Host } from "./support.ts";
import { sweepWorkspaces } from "./work-dir.ts";

export type SandboxesOptions = {
  readonly settings: Pick<Config["sandbox"], "backend" | "workDir">;
  /** Folders of Silas that no program may ever see: data and state. */
  readonly own: readonly string[];
  readonly host: Host;
  readonly randomness: Randomness;
  readonly timers: Timers;
  /** Without it a run that asks for network is refused. */
  readonly egress?: EgressGateway;
};

/** The sandboxes of this process. Nothing is looked at or made before the first is asked for. */
export function createSandboxes(options: SandboxesOptions): Sandboxes {
  const spaces = new Set<SandboxSpace>();
  let proven: Promise<Result<Ground, Unsupported>> | null = null;
  const ground = () => (proven ??= proveGround(options));
  return {
    async support(): Promise<SandboxSupport> {
      const found = await ground();
      if (!found.ok) return { state: "refused", ...found.error };
      return { state: "ready", backend: "subprocess", version: found.value.version };
    },
    async open(config): Promise<Result<SandboxSpace, SandboxRefusal>> {
      const found = await ground();
      if (!found.ok) return found;
      const opened = await openSpace({ config, ground: found.value, options });
      if (!opened.ok) return opened;
      const space = opened.value;
      const tracked = { ...space, close: () => space.close().finally(() => spaces.delete(tracked)) };
      spaces.add(tracked);
      return ok(tracked);
    },
    async close() {
      await Promise.all([...spaces].map((space) => space.close()));
      const found = await proven;
      if (found?.ok) await leaveGround(found.value);
      proven = null;
    },
  };
}

type Unsupported = Extract<SandboxRefusal, { readonly code: "sandbox_unsupported" }>;
type Opening = { readonly config: SandboxConfig; readonly ground: Ground; readonly options: SandboxesOptions };

/** Lays the ground and launches once for real: what a system forbids shows only then. */
async function proveGround(options: SandboxesOptions): Promise<Result<Ground, Unsupported>> {
  const { backend, workDir } = options.settings;
  if (backend === "docker") {
    return err({ code: "sandbox_unsupported", backend, reason: "backend_absent", detail: null });
  }
  await sweepWorkspaces(workDir);
  const ground = await layGround({ host: options.host, workDir, randomness: options.randomness });
  if (!ground.ok) return ground;
  const refused = await tryLaunch({ config: TRIAL, ground: ground.value, options });
  if (refused === null) return ground;
  await leaveGround(ground.value);
  return unsupported("namespaces_refused", refused);
}

const TRIAL: SandboxConfig = defaultSandboxConfig({ memoryMb: 64, cpuSeconds: 10 });

/** Null when it worked, or what the machine said. */
async function tryLaunch(opening: Opening): Promise<string | null> {
  const space = await openSpace(opening);
  if (!space.ok) return space.error.code;
  const run = await space.value.run({ argv: ["/usr/bin/true"], timeoutMs: 10_000 });
  await space.value.close();
  if (!run.ok) return run.error.code === "sandbox_not_started" ? run.error.detail : run.error.code;
  const { end, stderr } = run.value;
  if (end.kind === "exit" && end.code === 0) return null;
  return Buffer.from(stderr.bytes).toString().trim().slice(0, 500) || `a trial ended with ${JSON.stringify(end)}`;
}

async function openSpace({ config, ground, options }: Opening): Promise<Result<SandboxSpace, SandboxRefusal>> {
  const checked = checkConfig(config);
  if (!checked.ok) return checked;
  const { settings, own, randomness, timers, egress = null } = options;
  const paths = openGranted(config, { own, workDir: settings.workDir });
  if (!paths.ok) return paths;
  const { workDir } = settings;
  const parts: SpaceParts = { config, paths: paths.value, ground, egress, workDir, randomness, timers };
  try {
    return await createSpace(parts);
  } catch (cause) {
    closePaths(paths.value);
    return unsupported("work_dir_unusable", cause instanceof Error ? cause.message : String(cause));
  }
}
