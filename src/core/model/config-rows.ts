import type { ConfigNode, ConfigKey } from "./config-nodes.ts";

/** One line of the reference: a key as people write it, its environment variable, default and meaning. */
export type ConfigRow = {
  readonly key: string;
  readonly envName: string;
  /** The wire default, or undefined for keys inside a named entry. */
  readonly fallback: unknown;
  readonly expected: string;
  readonly doc: string;
  readonly secret: boolean;
  /** Accepted, and read by no part yet. */
  readonly isNotUsedYet: boolean;
};

/** Every key of a schema in the order it is written; a map of names shows as `profiles.*`. */
export function configRows(node: ConfigNode, parents: readonly string[] = []): readonly ConfigRow[] {
  switch (node.node) {
    case "group":
      return Object.entries(node.children).flatMap(([key, child]) => configRows(child, [...parents, key]));
    case "key":
      return [{ ...place(parents), ...keyRow(node) }];
    case "map":
      return [
        {
          ...place([...parents, "*"]),
          fallback: node.fallback,
          expected: "a map by name",
          doc: node.doc,
          secret: false,
        },
      ];
    case "list":
      return [{ ...place(parents), fallback: node.fallback, expected: "a list", doc: node.doc, secret: false }];
  }
}

/** `channels.web.port` -> `SILAS_CHANNELS__WEB__PORT`. */
export function envNameOf(key: string): string {
  return `SILAS_${key.split(".").join("__").toUpperCase()}`;
}

function place(path: readonly string[]): Pick<ConfigRow, "key" | "envName" | "isNotUsedYet"> {
  const key = path.join(".");
  return { key, envName: envNameOf(key), isNotUsedYet: NOT_USED_YET.has(key) };
}

function keyRow({ kind, fallback, doc }: ConfigKey) {
  return { fallback, expected: kind.expected, doc, secret: kind.role === "secret" };
}

/**
 * Keys that the specification names and no part of Silas reads yet. They are accepted and checked, so that a file written
 * for later versions loads, and `silas config check` names those that a file sets. The list may only become shorter.
 */
const NOT_USED_YET: ReadonlySet<string> = new Set([
  "active_goal",
  "approval.scope_min_strength.*",
  "backpressure.max_pending_turns_per_scope",
  "backpressure.max_pending_turns_total",
  "behavior_preferences.enabled",
  "behavior_preferences.max_new_inferences_per_day",
  "behavior_preferences.promotion_requires_confirmation",
  "channels.cli.enabled",
  "context.eviction_threshold_pct",
  "context.max_subscription_tokens",
  "context.observation_mask_after_turns",
  "context.scorer_threshold_pct",
  "context.skill_metadata_budget_pct",
  "context.subscription_ttl_turns",
  "gates.llm_defaults.max_tokens",
  "gates.llm_defaults.model",
  "gates.llm_defaults.temperature",
  "interaction.default_mode_by_register.execution",
  "interaction.default_mode_by_register.exploration",
  "interaction.default_mode_by_register.review",
  "interaction.default_mode_by_register.status",
  "interaction.high_initiative_min",
  "interaction.require_confirmation_on_material_ambiguity",
  "limits.llm_calls_per_minute_per_scope",
  "limits.max_memory_ops_per_turn",
  "limits.memory_ops_per_minute_per_scope",
  "memory.consolidation_interval_minutes",
  "memory.embedding_dim",
  "memory.embedding_model",
  "memory.portability_bundle_format",
  "memory.preference_min_signals",
  "memory.promotion_min_accesses",
  "memory.prune_after_days",
  "memory.raw_reingestion_default_tier",
  "memory.raw_reingestion_enabled",
  "models.executor",
  "models.proxy",
  "models.scorer",
  "personality.baseline.assertiveness",
  "personality.baseline.certainty",
  "personality.baseline.formality",
  "personality.baseline.humor",
  "personality.baseline.initiative",
  "personality.baseline.verbosity",
  "personality.baseline.warmth",
  "personality.contexts.*",
  "personality.decay_rate_per_hour",
  "personality.directive_tokens_max",
  "personality.directive_tokens_min",
  "personality.enabled",
  "personality.event_delta_max",
  "personality.mood.axis_weights.*",
  "personality.mood.event_weights.*",
  "personality.mood.neutral.curiosity",
  "personality.mood.neutral.energy",
  "personality.mood.neutral.frustration",
  "personality.mood.neutral.patience",
  "personality.presets.*",
  "personality.scope_mode",
  "personality.untrusted_events_per_hour",
  "personality.voice.anti_patterns",
  "personality.voice.quirks",
  "personality.voice.speech_patterns",
  "personality.voice.tone",
  "rehydration.max_chronicle_entries",
  "review.card_timeout_seconds",
  "review.gate_timeout_seconds",
  "skills.import.allow_external",
  "skills.import.allowed_sources",
  "skills.import.require_transform_report",
]);
