/** One entry of each audit event, and a second one where a field may be absent or null. */
import type { Instant } from "#base";
import type { AuditDataOf, auditDataSchemas } from "#model";

type AuditEvent = keyof typeof auditDataSchemas;
type Samples = { readonly [E in AuditEvent]: readonly [AuditDataOf<E>, ...AuditDataOf<E>[]] };

const FROM = "2026-11-16T06:00:00.000Z" as Instant;
const TO = "2026-11-16T07:15:00.000Z" as Instant;
const PLAN = "3b".repeat(32);
const OTHER = "7e".repeat(32);
const KEY = "4128e721afc83859acd45e74dbc7babc";
const SIGNATURE = "9d".repeat(64);
const TOKEN = "tok_5f0c9d1e2b3a48576a69788796a5b4c3";
const REQUEST = "0190f8a2-6c1e-7b44-9d0e-1f2a3b4c5d6e";

const act = { act_id: "act-1" };
const asked = { request_id: REQUEST, plan_hash: PLAN, work_item_id: "task-1" };
const message = { message_id: "message-1" };
const run = { run_id: "run-1", work_item_id: "task-1" };
const goal = { goal_id: "goal-1" };
const cycle = { ...goal, cycle: 3 };
const stream = { ...goal, request_id: REQUEST, plan_hash: PLAN };
const moment = { trigger: "on_tool_call", scope_id: "owner" } as const;
const advice = { gate: "tone", scope_id: "owner", score: 0.25, flags: ["too_long"] };
const connection = { connection_id: "conn-0123456789abcdef", skill: "notes-service" };
const script = { ...connection, script: "list_notes" };
const part = { ...run, part: "step", index: 1 } as const;
const suggestion = { suggestion_id: "suggestion-1", offer: "run_again", work_item_id: "task-1" };
const memory = { memory_id: "memory-12345678", scope_id: "owner", taint: "owner", trust: "working" } as const;
const skill = { skill: "word-count", tree_digest: OTHER };
const call = { call_id: "call-1", message_id: "message-1" };
const numbered = { ...run, number: 1, number_max: 2 };

const INSTANCE = {
  instance_started: [
    { version: "0.1.0", ended_cleanly: true },
    { version: "0.1.0", ended_cleanly: false },
  ],
  instance_stopped: [{}],
  faults_caught: [
    { telegram: 1, process: 2, since: FROM },
    { telegram: 1, process: 0, since: FROM },
  ],
  device_enrolled: [{ session_id: "session-1", device_name: 'Küche "1"\n' }],
  device_revoked: [{ session_id: "session-1", device_name: "Kitchen tablet" }],
  enrolment_refused: [{ invalid: 1, rate_limited: 0, since: FROM }],
  callers_refused: [{ foreign_origin: 1, foreign_host: 2, unauthenticated_frame: 3, since: FROM }],
  journal_import_started: [act],
  journal_imported: [{ ...act, added: 1200, replaced: 34, unchanged: 5, conflicts: 1 }],
  journal_import_failed: [{ ...act, reason: "invalid_line" }],
  journal_export_started: [act],
  journal_exported: [{ ...act, lines: 1 }],
  journal_export_failed: [{ ...act, reason: "store_busy" }],
  backup_created: [{ files: 3, bytes: 1048576 }],
  backup_restore_started: [{ ...act, backup_created_at: FROM }],
  backup_restored: [
    { ...act, backup_created_at: FROM, replaced: { seq: 12, hash: OTHER } },
    { ...act, backup_created_at: FROM, replaced: null },
  ],
  backup_restore_failed: [{ ...act, reason: "backup_damaged" }],
  migration_applied: [{ store: "runtime", migration: "021_message_entries" }],
  audit_checkpoint: [
    { checkpoint_id: "checkpoint-1", key_id: KEY },
    { checkpoint_id: "checkpoint-1", key_id: null },
  ],
} satisfies Partial<Samples>;

const TRUST = {
  approvals_voided: [
    { act_id: "approvals-voided", reason: "backup_restored", replaced: { seq: 12, hash: OTHER } },
    { act_id: "approvals-voided", reason: "heads_missing", replaced: null },
  ],
  device_key_offered: [{ key_id: KEY, key_name: "Tablet", session_id: "session-1" }],
  device_key_refused: [
    { reason: "proof_invalid", session_id: "session-1" },
    { reason: "code_unknown", session_id: null },
  ],
  key_enrolled: [
    { key_id: KEY, key_name: "Tablet" },
    { key_id: KEY, key_name: "Tablet", session_id: "session-1", signed_by: KEY, signature: SIGNATURE },
    { key_id: KEY, key_name: "Tablet", signed_by: KEY, signature: SIGNATURE, countersigned: true },
  ],
  key_used: [{ key_id: KEY, purpose: "approval" }],
  key_revoked: [{ key_id: KEY, key_name: "Tablet" }],
  passkey_added: [{ passkey_id: "passkey-1", passkey_name: "Phone", session_id: "session-1" }],
  passkey_used: [{ passkey_id: "passkey-1", session_id: "session-1", purpose: "approval" }],
  passkey_removed: [{ passkey_id: "passkey-1", passkey_name: "Phone", session_id: "session-1" }],
  passkey_refused: [{ session_id: "session-1", purpose: "add", reason: "challenge_unknown" }],
  approval_requested: [{ ...asked, risk: "medium" }],
  approval_granted: [
    { ...asked, token_id: TOKEN, key_id: KEY, use_number: 1, lineage_id: "run-1", friction: ["tap", "confirm"] },
  ],
  approval_standing: [
    { ...asked, token_id: TOKEN, key_id: KEY, uses_max: 5 },
    { ...asked, act_id: `kept:${TOKEN}`, token_id: TOKEN, key_id: KEY, uses_max: 1 },
  ],
  approval_used: [
    { token_id: TOKEN, plan_hash: PLAN, content_hash: OTHER, key_id: KEY, use_number: 2, lineage_id: "run-2" },
  ],
  approval_declined: [asked],
  approval_replaced: [asked],
  approval_expired: [asked],
  approval_refused: [{ ...asked, reason: "approval_key_revoked" }],
  secret_asked: [{ ref_id: "bank-login" }],
  secret_stored: [{ ref_id: "bank-login" }],
  secret_removed: [{ ref_id: "bank-login" }],
  limit_changed: [
    {
      request_id: REQUEST,
      token_id: TOKEN,
      key: "batch_review.default_size",
      from: "10",
      to: "20",
      configured: "10",
      direction: "widen",
    },
  ],
} satisfies Partial<Samples>;

const MESSAGES = {
  message_received: [
    { ...message, channel: "web", taint: "owner", key_id: KEY },
    { ...message, channel: "webhook", taint: "external", key_id: null },
  ],
  message_replay_refused: [{ ...message, key_id: KEY, reason: "nonce_used" }],
  message_signature_refused: [{ ...message, key_id: KEY, reason: "key_unknown" }],
  message_blocked: [message],
  message_endorsed: [{ ...message, token_id: TOKEN }],
  access_changed: [
    { connection_id: "web:1", level_before: "public", level: "guest", customer_id: "customer-1" },
    { connection_id: "web:1", level_before: "public", level: "guest", customer_id: null },
  ],
  gates_passed: [{ ...moment, gates: ["size", `sha256:${OTHER}`] }],
  gate_blocked: [{ ...moment, gate: "size", code: "outside_range", on_block: "report", escalates: true }],
  gate_approval_needed: [{ ...moment, gate: `sha256:${OTHER}`, code: "approval_always" }],
  gate_mutation: [
    {
      ...moment,
      gate: "mask",
      key: "tool_args",
      original: PLAN,
      original_chars: 120,
      modified: null,
      modified_chars: 0,
    },
  ],
  rejected_mutation: [{ ...moment, gate: "mask", key: "history" }],
  quality_gate_input: [advice, { ...advice, score: null, flags: [] }],
  quality_gate_output: [advice],
  quality_gate_tool_call: [advice],
  quality_gate_after_step: [advice],
  quality_lane_violation: [{ ...moment, gate: "tone", tried: "rewrite" }],
  message_dead: [
    { ...message, queue: "executor_queue", work_item_id: "task-1", deliveries: 5, reason: "handling_failed" },
    { ...message, queue: "proxy_queue", work_item_id: null, deliveries: 1, reason: "unreadable" },
  ],
  message_unrouted: [{ ...message, sender: "planner", message_kind: "user_message", queue: "executor_queue" }],
  telegram_egress_opened: [{ host: "api.telegram.example:443" }],
  telegram_egress_ended: [{ host: "api.telegram.example:443", requests: 2, bytes_sent: 300, bytes_received: 5000 }],
  telegram_egress_refused: [
    { host: "api.telegram.example:443", reason: "address_private" },
    { host: null, reason: "everything_is_stopped" },
  ],
  telegram_stranger_ignored: [{ account_id: "-1001234567890" }],
  telegram_secret_refused: [{}],
  model_asked: [
    { ...call, host: "127.0.0.1:8080", model: "trial", bytes_sent: 900, sha256: OTHER, taint: "owner", key_ref: "key" },
    {
      call_id: "call-2",
      message_id: null,
      host: "[::1]:443",
      model: "vendor/trial:2",
      bytes_sent: 900,
      sha256: OTHER,
      taint: "external",
      key_ref: null,
    },
  ],
  model_answered: [{ ...call, bytes_received: 300, tokens_in: 90, tokens_out: 10 }],
  model_gave_nothing: [{ ...call, reason: "model_timeout" }],
  turn_ended: [
    { ...message, taint: "auth", request_id: null },
    { ...message, taint: "owner", request_id: REQUEST },
  ],
  turn_failed: [{ ...message, reason: "turn_interrupted" }],
} satisfies Partial<Samples>;

const RUNS = {
  run_started: [{ ...run, token_id: TOKEN, plan_hash: PLAN }],
  everything_stopped: [{}],
  started_again: [{ stopped_at: FROM }],
  run_paused: [run],
  run_resumed: [run],
  run_ended: [
    { ...run, status: "done", is_verified: true, attempts: 1, checks: 2, checks_passed: 2, execution_hash: OTHER },
    { ...run, status: "stuck", is_verified: false, attempts: 3, checks: 2, checks_passed: 1 },
  ],
  run_settled: [
    { ...run, choice: "happened", is_verified: true, checks: 2, checks_passed: 2, settlement_hash: OTHER },
    { ...run, choice: "leave", is_verified: false, checks: 0, checks_passed: 0, settlement_hash: OTHER },
  ],
  execution_blocked_no_approval: [{ ...run, reason: "approval_key_revoked" }],
  artifact_ref_mismatch: [{ ...run, attempt: 1, claimed: 2, left: 1 }],
  step_in_doubt: [{ ...run, attempt: 1, step_index: 0 }],
  egress_opened: [{ ...part, host: "workshop.example:443" }],
  egress_ended: [{ ...part, host: "workshop.example:443", requests: 1, bytes_sent: 200, bytes_received: 4000 }],
  egress_refused: [
    { ...part, host: "a.example:80", reason: "unreachable" },
    { ...part, part: "check", host: null, reason: "not_granted" },
  ],
  credential_used: [
    { ...run, index: 0, ref_id: "bank-login", host: "bank.example:443" },
    { ...run, index: 0, ref_id: "bank-login", host: null },
  ],
  output_withheld: [{ ...run, ref_id: "bank-login" }],
  batch_outcome: [{ request_id: REQUEST, work_item_id: "task-1", outcome: "edited", items: 2 }],
  undo_kept: [
    { request_id: REQUEST, work_item_id: "task-1", plan_hash: PLAN, token_id: TOKEN, key_id: KEY },
    {
      request_id: REQUEST,
      work_item_id: "task-1",
      act_id: `kept:${TOKEN}`,
      plan_hash: PLAN,
      token_id: TOKEN,
      key_id: KEY,
    },
  ],
  replan_requested: [numbered],
  replan_proposed: [{ ...run, request_id: REQUEST }],
  replan_failed: [{ ...run, reason: "no_other_way" }],
  advice_requested: [numbered],
  advice_given: [numbered],
  advice_failed: [{ ...run, reason: "consult_interrupted" }],
} satisfies Partial<Samples>;

const GOALS = {
  goal_scheduled: [{ ...goal, request_id: REQUEST, plan_hash: PLAN }],
  goal_paused: [goal],
  goal_resumed: [goal],
  goal_checked: [
    { ...cycle, checks: 3, failed: [0, 2] },
    { ...cycle, checks: 0, failed: [] },
  ],
  goal_repair_made: [{ ...cycle, task_id: "goal-1-repair-3", task_hash: OTHER }],
  goal_asked: [{ ...cycle, task_id: "goal-1-repair-3", request_id: REQUEST, reason: "uses_exhausted" }],
  goal_items_asked: [{ ...cycle, candidates: 4, in_batches: 3, in_questions: 1 }],
  goal_cycle_ended: [
    { ...cycle, ended: "failed", reason: "still_failing" },
    { ...cycle, ended: "healthy", reason: null },
  ],
  goal_checks_skipped: [
    { ...goal, count: 2, since: FROM, until: TO, reason: "missed" },
    { ...goal, count: 1, since: FROM, until: FROM, reason: "busy" },
  ],
  goal_checks_left: [{ ...goal, count: 2 }],
  goal_replanned: [{ ...goal, planned_until: TO }],
  stream_loaded: [stream],
  stream_replaced: [
    { ...stream, replaced_goal_id: "goal-0", replaced_request_id: "request-0" },
    { ...stream, replaced_goal_id: "goal-1", replaced_request_id: "request-0" },
  ],
  stream_taken_out: [{ ...stream, reason: "key_revoked" }],
  stream_unverified: [{ ...stream, reason: "approval_key_revoked" }],
  suggestion_made: [{ ...suggestion, source: "run_ended", risk: "low" }],
  suggestion_answered: [
    { ...suggestion, outcome: "accepted", request_id: REQUEST },
    { ...suggestion, offer: "next_step", work_item_id: null, outcome: "dismissed", request_id: null },
  ],
  suggestion_expired: [suggestion],
  suggestion_looks_skipped: [{ count: 4, since: FROM, until: TO }],
  timer_skipped: [
    { key: "connection:conn-0123456789abcdef", count: 4, since: FROM, until: TO, reason: "missed" },
    { key: "connection:conn-0123456789abcdef", count: 1, since: FROM, until: FROM, reason: "busy" },
  ],
  timer_disabled: [
    { key: "agent:reader", reason: "owner_unknown" },
    { key: "goal:goal-1", reason: "schedule_unreadable" },
  ],
} satisfies Partial<Samples>;

const CAPABILITIES = {
  skill_installed: [{ request_id: REQUEST, ...skill, token_id: TOKEN }],
  skill_install_failed: [{ request_id: REQUEST, ...skill, reason: "files_changed" }],
  skill_removed: [skill],
  connection_proposed: [connection],
  connection_setup_begun: [{ ...connection, request_id: REQUEST, token_id: TOKEN }],
  connection_setup_ended: [{ ...connection, reason: "declined" }],
  connection_registered: [{ ...connection, permissions: 2 }],
  connection_refreshed: [connection],
  connection_recovered: [connection],
  connection_failed: [{ ...connection, failure_type: "token_expired" }],
  connection_widened: [{ ...connection, request_id: REQUEST, token_id: TOKEN, permissions: 1 }],
  connection_widened_once: [{ ...connection, request_id: REQUEST, token_id: TOKEN }],
  connection_not_widened: [{ ...connection, request_id: REQUEST, reason: "refused_there" }],
  connection_removed: [connection],
  connection_reached: [{ ...script, host: "notes.example:443" }],
  connection_kept_from: [
    { ...script, host: "elsewhere.example:443", reason: "not_granted" },
    { ...script, host: null, reason: "not_granted" },
  ],
  connection_secret_used: [
    { ...script, ref_id: "notes-token", host: "notes.example:443" },
    { ...script, ref_id: "notes-token", host: null },
  ],
  connection_output_withheld: [{ ...script, ref_id: "notes-token" }],
  memory_stored: [{ ...memory, source: "owner_entry" }],
  memory_changed: [{ ...memory, trust: "constitutional" }],
  memory_promoted: [{ memory_id: memory.memory_id, token_id: TOKEN, item_digest: OTHER }],
  memory_forgotten: [{ memory_id: memory.memory_id }],
  memory_exported: [{ items: 2 }],
} satisfies Partial<Samples>;

/** INVARIANT: the type demands a sample of each event, so that a new event cannot be left out. */
export const AUDIT_SAMPLES: Samples = { ...INSTANCE, ...TRUST, ...MESSAGES, ...RUNS, ...GOALS, ...CAPABILITIES };
