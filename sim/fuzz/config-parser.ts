import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert } from "#base";
import { checkConfigFile, describeProblems } from "#config";
import type { FuzzedParser } from "./fuzz.ts";

const TEXTS: readonly string[] = [
  `silas:
  owner_id: owner
  channels:
    web:
      host: 127.0.0.1
      port: 8421
      trusted_proxies: []
  approval:
    default_ttl_minutes: 20
    max_executions: 1
  nonce_store:
    ttl_minutes: 40
`,
  `silas:
  gates:
    system:
      - name: input_guard
        on: every_user_message
        provider: guardrails_ai
        check: jailbreak
        on_block: polite_redirect
  context:
    total: 180000
  scheduler:
    timezone: UTC
`,
  `silas:
  autonomy: { max_standing_executions: 50 }
  limits: { ws_messages_per_minute_per_scope: 60, max_gate_evals_per_turn: 32 }
  backpressure: { shutdown_grace_seconds: 30 }
`,
];

/** Whatever a configuration file holds: a whole configuration, or problems that can be said in words. */
export function configParser(): FuzzedParser {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "silas-fuzz-"));
  const file = join(folder, "silas.yaml");
  const options = { env: {}, cwd: folder, homeDir: folder, platform: "linux" } as const;
  const judge = (text: string): "accepted" | "refused" => {
    writeFileSync(file, text);
    const loaded = checkConfigFile(file, options);
    if (!loaded.ok) {
      const lines = describeProblems(loaded.error);
      assert(lines.length > 0, "CFG-21 a refusal says why");
      return "refused";
    }
    assert(Object.isFrozen(loaded.value.config), "CFG-21 what is loaded is frozen");
    return "accepted";
  };
  return { texts: TEXTS, judge, close: () => rmSync(folder, { recursive: true, force: true }) };
}
