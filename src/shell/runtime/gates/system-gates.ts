import type { Config } from "#model";
import type { AuditLog, Clock, GateRunner, Timers } from "#ports";
import { createProviders, SHIPPED_MEANS, type GateMeans } from "./registry.ts";
import { createGateRunner } from "./runner.ts";

export type SystemGatesParts = {
  readonly config: Pick<Config, "gates" | "limits" | "sandbox">;
  readonly audit: Pick<AuditLog, "append">;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly means?: GateMeans;
};

/** The runner as the configuration wants it: its gates at every moment, its limits, its directory for files. */
export function createSystemGates({ config, means = SHIPPED_MEANS, ...deps }: SystemGatesParts): GateRunner {
  const { gates, limits, sandbox } = config;
  return createGateRunner({
    ...deps,
    system: gates.system,
    providers: createProviders(means, { workDir: sandbox.verifyDir }),
    settings: { evaluationsMax: limits.maxGateEvalsPerTurn, adviceMs: gates.llmDefaults.timeoutSeconds * 1000 },
  });
}
