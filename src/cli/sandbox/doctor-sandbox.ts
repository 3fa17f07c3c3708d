import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeSandboxes } from "#compose";
import type { LoadedConfig } from "#config";
import { sandboxWords } from "#model";
import type { Finding } from "../house/doctor.ts";

type Subject = {
  readonly setup: LoadedConfig;
  readonly environment: { readonly env: Readonly<Record<string, string | undefined>> };
};

/** Whether programs of plans could run here, tried with a real launch. Without it everything else still works. */
export async function checkSandbox({ setup, environment }: Subject): Promise<Finding> {
  const check = "sandbox";
  const { paths, config } = setup;
  // A look must not make the data directory: before `silas init` the try happens elsewhere.
  const place = existsSync(paths.dataDir) ? null : mkdtempSync(join(tmpdir(), "silas-doctor-"));
  const sandboxes = composeSandboxes({
    config: place === null ? config : { ...config, sandbox: { ...config.sandbox, workDir: place } },
    stateDir: paths.stateDir,
    searchPath: environment.env["PATH"] ?? "",
  });
  const support = await sandboxes.support();
  await sandboxes.close();
  if (place !== null) rmSync(place, { recursive: true, force: true });
  if (support.state === "ready") {
    return { check, state: "ok", message: `${support.version}; \`silas sandbox test\` tries to break out`, fix: null };
  }
  const { what, fix } = sandboxWords(support);
  return { check, state: "warn", message: `no program of a plan can run: ${what}`, fix };
}
