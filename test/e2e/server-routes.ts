/** Every route of `docs/api.md` that needs a session: who may call it, what it takes, and what it says of what is not there. */
import { sha256Hex } from "#base";

export type RouteRow = {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** `owner` is a device or the terminal, and not the configured token. */
  readonly who: "any" | "owner" | "device" | "terminal";
  /** A body that the schema takes; null where there is none. */
  readonly body: object | null;
  /** The answer of a server in which nothing was done yet. */
  readonly answers: readonly [status: number, code: string | null];
};
type Who = RouteRow["who"];
type Answer = RouteRow["answers"];

const get = (path: string, answers: Answer = [200, null], who: Who = "any"): RouteRow => ({
  method: "GET",
  path,
  who,
  body: null,
  answers,
});
const post = (path: string, body: object, answers: Answer, who: Who = "any"): RouteRow => ({
  method: "POST",
  path,
  who,
  body,
  answers,
});

export const NONE = "01a1e0e6-9847-710c-a4c4-076a2acbbb26";
const HASH = "ab".repeat(32);
const KEY_ID = "cd".repeat(16);
const SIGNATURE = Buffer.alloc(64).toString("base64");
const REQUEST = { request_id: NONE };
const HINT = { name: null, email: null, domain: null };
const WANTED = {
  ref_id: "notes.token",
  label: "Token of the notes",
  input_hint: null,
  guidance: { instructions: "Copy it from the settings.", help_url: null },
  host: null,
};
const PAYLOAD = {
  kind: "memory_promotion",
  item_id: "item-1",
  item_digest: sha256Hex("Oats are in the cupboard."),
  content: "Oats are in the cupboard.",
  from: "external",
  to: "owner",
};
const DECISION = { ...REQUEST, verdict: "declined", shown_hash: HASH, friction: ["tap"] };
const MINT = { ...REQUEST, shown_hash: HASH, friction: ["tap"], key_id: KEY_ID };
const SIGN = { ...REQUEST, signatures: [{ token_id: NONE, signature: SIGNATURE }], passkey_assertion: null };
const OFFER = { name: "Tablet", public_key: HASH, challenge: HASH, signature: SIGNATURE };
const ATTESTATION = {
  id: "AAAA",
  rawId: "AAAA",
  type: "public-key",
  response: { clientDataJSON: "AAAA", attestationObject: "AAAA" },
};
const UNKNOWN: Answer = [404, "request_unknown"];

const SESSIONS: readonly RouteRow[] = [
  get("/session"),
  get("/sessions"),
  post("/session/links", {}, [200, null], "terminal"),
];
const JOURNAL: readonly RouteRow[] = [
  get("/api/status"),
  post("/api/journal/command", { operationId: "op-1", command: { kind: "task.create", title: "Oats" } }, [200, null]),
  post("/api/journal/query", { kind: "categories" }, [200, null]),
  get("/api/journal/export"),
  get("/api/activity"),
  get("/api/activity?limit=1"),
  get("/api/activity/chain"),
  get("/api/activity/chain?whole=true"),
];
const KEYS: readonly RouteRow[] = [
  get("/api/keys"),
  post("/api/keys/verify-file", { sha256: HASH, key_id: KEY_ID, signature: SIGNATURE }, [404, "key_unknown"]),
  post("/api/keys/sign-file", { sha256: HASH }, [200, null], "terminal"),
  post("/api/keys/enrol", { name: "Another key" }, [200, null], "terminal"),
  post("/api/keys/revoke", { key_id: KEY_ID, last_key: "refuse" }, [404, "key_unknown"], "terminal"),
  post("/api/keys/devices/begin", {}, [200, null], "device"),
  post("/api/keys/devices", OFFER, [409, "challenge_unknown"], "device"),
  get("/api/keys/devices/current", [200, null], "device"),
  get("/api/keys/devices/waiting", [200, null], "terminal"),
  post("/api/keys/devices/confirm", { code: "123456" }, [404, "no_device_waits"], "terminal"),
  get("/api/keys/passkeys"),
  post("/api/keys/passkeys/ask", { purpose: "add" }, [409, "passkey_missing"], "device"),
  post("/api/keys/passkeys/begin", { proof: null }, [403, "foreign_origin"], "device"),
  post("/api/keys/passkeys", { name: "Phone", attestation: ATTESTATION }, [409, "passkey_not_made"], "device"),
  post("/api/keys/passkeys/remove", { passkey_id: KEY_ID, proof: null }, [404, "passkey_unknown"], "owner"),
  post("/api/hold/accept", { seq: 1, hash: HASH, signed: null }, [409, "hold_over"]),
];
const APPROVALS: readonly RouteRow[] = [
  get("/api/approvals/inbox", [200, null], "terminal"),
  get("/api/approvals/missed", [200, null], "terminal"),
  get("/api/approvals/all", [200, null], "terminal"),
  get("/api/approvals/summary", [200, null], "owner"),
  post("/api/approvals/check", { markdown: "Oats" }, [422, "plan_refused"], "terminal"),
  post("/api/approvals/propose", { markdown: "Oats" }, [422, "plan_refused"], "terminal"),
  post("/api/approvals/propose-payload", { payload: PAYLOAD }, [200, null], "terminal"),
  post("/api/approvals/propose-again", REQUEST, UNKNOWN, "owner"),
  post("/api/approvals/receipt", REQUEST, UNKNOWN, "owner"),
  post("/api/approvals/show", REQUEST, UNKNOWN, "owner"),
  post("/api/approvals/decide", DECISION, UNKNOWN, "owner"),
  post("/api/approvals/mint", MINT, UNKNOWN, "device"),
  post("/api/approvals/sign", SIGN, UNKNOWN, "device"),
  post(`/api/approvals/${NONE}/selection`, { selected_item_ids: ["1"] }, UNKNOWN),
];
const SECRETS: readonly RouteRow[] = [
  post("/secrets/other.token", { value: "v" }, [404, "secret_not_asked"]),
  get("/api/secrets/pending"),
  get("/api/secrets"),
  post("/api/secrets/ask", WANTED, [200, null], "terminal"),
  post("/api/secrets/remove", { ref_id: "other.token" }, [404, "secret_not_asked"], "terminal"),
];
const MESSAGES: readonly RouteRow[] = [
  get("/api/messages"),
  get(`/api/messages/turn?message_id=${NONE}`),
  get(`/api/messages/stream?message_id=${NONE}`, [200, null], "terminal"),
  post("/api/messages/stop", { message_id: NONE }, [200, null]),
  post("/api/models/test", {}, [200, null]),
  post("/api/messages", { text: "Buy oats" }, [200, null]),
  post("/api/messages/say", { text: "Buy oats" }, [200, null], "terminal"),
  post("/api/messages/endorse", { message_id: NONE }, [404, "message_unknown"]),
  get("/api/memory"),
  get("/api/memory?limit=1"),
  get("/api/memory/search?q=oats"),
  get("/api/memory/export"),
  get(`/api/memory/${NONE}`, [404, "memory_unknown"]),
  post("/api/memory", { from: "own", content: "I like oats", memory_type: "fact", semantic_tags: [] }, [200, null]),
  post(`/api/memory/${NONE}/change`, { from: "own", content: "Rye" }, [404, "memory_unknown"]),
  post(`/api/memory/${NONE}/forget`, {}, [404, "memory_unknown"]),
  post(`/api/memory/${NONE}/promote`, {}, [404, "memory_unknown"]),
];
const WORK: readonly RouteRow[] = [
  get("/api/work"),
  get("/api/work?status=stuck"),
  get(`/api/work/${NONE}`, [404, "run_unknown"]),
  get("/api/work/doubts"),
  post(`/api/work/${NONE}/settle`, { choice: "leave" }, [404, "run_unknown"]),
  post(`/api/work/${NONE}/cancel`, {}, [404, "run_unknown"]),
  post(`/api/work/${NONE}/pause`, {}, [404, "run_unknown"]),
  post(`/api/work/${NONE}/resume`, {}, [404, "run_unknown"]),
  post(`/api/work/${NONE}/undo`, {}, [404, "undo_unknown"]),
  post(`/api/work/${NONE}/undo/propose`, {}, [404, "undo_unknown"]),
  post("/api/batches/tidy", { folder: "/etc" }, [422, "folder_refused"], "terminal"),
  post("/api/start-again", {}, [200, null]),
  get("/api/suggestions"),
  post(`/api/suggestions/${NONE}/answer`, { answer: "not_now" }, [404, "suggestion_unknown"]),
  get("/api/autonomy"),
  post("/api/autonomy/check", {}, [200, null]),
  post("/api/autonomy/tighten", { request_id: null }, [409, "nothing_to_tighten"]),
  get("/api/timers"),
  get("/api/goals"),
  get(`/api/goals/${NONE}`, [404, "goal_unknown"]),
  ...["check", "leave", "pause", "resume"].map((verb) => post(`/api/goals/${NONE}/${verb}`, {}, [404, "goal_unknown"])),
];
const OTHERS: readonly RouteRow[] = [
  get("/api/skills"),
  get("/api/skills/notes", [404, "skill_unknown"]),
  post("/api/skills/check", { place: "/var/tmp/not-there" }, [422, "skill_tree_refused"], "terminal"),
  post("/api/skills/install", { place: "/var/tmp/not-there" }, [422, "skill_tree_refused"], "terminal"),
  post("/api/skills/notes/remove", {}, [404, "skill_unknown"], "terminal"),
  get("/api/connections"),
  get(`/api/connections/${NONE}`, [404, "connection_unknown"]),
  post("/api/connections/connect", { skill: "notes", identity_hint: HINT }, [422, "skill_unusable"]),
  post(`/api/connections/${NONE}/step`, { step_id: "code", step_type: "device_code", action: "done" }, [
    404,
    "connection_unknown",
  ]),
  post(`/api/connections/${NONE}/cancel`, {}, [404, "connection_unknown"]),
  post(`/api/connections/${NONE}/check`, {}, [404, "connection_unknown"]),
  post(`/api/connections/${NONE}/recover`, { action: "retry" }, [404, "connection_unknown"]),
  post(`/api/connections/${NONE}/remove`, {}, [404, "connection_unknown"]),
];

export const ROUTES = [
  ...SESSIONS,
  ...JOURNAL,
  ...KEYS,
  ...APPROVALS,
  ...SECRETS,
  ...MESSAGES,
  ...WORK,
  ...OTHERS,
] as const;

/** What answers from memory, or is refused before anything is read. */
export const NEED_NO_STORE: ReadonlySet<string> = new Set([
  "GET /session",
  "GET /sessions",
  "POST /session/links",
  "POST /api/keys/devices/begin",
  "POST /api/keys/devices",
  "GET /api/keys/devices/waiting",
  "POST /api/keys/devices/confirm",
  "POST /api/keys/passkeys/begin",
  "POST /api/keys/passkeys",
  "POST /api/hold/accept",
  "POST /api/approvals/check",
  "POST /api/approvals/propose",
  "POST /api/models/test",
  "POST /api/batches/tidy",
  // Where it is not known whether everything is stopped, nothing is proposed.
  "POST /api/autonomy/check",
  "POST /api/skills/check",
  "POST /api/skills/install",
]);

/** What reads a table of the database: without that table alone it says that it could not. */
export const READERS: Readonly<Record<string, readonly string[]>> = {
  owner_keys: ["/api/keys", "/api/keys/devices/current"],
  passkeys: ["/api/keys/passkeys"],
  pending_decisions: [
    "/api/approvals/inbox",
    "/api/approvals/missed",
    "/api/approvals/all",
    "/api/approvals/summary",
    "/api/work",
    "/api/autonomy",
  ],
  approval_tokens: ["/api/work", "/api/autonomy"],
  request_headings: ["/api/work", "/api/autonomy"],
  global_stops: ["/api/status", "/api/work"],
  run_settlements: ["/api/work/doubts"],
  goals: ["/api/goals"],
  timers: ["/api/timers", "/api/goals"],
  secure_inputs: ["/api/secrets/pending", "/api/secrets"],
  messages: ["/api/messages", `/api/messages/turn?message_id=${NONE}`, `/api/messages/stream?message_id=${NONE}`],
  message_endorsements: ["/api/messages"],
  turns: ["/api/messages", `/api/messages/turn?message_id=${NONE}`, `/api/messages/stream?message_id=${NONE}`],
  memory_items: ["/api/memory", "/api/memory/search?q=oats"],
  suggestions: ["/api/suggestions"],
  skill_installs: ["/api/skills"],
  connections: ["/api/connections"],
  audit_entries: ["/api/activity", "/api/activity/chain?whole=true"],
};
