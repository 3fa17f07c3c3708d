import type { Config, Gate } from "#model";
import type { AuditLog, Clock, GateRunner, Sandboxes, Timers } from "#ports";
import { createProviders, SHIPPED_MEANS, type GateMeans } from "./registry.ts";
import { createGateRunner } from "./runner.ts";

export type SystemGatesParts = {
  readonly config: {
    readonly gates: { readonly system: readonly Gate[]; readonly llmDefaults: { readonly timeoutSeconds: number } };
    readonly limits: Pick<Config["limits"], "maxGateEvalsPerTurn">;
    readonly sandbox: Pick<Config["sandbox"], "verifyDir" | "defaultMemoryMb" | "defaultCpuSeconds">;
  };
  readonly audit: Pick<AuditLog, "append">;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Where scripts run. */
  readonly sandboxes: Pick<Sandboxes, "open">;
  readonly means?: GateMeans;
};

/** The runner as the configuration wants it: its gates at every moment, its limits, its directory for files. */
export function createSystemGates({ config, means = SHIPPED_MEANS, sandboxes, ...deps }: SystemGatesParts): GateRunner {
  const { gates, limits, sandbox } = config;
  const { verifyDir: workDir, defaultMemoryMb: memoryMb, defaultCpuSeconds: cpuSeconds } = sandbox;
  return createGateRunner({
    ...deps,
    system: gates.system,
    providers: createProviders(means, { sandboxes, workDir, memoryMb, cpuSeconds }),
    settings: { evaluationsMax: limits.maxGateEvalsPerTurn, adviceMs: gates.llmDefaults.timeoutSeconds * 1000 },
  });
}
