import type { Config } from "./config-schema.ts";

/** What the shell found out about the world; the rules below read nothing themselves. */
export type ConfigFacts = {
  /** Real paths, symlinks resolved as far as they exist, with `/` or `\` as the platform writes them. */
  readonly dataDir: string;
  readonly dataDirUse: FolderUse;
  readonly workDirUse: Exclude<FolderUse, "foreign">;
  readonly verifyDirUse: Exclude<FolderUse, "foreign">;
  readonly verifyDir: string;
  readonly customerContextDir: string;
  readonly separator: "/" | "\\";
  /** Permission bits of customer_context_dir, or null when it does not exist yet or the platform has none. */
  readonly customerContextMode: number | null;
  readonly timezoneKnown: boolean;
  /** Tokens of pinned system text outside the configuration (tool descriptions, standing rules). */
  readonly pinnedTokens: number;
  /** Who judges process-heavy skill descriptions: fixed lint rules, or a model alone. */
  readonly descriptionLint: "deterministic" | "model_only";
};

/** `free`: Silas may make it, or go on using it. `foreign`: it holds what is not Silas's. */
export type FolderUse = "free" | "system_place" | "not_a_folder" | "foreign";

/** Either of these files says that a folder is a data directory of Silas; the first is written when one is made. */
export const DATA_DIR_MARKERS: readonly string[] = [".silas", "silas.db"];

/** One broken startup rule: the key to change first, and the other keys it was judged against. */
type ConfigRuleBreak = {
  readonly code: ConfigRuleCode;
  readonly key: string;
  readonly others: readonly string[];
};
export type ConfigRuleCode =
  | "auto_approve_refused"
  | "batch_over_max"
  | "bounds_inverted"
  | "description_lint_not_deterministic"
  | "foreign_directory"
  | "gate_name_repeated"
  | "hysteresis_inverted"
  | "hysteresis_too_narrow"
  | "import_without_report"
  | "not_a_directory"
  | "not_inside_data_dir"
  | "nonce_ttl_too_short"
  | "pinned_text_over_cap"
  | "profile_over_budget"
  | "profile_unknown"
  | "remote_without_tls"
  | "remote_without_token"
  | "same_directory"
  | "suggestions_without_scheduler"
  | "sync_execution_refused"
  | "system_directory"
  | "timezone_unknown"
  | "tls_incomplete"
  | "world_writable";

/** Every broken startup rule at once; an empty list lets Silas start. [CFG-21] */
export function checkConfigRules(config: Config, facts: ConfigFacts): readonly ConfigRuleBreak[] {
  const checks: readonly Check[] = [
    ...exposureChecks(config),
    ...directoryChecks(facts),
    ...contextChecks(config, facts),
    ...orderChecks(config),
    ...autonomyChecks(config),
    ...approvalChecks(config),
    ...skillChecks(config, facts),
    [!facts.timezoneKnown, "timezone_unknown", "scheduler.timezone"],
  ];
  return checks.filter(([broken]) => broken).map(([, code, key, ...others]) => ({ code, key, others }));
}

/** A rule with its verdict, the key to change first, and the keys it was judged against. */
type Check = readonly [broken: boolean, code: ConfigRuleCode, key: string, ...others: string[]];

/** True for the spellings of loopback we know; every other host counts as remote. [CFG-22] */
export function isLoopbackHost(host: string): boolean {
  const bare = host.toLowerCase();
  if (bare === "localhost" || bare === "::1" || bare === "[::1]") return true;
  const octets = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(bare)?.slice(1) ?? [];
  // A leading zero may be read as octal elsewhere, so such a spelling is not trusted to be loopback.
  return octets.length === 3 && octets.every((octet) => Number(octet) <= 255 && String(Number(octet)) === octet);
}

function exposureChecks(config: Config): readonly Check[] {
  const { host, authToken, tls, trustedProxies } = config.channels.web;
  const remote = !isLoopbackHost(host);
  const tlsParts = [tls.cert, tls.key].filter((part) => part !== null).length;
  const plain = tlsParts === 0 && trustedProxies.length === 0;
  return [
    [remote && authToken === null, "remote_without_token", "channels.web.auth_token", "channels.web.host"],
    [remote && plain, "remote_without_tls", "channels.web.tls.cert", "channels.web.host"],
    [tlsParts === 1, "tls_incomplete", "channels.web.tls.cert", "channels.web.tls.key"],
  ];
}

function directoryChecks(facts: ConfigFacts): readonly Check[] {
  const key = "sandbox.customer_context_dir";
  const root = facts.dataDir.endsWith(facts.separator) ? facts.dataDir : facts.dataDir + facts.separator;
  const inside = facts.customerContextDir.startsWith(root) && facts.customerContextDir !== root;
  const writable = facts.customerContextMode !== null && (facts.customerContextMode & 0o002) !== 0;
  const uses = [
    ["data_dir", facts.dataDirUse],
    ["sandbox.work_dir", facts.workDirUse],
    ["sandbox.verify_dir", facts.verifyDirUse],
  ] as const;
  return [
    ...uses.flatMap(([dir, use]): readonly Check[] => [
      [use === "system_place", "system_directory", dir],
      [use === "not_a_folder", "not_a_directory", dir],
      [use === "foreign", "foreign_directory", dir],
    ]),
    [facts.verifyDir === facts.customerContextDir, "same_directory", key, "sandbox.verify_dir"],
    [!inside, "not_inside_data_dir", key, "data_dir"],
    [writable, "world_writable", key],
  ];
}

function contextChecks(config: Config, facts: ConfigFacts): readonly Check[] {
  const { profiles, defaultProfile, systemMax } = config.context;
  const pinned = facts.pinnedTokens + config.personality.constitution.reduce((sum, rule) => sum + tokensOf(rule), 0);
  const unknown = !Object.hasOwn(profiles, defaultProfile);
  return [
    ...Object.entries(profiles).map(([name, { chroniclePct, memoryPct, workspacePct }]): Check => {
      const over = exceeds(chroniclePct + memoryPct + workspacePct, PROFILE_BUDGET);
      return [over, "profile_over_budget", `context.profiles.${name}`];
    }),
    [unknown, "profile_unknown", "context.default_profile", "context.profiles"],
    [pinned > systemMax, "pinned_text_over_cap", "context.system_max", "personality.constitution"],
  ];
}

/** Pairs of keys of which the first may not be larger than the second. */
function orderChecks(config: Config): readonly Check[] {
  const { personality: tone, context, batchReview, bus, backpressure, skills, nonceStore, approval, messages } = config;
  const { confidence } = batchReview;
  const { descriptionMinChars, descriptionMaxChars } = skills.validation;
  const pending = backpressure.maxPendingTurnsPerScope > backpressure.maxPendingTurnsTotal;
  const tokens = ["personality.directive_tokens_min", "personality.directive_tokens_max"] as const;
  const fill = ["context.eviction_threshold_pct", "context.scorer_threshold_pct"] as const;
  const turns = ["backpressure.max_pending_turns_per_scope", "backpressure.max_pending_turns_total"] as const;
  const chars = ["skills.validation.description_min_chars", "skills.validation.description_max_chars"] as const;
  const sure = ["batch_review.confidence.medium_min", "batch_review.confidence.high_min"] as const;
  const code = "bounds_inverted";
  return [
    [tone.directiveTokensMin > tone.directiveTokensMax, code, ...tokens],
    [context.evictionThresholdPct > context.scorerThresholdPct, code, ...fill],
    [context.systemMax > context.totalTokens, code, "context.system_max", "context.total_tokens"],
    [confidence.mediumMin > confidence.highMin, code, ...sure],
    [bus.heartbeatSeconds >= bus.leaseSeconds, code, "bus.heartbeat_seconds", "bus.lease_seconds"],
    [pending, code, ...turns],
    [descriptionMinChars > descriptionMaxChars, code, ...chars],
    [
      nonceStore.ttlMinutes < approval.defaultTtlMinutes,
      "nonce_ttl_too_short",
      "nonce_store.ttl_minutes",
      "approval.default_ttl_minutes",
    ],
    [
      nonceStore.ttlMinutes < messages.freshnessMinutes,
      "nonce_ttl_too_short",
      "nonce_store.ttl_minutes",
      "messages.freshness_minutes",
    ],
  ];
}

function autonomyChecks({ autonomy, batchReview }: Config): readonly Check[] {
  const gap = autonomy.tightenCorrectionRateMin - autonomy.widenCorrectionRateMax;
  const rates = ["autonomy.widen_correction_rate_max", "autonomy.tighten_correction_rate_min"] as const;
  const narrow = gap > 0 && exceeds(autonomy.hysteresisDelta, gap);
  const small = autonomy.maxBatchReviewSize < batchReview.defaultSize;
  return [
    [gap <= 0, "hysteresis_inverted", ...rates],
    [narrow, "hysteresis_too_narrow", ...rates, "autonomy.hysteresis_delta"],
    [small, "batch_over_max", "autonomy.max_batch_review_size", "batch_review.default_size"],
  ];
}

function approvalChecks({ approval, execution, gates, suggestions, scheduler }: Config): readonly Check[] {
  const names = gates.system.map((gate) => gate.name);
  const timeless = suggestions.enabled && !scheduler.enabled;
  return [
    [approval.autoApproveRiskLevels.length > 0, "auto_approve_refused", "approval.auto_approve_risk_levels"],
    [execution.syncExecution, "sync_execution_refused", "execution.sync_execution"],
    [new Set(names).size < names.length, "gate_name_repeated", "gates.system"],
    [timeless, "suggestions_without_scheduler", "suggestions.enabled", "scheduler.enabled"],
  ];
}

function skillChecks({ skills }: Config, facts: ConfigFacts): readonly Check[] {
  const { validation, import: imports } = skills;
  const silent = imports.allowExternal && !imports.requireTransformReport;
  const byModel = validation.failOnProcessHeavyDescription && facts.descriptionLint !== "deterministic";
  const lint = "skills.validation.fail_on_process_heavy_description";
  return [
    [silent, "import_without_report", "skills.import.require_transform_report", "skills.import.allow_external"],
    [byModel, "description_lint_not_deterministic", lint],
  ];
}

/** Conversation, memories and work material together; the rest is headroom for counting errors. [CFG-25] */
const PROFILE_BUDGET = 0.8;

// Shares are written in decimals that binary numbers only come near: 0.45 + 0.20 + 0.15 must count as 0.80.
// Negated, so that a NaN exceeds every limit.
function exceeds(value: number, limit: number): boolean {
  return !(value <= limit + 1e-9);
}

/** The rule of thumb for counting tokens before sending, by code points. */
function tokensOf(text: string): number {
  return Math.ceil([...text].length / 3.5);
}
