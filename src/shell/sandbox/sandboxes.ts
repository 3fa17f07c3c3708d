import { ok, type Result } from "#base";
import type { Config, SandboxRefusal, SandboxSupport } from "#model";
import type { EgressGateway, Randomness, Sandboxes, SandboxSpace, Timers } from "#ports";
import type { Ground, Unsupported } from "./ground.ts";
import type { Host } from "./support.ts";
import { sweepWorkspaces } from "./work-dir.ts";

export type SandboxesOptions = {
  readonly settings: SandboxSettings;
  /** Folders of Silas that no program may ever see: data and state. */
  readonly own: readonly string[];
  readonly host: Host;
  readonly randomness: Randomness;
  readonly timers: Timers;
  /** Without it a run that asks for network is refused. */
  readonly egress?: EgressGateway;
};

/** As configured; what only containers need is asked of no other backend. */
export type SandboxSettings =
  | { readonly backend: "subprocess"; readonly workDir: string }
  | ({ readonly backend: "docker" } & Pick<Config["sandbox"], "workDir" | "baseImage" | "engineSocket">);

/** The sandboxes of this process. Nothing is read, looked at or made before the first is asked for. */
export function createSandboxes(options: SandboxesOptions): Sandboxes {
  const spaces = new Set<SandboxSpace>();
  let proven: Promise<Result<Ground, Unsupported>> | null = null;
  const ground = () => (proven ??= proving().then(({ proveGround }) => proveGround(options)));
  return {
    async support(): Promise<SandboxSupport> {
      const found = await ground();
      if (!found.ok) return { state: "refused", ...found.error };
      return { state: "ready", backend: options.settings.backend, version: found.value.version };
    },
    async open(config): Promise<Result<SandboxSpace, SandboxRefusal>> {
      const found = await ground();
      if (!found.ok) return found;
      const { openSpace } = await proving();
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
      if (found?.ok) await found.value.leave();
      proven = null;
    },
  };
}

/** Most starts run no program, and would wait for the thirty files that can. */
const proving = () => import("./prove-ground.ts");

/** Removes what runs of processes that are gone have left, and ends those of their programs that still run. */
export async function sweepSandboxes(settings: SandboxSettings): Promise<void> {
  if (settings.backend === "docker") {
    const { sweepEngine } = await import("./container/container-ground.ts");
    await sweepEngine(settings);
  }
  await sweepWorkspaces(settings.workDir);
}
