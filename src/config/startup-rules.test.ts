import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isLoopbackHost } from "#model";
import { describeProblems, loadConfig, type LoadOptions } from "./index.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "silas-rules-"));
  mkdirSync(join(root, "config"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Codes and keys that refuse a start with this text under `silas:` in the project file. */
function refusals(yaml: string, rest: Partial<LoadOptions> = {}): string[] {
  writeFileSync(join(root, "config/silas.yaml"), `silas:\n${yaml.replace(/^/gm, "  ")}\n`);
  const result = loadConfig({ env: {}, cwd: root, homeDir: root, platform: "linux", ...rest });
  return result.ok ? [] : result.error.map(({ code, key }) => `${code} ${key}`);
}

describe("startup rules", () => {
  test.each(["0.0.0.0", "::", "[::]", "0", "192.168.1.5", "silas.example.org", "127.1", "127.0.0.01", "128.0.0.1"])(
    "[CFG-22] host %s counts as remote and needs a token",
    (host) => {
      const web = `channels:\n  web:\n    host: "${host}"\n    trusted_proxies: ["10.0.0.1"]`;
      expect(refusals(web)).toEqual(["remote_without_token channels.web.auth_token"]);
      expect(refusals(web, { env: { SILAS_CHANNELS__WEB__AUTH_TOKEN: "a-token" } })).toEqual([]);
    },
  );

  test("[CFG-22] a blank or unresolved token is no token", () => {
    const web =
      'channels:\n  web:\n    host: "::"\n    trusted_proxies: ["10.0.0.1"]\n    auth_token: "${SILAS_TOKEN}"';
    const refused = ["remote_without_token channels.web.auth_token"];
    expect(refusals(web)).toEqual(refused);
    expect(refusals(web, { env: { SILAS_TOKEN: "" } })).toEqual(refused);
    expect(refusals(web, { env: { SILAS_TOKEN: "   " } })).toEqual(["wrong_value channels.web.auth_token"]);
    expect(refusals(web, { env: { SILAS_TOKEN: "a-token" } })).toEqual([]);
  });

  test("[CFG-22] loopback in its usual spellings needs no token", () => {
    for (const host of ["127.0.0.1", "127.9.9.9", "localhost", "LOCALHOST", "::1", "[::1]"]) {
      expect(isLoopbackHost(host), host).toBe(true);
    }
    expect(refusals('channels: { web: { host: "::1" } }')).toEqual([]);
  });

  test("a remote host also needs TLS or a trusted proxy, and TLS needs both files", () => {
    const env = { SILAS_CHANNELS__WEB__AUTH_TOKEN: "a-token" };
    expect(refusals('channels: { web: { host: "0.0.0.0" } }', { env })).toEqual([
      "remote_without_tls channels.web.tls.cert",
    ]);
    expect(refusals('channels: { web: { host: "0.0.0.0", tls: { cert: a, key: b } } }', { env })).toEqual([]);
    expect(refusals("channels: { web: { tls: { cert: a } } }")).toEqual(["tls_incomplete channels.web.tls.cert"]);
  });

  test("[CFG-23] the two sandbox directories may not be one, also through dots or a symlink", () => {
    const same = "same_directory sandbox.customer_context_dir";
    mkdirSync(join(root, "data/verify"), { recursive: true });
    writeFileSync(join(root, "data/.silas"), "");
    symlinkSync(join(root, "data/verify"), join(root, "data/link"));
    expect(refusals("sandbox: { customer_context_dir: ./data/x/../verify }")).toEqual([same]);
    expect(refusals("sandbox: { customer_context_dir: ./data/link }")).toEqual([same]);
    expect(refusals("sandbox: { customer_context_dir: ./data/link/c }")).toEqual([]);
    expect(refusals("sandbox: { verify_dir: ./data/new/c, customer_context_dir: ./data/new/./c }")).toEqual([same]);
  });

  test("[CFG-24] customer context lies inside the data directory", () => {
    const outside = "not_inside_data_dir sandbox.customer_context_dir";
    mkdirSync(join(root, "data"));
    writeFileSync(join(root, "data/.silas"), "");
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), join(root, "data/link"));
    expect(refusals("sandbox: { customer_context_dir: ./data-other/c }")).toEqual([outside]);
    expect(refusals("sandbox: { customer_context_dir: ./data/../elsewhere }")).toEqual([outside]);
    expect(refusals("sandbox: { customer_context_dir: ./data/link/c }")).toEqual([outside]);
    expect(refusals("sandbox: { customer_context_dir: ./data }")).toEqual([outside]);
    expect(refusals("sandbox: { customer_context_dir: ./data/deep/er }")).toEqual([]);
  });

  test("[CFG-24] customer context may not be writable by everyone", () => {
    const directory = join(root, "data/customer_context");
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o777);
    expect(refusals("owner_id: owner")).toEqual(["world_writable sandbox.customer_context_dir"]);
    chmodSync(directory, 0o700);
    expect(refusals("owner_id: owner")).toEqual([]);
  });

  test("[CFG-25] a profile's shares stay within 0 to 1 and 0.80 together", () => {
    const profile = (shares: string) => refusals(`context: { profiles: { own: { ${shares} } } }`);
    const one = "context.profiles.own";
    expect(profile("chronicle_pct: 0.5, memory_pct: 0.2, workspace_pct: 0.1")).toEqual([]);
    expect(profile("chronicle_pct: 0.5, memory_pct: 0.2, workspace_pct: 0.11")).toEqual([`profile_over_budget ${one}`]);
    expect(profile("chronicle_pct: -0.1, memory_pct: 0.2, workspace_pct: 0.1")).toEqual([
      `wrong_value ${one}.chronicle_pct`,
    ]);
    expect(profile("chronicle_pct: .nan, memory_pct: 0.2, workspace_pct: 0.1")).toEqual(["number_refused null"]);
    expect(profile("chronicle_pct: 0.1, memory_pct: 0.2")).toEqual([`missing_key ${one}.workspace_pct`]);
  });

  test("[CFG-26] skill descriptions get between 0 and 0.10 of the context", () => {
    const refused = ["wrong_value context.skill_metadata_budget_pct"];
    for (const value of ["0", "0.10"]) expect(refusals(`context: { skill_metadata_budget_pct: ${value} }`)).toEqual([]);
    for (const value of ["-0.01", "0.11", '"0.05"', "null"]) {
      expect(refusals(`context: { skill_metadata_budget_pct: ${value} }`), value).toEqual(refused);
    }
  });

  test("[CFG-28] a table of modes that leaves out a register is refused", () => {
    const modes = ["exploration", "execution", "review", "status"].map((name) => `${name}: act_and_report`);
    const table = (lines: readonly string[]) => `interaction: { default_mode_by_register: { ${lines.join(", ")} } }`;
    expect(refusals(table(modes))).toEqual([]);
    for (const [index, name] of ["exploration", "execution", "review", "status"].entries()) {
      const missing = `missing_key interaction.default_mode_by_register.${name}`;
      expect(refusals(table(modes.filter((_, at) => at !== index)))).toEqual([missing]);
    }
  });

  test("[CFG-29] correction rates keep their order and their distance, and a batch fits the largest batch", () => {
    const rates = (widen: number, tighten: number) =>
      refusals(`autonomy: { widen_correction_rate_max: ${widen}, tighten_correction_rate_min: ${tighten} }`);
    const key = "autonomy.widen_correction_rate_max";
    expect(rates(0.2, 0.2)).toEqual([`hysteresis_inverted ${key}`]);
    expect(rates(0.3, 0.2)).toEqual([`hysteresis_inverted ${key}`]);
    expect(rates(0.16, 0.2)).toEqual([`hysteresis_too_narrow ${key}`]);
    expect(rates(0.25, 0.3)).toEqual([]);
    expect(refusals("batch_review: { default_size: 51 }")).toEqual(["batch_over_max autonomy.max_batch_review_size"]);
    expect(refusals("batch_review: { default_size: 50 }")).toEqual([]);
  });

  test("[CFG-30] suggestions need the scheduler", () => {
    const refused = ["suggestions_without_scheduler suggestions.enabled"];
    expect(refusals("scheduler: { enabled: false }")).toEqual(refused);
    expect(refusals("scheduler: { enabled: false }\nsuggestions: { enabled: false }")).toEqual([]);
  });

  test("[CFG-31] importing skills from elsewhere needs the report", () => {
    const refused = ["import_without_report skills.import.require_transform_report"];
    expect(refusals("skills: { import: { require_transform_report: false } }")).toEqual(refused);
    expect(refusals("skills: { import: { require_transform_report: false, allow_external: false } }")).toEqual([]);
  });

  test("[CFG-32] description bounds keep their order, and a model alone may not judge descriptions", () => {
    const bounds = ["bounds_inverted skills.validation.description_min_chars"];
    const lint = ["description_lint_not_deterministic skills.validation.fail_on_process_heavy_description"];
    expect(refusals("skills: { validation: { description_min_chars: 1025 } }")).toEqual(bounds);
    expect(refusals("skills: { validation: { description_min_chars: 1024 } }")).toEqual([]);
    const facts = { descriptionLint: "model_only" } as const;
    expect(refusals("owner_id: owner", { facts })).toEqual(lint);
    const off = "skills: { validation: { fail_on_process_heavy_description: false } }";
    expect(refusals(off, { facts })).toEqual([]);
  });

  test("[CFG-15] nothing may approve itself", () => {
    const refused = ["auto_approve_refused approval.auto_approve_risk_levels"];
    expect(refusals("approval: { auto_approve_risk_levels: [low] }")).toEqual(refused);
  });

  test("pinned system text must fit its cap", () => {
    expect(refusals("context: { system_max: 100 }", { facts: { pinnedTokens: 90 } })).toEqual([
      "pinned_text_over_cap context.system_max",
    ]);
    expect(refusals("context: { system_max: 130 }", { facts: { pinnedTokens: 90 } })).toEqual([]);
  });

  test.each([
    ["nonce_store: { ttl_minutes: 29 }", "nonce_ttl_too_short nonce_store.ttl_minutes"],
    ["messages: { freshness_minutes: 41 }", "nonce_ttl_too_short nonce_store.ttl_minutes"],
    ["personality: { directive_tokens_min: 401 }", "bounds_inverted personality.directive_tokens_min"],
    ["context: { eviction_threshold_pct: 0.95 }", "bounds_inverted context.eviction_threshold_pct"],
    ["batch_review: { confidence: { medium_min: 0.9 } }", "bounds_inverted batch_review.confidence.medium_min"],
    ["bus: { heartbeat_seconds: 60 }", "bounds_inverted bus.heartbeat_seconds"],
    ["backpressure: { max_pending_turns_total: 19 }", "bounds_inverted backpressure.max_pending_turns_per_scope"],
    ["context: { default_profile: nope }", "profile_unknown context.default_profile"],
    ["execution: { sync_execution: true }", "sync_execution_refused execution.sync_execution"],
    ["scheduler: { timezone: Europe/Atlantis }", "timezone_unknown scheduler.timezone"],
    [
      "gates: { system: [{ name: a, on: after_step }, { name: a, on: after_step }] }",
      "gate_name_repeated gates.system",
    ],
    ["limits: { ws_messages_per_minute_per_ip: 0 }", "wrong_value limits.ws_messages_per_minute_per_ip"],
    ["limits: { ws_messages_per_minute_per_ip: -1 }", "wrong_value limits.ws_messages_per_minute_per_ip"],
    ["limits: { ws_messages_per_minute_per_ip: 1.5 }", "wrong_value limits.ws_messages_per_minute_per_ip"],
    ["limits: { ws_messages_per_minute_per_ip: .inf }", "number_refused null"],
    ["sandbox: { backend: none }", "wrong_value sandbox.backend"],
    ["search: { provider: other }", "wrong_value search.provider"],
    ["gates: { system: [{ name: a, on: never }] }", "wrong_value gates.system.0.on"],
  ])("refuses %s", (yaml, refusal) => expect(refusals(yaml)).toContain(refusal));

  test.each([
    "nonce_store: { ttl_minutes: 30 }",
    "messages: { freshness_minutes: 40 }",
    "personality: { directive_tokens_min: 400 }",
    "context: { eviction_threshold_pct: 0.9 }",
    "context: { system_max: 50000, total_tokens: 50000 }",
    "context: { profiles: { one: { chronicle_pct: 0.800000001, memory_pct: 0, workspace_pct: 0 } } }",
    "batch_review: { confidence: { medium_min: 0.85 } }",
    "bus: { heartbeat_seconds: 59 }",
    "backpressure: { max_pending_turns_total: 20 }",
    "gates: { system: [{ name: a, on: after_step, after_step: 0 }, { name: b, on: after_step, after_step: 0 }] }",
  ])("accepts %s, which is as far as the rule goes", (yaml) => expect(refusals(yaml)).toEqual([]));

  test("pinned text may fill its cap", () => {
    const yaml = "context: { system_max: 130 }\npersonality: { constitution: [] }";
    expect(refusals(yaml, { facts: { pinnedTokens: 130 } })).toEqual([]);
    expect(refusals(yaml, { facts: { pinnedTokens: 131 } })).toEqual(["pinned_text_over_cap context.system_max"]);
  });

  test("context of one token more than fits is refused", () => {
    expect(refusals("context: { system_max: 50001, total_tokens: 50000 }")).toEqual([
      "bounds_inverted context.system_max",
    ]);
  });

  test("[CFG-22] a number of an address ends at 255", () => {
    expect([isLoopbackHost("127.0.0.255"), isLoopbackHost("127.0.0.256")]).toEqual([true, false]);
  });

  test("[CFG-21] every broken rule is named with its key and place, all at once", () => {
    writeFileSync(
      join(root, "config/silas.yaml"),
      "silas:\n  scheduler:\n    enabled: false\n  approval:\n    auto_approve_risk_levels: [low]\n  bus:\n    lease_seconds: x\n",
    );
    const result = loadConfig({ env: {}, cwd: root, homeDir: root, platform: "linux" });
    const file = join(root, "config/silas.yaml");
    expect(result.ok ? [] : describeProblems(result.error)).toEqual([
      `${file}:7:5 bus.lease_seconds: expected a whole number from 1 to 86400`,
      `${file}:5:5 approval.auto_approve_risk_levels: must be empty: nothing may approve itself`,
      `${file}:3:5 suggestions.enabled: needs scheduler.enabled to be true`,
    ]);
  });
});
