import { err, ok, type Result } from "#base";
import { healthCheckSchema, type ConnectionFailure, type ConnectionManifest, type HealthCheck } from "#model";
import type { KeptConnection } from "#ports";
import type { LoadedSkill } from "../skills/installed.ts";
import { failureOf, faultFailure, oneAnswer } from "./answers.ts";
import type { ConnectionDeps } from "./deps.ts";
import { runScript } from "./run-script.ts";

const LOOK_MS = 60_000;

export type Looking = {
  readonly of: KeptConnection;
  readonly skill: LoadedSkill;
  readonly manifest: ConnectionManifest;
};

/** What the look of a connection says of itself, or what kept it from saying anything. [CONN-12] [CONN-15] */
export async function lookAt(deps: ConnectionDeps, looking: Looking): Promise<Result<HealthCheck, ConnectionFailure>> {
  const { of } = looking;
  const input = { connection_id: of.record.connectionId };
  const ran = await runScript(deps, {
    ...looking,
    script: "health_check",
    reach: "approved",
    input,
    timeoutMs: LOOK_MS,
  });
  if (!ran.ok) return err(faultFailure(of.service, ran.error));
  const said = oneAnswer(ran.value.stdout);
  const health = healthCheckSchema.safeParse(said);
  return health.success ? ok(health.data) : err(failureOf(of.service, said));
}
