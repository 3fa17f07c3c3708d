import type { FastifyReply, FastifyRequest } from "fastify";
import {
  wordsFor,
  type AutonomyRefused,
  type ChainCheckEnded,
  type ConnectionRefusal,
  type DeviceKeyRefusal,
  type ErrorBody,
  type GoalRefusal,
  type HoldRefusal,
  type InvalidInput,
  type PasskeyKeepRefusal,
  type JournalError,
  type MemoryRefusal,
  type MessageRefusal,
  type SecureInputRefusal,
  type SelectionRefusal,
  type SigningError,
  type SkillRefusal,
  type StoreFault,
  type SuggestionRefusal,
  type TidyRefused,
  type UndoRefusal,
  type WorkRefusal,
} from "#model";
import type { DecideRefusal, ImportRefusal, Log, ProposeRefusal, Randomness, ReceiptRefusal } from "#ports";

/** What the channel itself refuses, before any room behind it is asked. */
export type ChannelRefusal =
  | { readonly code: "unauthorized" }
  | { readonly code: "enrolment_invalid" }
  | { readonly code: "foreign_host" }
  | { readonly code: "foreign_origin" }
  | { readonly code: "bad_request" }
  | { readonly code: "route_not_found" }
  | { readonly code: "method_not_allowed" }
  | { readonly code: "json_only"; readonly expected: string }
  | { readonly code: "invalid_json"; readonly reason: string; readonly line: number; readonly column: number }
  | { readonly code: "invalid_utf8" }
  | { readonly code: "body_too_large"; readonly max: number }
  | { readonly code: "body_too_slow" }
  | { readonly code: "rate_limited"; readonly retry_after_ms: number }
  | { readonly code: "too_many_sockets" }
  | { readonly code: "shutting_down" }
  | { readonly code: "terminal_only" }
  | { readonly code: "device_only" }
  | { readonly code: "device_signature_needed" }
  | { readonly code: "https_needed" }
  | { readonly code: "internal"; readonly cause?: unknown };

export type Refusal =
  | ChannelRefusal
  | JournalError
  | InvalidInput
  | ImportRefusal
  | MessageRefusal
  | MemoryRefusal
  | SigningError
  | ProposeRefusal
  | DecideRefusal
  | DeviceKeyRefusal
  | ReceiptRefusal
  | SecureInputRefusal
  | PasskeyKeepRefusal
  | AutonomyRefused
  | SelectionRefusal
  | TidyRefused
  | UndoRefusal
  | WorkRefusal
  | GoalRefusal
  | HoldRefusal
  | ChainCheckEnded
  | SkillRefusal
  | SuggestionRefusal
  | ConnectionRefusal
  | StoreFault;

type StatusTable = { readonly [C in Refusal["code"]]: number };

const STATUS: StatusTable = {
  bad_request: 400,
  invalid_json: 400,
  invalid_utf8: 400,
  invalid_input: 400,
  invalid_line: 400,
  unauthorized: 401,
  enrolment_invalid: 401,
  foreign_origin: 403,
  terminal_only: 403,
  device_only: 403,
  device_signature_needed: 403,
  device_code_wrong: 403,
  no_device_waits: 404,
  https_needed: 403,
  key_unknown: 404,
  secret_missing: 404,
  secret_not_asked: 404,
  not_found: 404,
  message_unknown: 404,
  request_unknown: 404,
  run_unknown: 404,
  goal_unknown: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  body_too_slow: 408,
  already_undone: 409,
  category_archived: 409,
  changed_since: 409,
  edit_conflict: 409,
  name_taken: 409,
  already_decided: 409,
  approval_expired: 409,
  approval_hash_differs: 409,
  approval_item_differs: 409,
  approval_key_revoked: 409,
  approval_key_unknown: 409,
  approval_lineage_differs: 409,
  approval_not_approved: 409,
  approval_not_granted: 409,
  approval_not_yet_valid: 409,
  approval_signature_invalid: 409,
  approval_spawn_differs: 409,
  approval_spawn_missing: 409,
  approval_spawn_parent_differs: 409,
  approval_spawn_policy_differs: 409,
  approval_spawn_unexpected: 409,
  approval_spent: 409,
  approval_use_taken: 409,
  approval_void: 409,
  challenge_unknown: 409,
  decision_strong_auth_unproven: 409,
  device_key_differs: 409,
  device_signed_out: 409,
  mint_missing: 409,
  public_key_taken: 409,
  signatures_differ: 409,
  decision_changed: 409,
  decision_expired: 409,
  decision_friction_missing: 409,
  answer_refused: 409,
  decision_not_approved: 409,
  decision_settled: 409,
  decision_shown_differs: 409,
  not_approved: 409,
  passkey_refused: 409,
  passkey_missing: 409,
  passkey_unknown: 404,
  passkey_known: 409,
  passkey_not_made: 409,
  passkey_proof_needed: 409,
  passkeys_full: 409,
  passkey_needs_name: 422,
  message_not_accepted: 409,
  message_settled: 409,
  message_trusted: 409,
  not_missed: 409,
  plan_differs: 409,
  standing_conditions_missing: 409,
  standing_over: 409,
  standing_uses_exceeded: 409,
  token_differs: 409,
  uses_exhausted: 409,
  no_timer_running: 409,
  key_revoked: 409,
  last_key: 409,
  operation_mismatch: 409,
  signer_not_enrolled: 409,
  run_exists: 409,
  run_over: 409,
  approval_lapsed: 409,
  goal_busy: 409,
  hold_differs: 409,
  hold_over: 409,
  goal_not_paused: 409,
  goal_nothing_missed: 409,
  goal_paused: 409,
  run_not_paused: 409,
  work_stopped: 409,
  run_not_pausable: 409,
  run_not_in_doubt: 409,
  run_settled: 409,
  run_not_settled: 409,
  secret_fulfilled: 409,
  task_concluded: 409,
  task_not_concluded: 409,
  timer_running: 409,
  body_too_large: 413,
  json_only: 415,
  foreign_host: 421,
  due_time_without_date: 422,
  end_in_future: 422,
  start_in_future: 422,
  end_not_after_start: 422,
  item_not_in_checklist: 422,
  limit_reached: 422,
  limit_refused: 409,
  nothing_to_tighten: 409,
  not_a_limit_request: 404,
  autonomy_disabled: 409,
  payload_refused: 422,
  memory_unknown: 404,
  memory_duplicate: 409,
  memory_constitutional: 409,
  memory_verified: 409,
  memory_trusted: 409,
  holds_secret: 422,
  secret_scan_failed: 422,
  memory_too_long: 422,
  skill_unusable: 422,
  skill_tree_refused: 422,
  skill_unknown: 404,
  skill_name_refused: 400,
  skill_present: 409,
  skill_active: 409,
  skill_invalid: 422,
  suggestion_unknown: 404,
  suggestion_closed: 409,
  suggestion_stale: 409,
  connection_unknown: 404,
  connection_busy: 409,
  step_not_shown: 409,
  recovery_unknown: 422,
  not_a_connection_skill: 422,
  discovery_failed: 422,
  selection_refused: 422,
  folder_refused: 422,
  folder_unreadable: 422,
  undo_unknown: 404,
  undo_not_yet: 409,
  undo_nothing: 409,
  undo_over: 409,
  plan_refused: 422,
  proposal_refused: 422,
  link_to_itself: 422,
  order_mismatch: 422,
  proof_invalid: 422,
  public_key_invalid: 422,
  repeat_without_date: 422,
  secret_ref_reserved: 422,
  secure_input_unsupported: 422,
  signature_invalid: 422,
  wrong_kind: 422,
  rate_limited: 429,
  too_many_pending: 429,
  too_many_asked: 429,
  internal: 500,
  store_corrupt: 500,
  store_failed: 500,
  vault_damaged: 500,
  chain_check_ended: 503,
  shutting_down: 503,
  store_busy: 503,
  store_read_only: 503,
  too_many_sockets: 503,
  vault_locked: 503,
  vault_unavailable: 503,
  vault_wrong_key: 503,
  disk_full: 507,
  vault_full: 507,
};

/** Answers one refused request: code and facts for programs, a sentence for people, an id that finds the raw cause. */
export type Refuse = (reply: FastifyReply, refusal: Refusal) => FastifyReply;

export function createRefuse({ log, randomness }: { readonly log: Log; readonly randomness: Randomness }): Refuse {
  return (reply, refusal) => {
    const status = STATUS[refusal.code];
    const errorId = createErrorId(randomness);
    logRefusal(log, { request: reply.request, refusal, status, errorId });
    if (refusal.code === "rate_limited") reply.header("retry-after", Math.ceil(refusal.retry_after_ms / 1000));
    if (refusal.code === "method_not_allowed") reply.header("allow", "GET, HEAD, POST, DELETE");
    // The rest of a body nobody will read must not be taken for the next request.
    if (status === 413 || status === 408) reply.header("connection", "close");
    const body: ErrorBody = { error: { ...factsOf(refusal), message: wordsFor(refusal) }, error_id: errorId };
    return reply.code(status).header("cache-control", "no-store").type("application/json; charset=utf-8").send(body);
  };
}

/** Short enough to read out on the phone, long enough never to meet its like in one log. */
function createErrorId(randomness: Randomness): string {
  return Array.from(randomness.bytes(8), (byte) => "0123456789abcdefghjkmnpqrstvwxyz"[byte % 32]).join("");
}

/** Everything but the raw cause, which may hold paths, statements or values. */
function factsOf(refusal: Refusal): { readonly code: string } {
  const { cause: _cause, ...facts } = refusal as Refusal & { readonly cause?: unknown };
  return facts;
}

type Refused = {
  readonly request: FastifyRequest;
  readonly refusal: Refusal;
  readonly status: number;
  readonly errorId: string;
};

function logRefusal(log: Log, { request, refusal, status, errorId }: Refused): void {
  const fields = {
    error_id: errorId,
    code: refusal.code,
    status,
    method: request.method,
    // The pattern, never the address itself: an address may hold what someone typed.
    route: request.routeOptions.url ?? null,
    ...("cause" in refusal ? { cause: refusal.cause } : {}),
  };
  if (status >= 500) log.error("request_failed", fields);
  else log.info("request_refused", fields);
}
