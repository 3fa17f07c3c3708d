import {
  decimal,
  flag,
  group,
  key,
  listOf,
  many,
  nameMap,
  nullable,
  oneOf,
  path,
  required,
  secret,
  text,
  whole,
} from "./config-nodes.ts";
import { cron, modelName } from "./config-schema-mind.ts";
import { GATE } from "./work/work-records.ts";

/** What Silas does and what it may do: channels, limits, sandbox, approvals, gates, scheduler, skills. */

const share = decimal(0, 1);
const minutes = whole(1, 100_000);
const seconds = whole(1, 86_400);
const perMinute = whole(1, 1_000_000);

export const channelsKeys = group({
  web: group({
    enabled: key(flag(), { is: true, doc: "Serve the cockpit." }),
    host: key(text({ pattern: /^[A-Za-z0-9.:_[\]%-]+$/, expected: "a host name or address" }), {
      is: "127.0.0.1",
      doc: "Address to listen on; anything but loopback needs a token and TLS or a trusted proxy.",
    }),
    port: key(whole(0, 65_535), { is: 8420, doc: "Port to listen on; 0 takes any free one." }),
    auth_token: key(secret(), { is: null, doc: "Session token; null means one is generated, never open." }),
    public_url: key(
      nullable(
        text({
          pattern: /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?$/,
          expected: "an address such as https://silas.example.org",
        }),
      ),
      { is: null, doc: "Address people open when it is not localhost; accepted as Host and Origin." },
    ),
    tls: group({
      cert: key(nullable(path()), { is: null, doc: "Certificate file (PEM)." }),
      key: key(nullable(path()), { is: null, doc: "Private key file (PEM) of the certificate." }),
    }),
    trusted_proxies: key(
      many(text({ pattern: /^[0-9A-Fa-f.:]+(\/\d{1,3})?$/, expected: "an address or CIDR range" }), 50),
      { is: [], doc: "Proxies in front of Silas that add TLS." },
    ),
  }),
  telegram: group({
    enabled: key(flag(), { is: false, doc: "Listen on Telegram." }),
    token: key(secret(), { is: "${SILAS_TELEGRAM_TOKEN}", doc: "Bot token." }),
    owner_chat_id: key(nullable(text({ pattern: /^-?\d{1,20}$/, expected: "a chat id in quotes" })), {
      is: "${SILAS_TELEGRAM_OWNER_ID}",
      doc: "Chat of the owner.",
    }),
    api_root: key(
      text({
        pattern:
          /^(?:https:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?:\/[\w.~-]+)*|http:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?)$/,
        expected: "an https address, or an http address of this machine",
      }),
      { is: "https://api.telegram.org", doc: "The Bot API, if it is your own." },
    ),
  }),
  cli: group({ enabled: key(flag(), { is: false, doc: "Talk in the terminal that runs Silas." }) }),
});

export const limitsKeys = group({
  ws_messages_per_minute_per_scope: key(perMinute, { is: 60, doc: "Messages of one scope a minute." }),
  ws_messages_per_minute_per_ip: key(perMinute, { is: 240, doc: "Messages of one address a minute." }),
  llm_calls_per_minute_per_scope: key(perMinute, { is: 30, doc: "Model calls of one scope a minute." }),
  web_search_calls_per_minute_per_scope: key(perMinute, { is: 20, doc: "Searches of one scope a minute." }),
  memory_ops_per_minute_per_scope: key(perMinute, { is: 120, doc: "Memory operations of one scope a minute." }),
  max_memory_ops_per_turn: key(whole(1, 1000), { is: 10, doc: "Memory operations of one turn." }),
  max_gate_evals_per_turn: key(whole(1, 1000), {
    is: 32,
    doc: "Gate checks of one message with its acknowledgement, or of one answer; beyond it policy gates block.",
  }),
  suggestions_per_hour_per_scope: key(whole(1, 1000), { is: 6, doc: "Suggestions of one scope an hour." }),
  autonomy_proposals_per_week_per_scope: key(whole(1, 1000), {
    is: 3,
    doc: "Autonomy proposals of one scope a week.",
  }),
});
export const backpressureKeys = group({
  max_pending_turns_per_scope: key(whole(1, 100_000), { is: 20, doc: "Turns one scope may have waiting." }),
  max_pending_turns_total: key(whole(1, 100_000), { is: 500, doc: "Turns waiting in all." }),
  shutdown_grace_seconds: key(whole(0, 3600), { is: 30, doc: "Time running turns get at shutdown." }),
});
export const busKeys = group({
  lease_seconds: key(seconds, { is: 60, doc: "How long a worker holds a message." }),
  heartbeat_seconds: key(seconds, { is: 20, doc: "How often it renews; shorter than the lease." }),
  deliveries_max: key(whole(1, 1000), { is: 5, doc: "Deliveries before a message is set aside." }),
});
export const executionKeys = group({
  sync_execution: key(flag(), {
    is: false,
    doc: "Must stay false: approved work runs in the background.",
  }),
  artifacts_keep_days: key(whole(1, 36_500), {
    is: 90,
    doc: "How long results of runs are kept; what open work names stays longer.",
  }),
  max_replan_depth: key(whole(0, 10), {
    is: 2,
    doc: "Other ways the planner may propose, one after the other, for work that failed; 0 for none.",
  }),
});

export const sandboxKeys = group({
  backend: key(oneOf(["subprocess", "docker"]), {
    is: "subprocess",
    doc: "subprocess is bubblewrap with limits; docker is Docker or Podman.",
  }),
  base_image: key(text({ pattern: /^[A-Za-z0-9][\w.:/@-]*$/, expected: "a container image" }), {
    is: "node:24-slim",
    doc: "Image of the docker backend.",
  }),
  engine_socket: key(nullable(path()), {
    is: null,
    doc: "Socket of Docker or Podman; null looks in their usual places.",
  }),
  default_memory_mb: key(whole(16, 1_048_576), { is: 512, doc: "Memory of one run." }),
  default_cpu_seconds: key(seconds, { is: 60, doc: "Processor time of one run." }),
  work_dir: key(path(), { is: "./data/sandbox/work", doc: "Where runs have their workspaces; follows data_dir." }),
  verify_dir: key(path(), { is: "./data/verify", doc: "Where checks run; follows data_dir." }),
  customer_context_dir: key(path(), {
    is: "./data/customer_context",
    doc: "Customer files; inside data_dir, not world-writable; follows data_dir.",
  }),
});

const APPROVAL_SCOPES = ["self_update", "connection_act", "connection_manage", "autonomy_threshold", "skill_install"];

export const approvalKeys = group({
  default_ttl_minutes: key(minutes, { is: 30, doc: "How long an approval may wait to be used." }),
  max_executions: key(whole(1, 1000), { is: 1, doc: "Uses of one approval." }),
  auto_approve_risk_levels: key(many(text(), 20), { is: [], doc: "Must stay empty: nothing approves itself." }),
  scope_min_strength: nameMap(required(oneOf(["tap"]), "Strength."), {
    names: APPROVAL_SCOPES,
    fallback: {
      self_update: "tap",
      connection_act: "tap",
      connection_manage: "tap",
      autonomy_threshold: "tap",
      skill_install: "tap",
    },
    doc: "Least approval strength by scope.",
  }),
});
export const nonceStoreKeys = group({
  ttl_minutes: key(minutes, {
    is: 40,
    doc: "How long message nonces are kept; at least approval.default_ttl_minutes.",
  }),
  prune_interval_minutes: key(minutes, { is: 10, doc: "Pause between prunings." }),
});
export const messagesKeys = group({
  freshness_minutes: key(minutes, {
    is: 5,
    doc: "How far the time signed in a message may be from now; older or later ones do not count as yours.",
  }),
});
export const reviewKeys = group({
  approval_timeout_seconds: key(seconds, {
    is: 86_400,
    doc: "How long a request can be decided, counted from when it was first shown.",
  }),
  gate_timeout_seconds: key(seconds, { is: 120, doc: "Time an active gate card waits." }),
  card_timeout_seconds: key(seconds, { is: 300, doc: "Time any other active card waits." }),
  undo_window_minutes: key(minutes, { is: 5, doc: "Time in which an action can be undone." }),
  fatigue_window_decisions: key(whole(1, 1000), { is: 20, doc: "Last decisions looked at for tired tapping." }),
});
export const connectionsKeys = group({
  health_check_default: key(cron(), { is: "*/30 * * * *", doc: "When connections are checked." }),
  auto_recovery_enabled: key(flag(), { is: true, doc: "Try once to repair a failed connection." }),
  recovery_max_attempts: key(whole(1, 100), { is: 3, doc: "Attempts of one failure, tapped retries included." }),
  refresh_ahead_window_minutes: key(minutes, { is: 10, doc: "How long before expiry a token is renewed." }),
});
export const batchReviewKeys = group({
  default_size: key(whole(1, 1000), { is: 10, doc: "Items of one batch card." }),
  undo_window_minutes: key(whole(1, 60), { is: 5, doc: "How long a batch can be taken back after it ran." }),
  confidence: group({
    high_min: key(share, { is: 0.85, doc: "Confidence called high." }),
    medium_min: key(share, { is: 0.5, doc: "Confidence called medium." }),
  }),
});
export const autonomyKeys = group({
  enabled: key(flag(), { is: true, doc: "Propose wider or tighter limits from decisions." }),
  min_samples: key(whole(1, 100_000), { is: 30, doc: "Decisions needed before a proposal." }),
  window_actions: key(whole(1, 100_000), { is: 50, doc: "Last actions looked at." }),
  window_days: key(whole(1, 3650), { is: 14, doc: "Oldest action looked at." }),
  widen_correction_rate_max: key(share, { is: 0.05, doc: "Correction rate up to which widening is proposed." }),
  tighten_correction_rate_min: key(share, { is: 0.2, doc: "Correction rate from which tightening is proposed." }),
  hysteresis_delta: key(share, { is: 0.05, doc: "Least distance between the two rates." }),
  max_standing_executions: key(whole(1, 100_000), { is: 100, doc: "Most uses of a standing approval." }),
  max_batch_review_size: key(whole(1, 1000), { is: 50, doc: "Largest batch autonomy may reach." }),
  min_high_confidence: key(share, { is: 0.7, doc: "Lowest value high confidence may be tuned to." }),
});

export const gatesKeys = group({
  system: listOf(GATE, {
    itemsMax: 100,
    fallback: [
      {
        name: "input_guard",
        on: "every_user_message",
        provider: "guardrails_ai",
        check: "jailbreak",
        on_block: "polite_redirect",
      },
      { name: "pii_scrub", on: "every_agent_response", provider: "guardrails_ai", check: "pii", on_block: "report" },
    ],
    doc: "Gates that always run, before those of the work itself.",
  }),
  llm_defaults: group({
    model: key(modelName(), { is: "openrouter:anthropic/claude-haiku-4-5", doc: "Model of llm gates." }),
    temperature: key(decimal(0, 2), { is: 0, doc: "Temperature of llm gates." }),
    timeout_seconds: key(whole(1, 120), { is: 8, doc: "Longest wait for an llm gate." }),
    max_tokens: key(whole(1, 100_000), { is: 256, doc: "Longest answer of an llm gate." }),
  }),
});

export const schedulerKeys = group({
  enabled: key(flag(), { is: true, doc: "Run timers." }),
  timezone: key(
    nullable(text({ pattern: /^[A-Za-z][A-Za-z0-9_+/-]*$/, expected: "a time zone such as Europe/Vienna" })),
    { is: null, doc: "Zone timers are read in; null follows the system. An approved goal keeps its own." },
  ),
  missed_run_policy: key(oneOf(["once", "all", "skip", "ask"]), {
    is: "once",
    doc: "What happens to runs missed while Silas was off.",
  }),
  missed_run_grace_minutes: key(whole(0, 100_000), { is: 5, doc: "Lateness up to which a run is not missed." }),
});
export const skillsKeys = group({
  validation: group({
    description_min_chars: key(whole(1, 100_000), { is: 24, doc: "Shortest skill description." }),
    description_max_chars: key(whole(1, 100_000), { is: 1024, doc: "Longest skill description." }),
    fail_on_process_heavy_description: key(flag(), {
      is: true,
      doc: "Refuse descriptions that are instructions; decided by fixed lint rules.",
    }),
    forbid_undeclared_env: key(flag(), { is: true, doc: "Refuse scripts that read undeclared variables." }),
  }),
  import: group({
    allow_external: key(flag(), { is: true, doc: "Import skills from elsewhere; needs the report." }),
    allowed_sources: key(many(oneOf(["github", "local_path"]), 10), {
      is: ["github", "local_path"],
      doc: "Where from.",
    }),
    require_transform_report: key(flag(), { is: true, doc: "Show what an import changed." }),
  }),
});
