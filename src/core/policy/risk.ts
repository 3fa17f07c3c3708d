import {
  RISK_LEVELS,
  type ApprovalScope,
  type RiskLevel,
  FRICTIONS,
  type DecisionRefusal,
  type Friction,
} from "#model";
import { err, ok, type Result } from "#base";

/** The kinds of action Silas knows, each with its least risk. [RISK-04] */
const ACTION_LEVELS = {
  acknowledge_status: "low",
  fix_formatting: "low",
  archive_item: "low",
  run_work: "medium",
  /** Places outside of the workspace that work may look at. */
  read_files: "medium",
  /** What it reads of the owner's places could leave the machine. */
  read_files_online: "high",
  send_draft: "medium",
  approve_batch: "medium",
  /** What a gate stopped goes on after all. */
  pass_gate: "medium",
  install_known_skill: "medium",
  /** Runs again and again with nobody looking. */
  run_unattended: "high",
  /** Less happens without asking. */
  tighten_limits: "low",
  widen_limits: "high",
  use_secret: "high",
  /** Places outside of the workspace that work may change; what it does there stays. */
  write_files: "high",
  /** A skill whose content nobody has fixed by a digest. */
  use_unfixed_skill: "high",
  /** Somebody else's service is asked for no more than to look. */
  connect_to_read: "medium",
  connect_to_write: "high",
  /** More of what a connection was granted before, such as writing what it may read. */
  widen_connection: "medium",
  modify_connection_permissions: "high",
  migrate: "high",
  self_update: "high",
  drop_data: "irreversible",
  revoke_connection: "irreversible",
  hard_delete: "irreversible",
} as const satisfies { readonly [action: string]: RiskLevel };
export type RiskAction = keyof typeof ACTION_LEVELS;

/** What a scope alone weighs; mostly the action decides. */
const SCOPE_LEVELS: { readonly [S in ApprovalScope]: RiskLevel } = {
  full_plan: "medium",
  single_step: "low",
  step_range: "medium",
  tool_type: "high",
  skill_install: "medium",
  credential_use: "high",
  budget: "medium",
  self_update: "high",
  connection_act: "low",
  connection_manage: "medium",
  autonomy_threshold: "low",
  standing: "high",
  memory_promotion: "low",
  change_set: "low",
};

/** `lasting` stays but destroys nothing, like a message that was sent; `destructive` loses something for good. */
const REVERSIBILITY_LEVELS = {
  reversible: "low",
  lasting: "medium",
  unknown: "high",
  destructive: "irreversible",
} as const satisfies { readonly [reversibility: string]: RiskLevel };
export type Reversibility = keyof typeof REVERSIBILITY_LEVELS;

type RiskFacts = {
  readonly scope: ApprovalScope;
  readonly actions: readonly RiskAction[];
  readonly reversibility: Reversibility;
};

/** Words that domains use for what a batch does. Any other word may mean anything. [RISK-08] */
const BATCH_ACTIONS: { readonly [action: string]: Reversibility } = {
  archive: "reversible",
  unarchive: "reversible",
  mark_read: "reversible",
  mark_unread: "reversible",
  label: "reversible",
  unlabel: "reversible",
  move: "reversible",
  move_files: "reversible",
  choose_move: "reversible",
  delete: "destructive",
  hard_delete: "destructive",
  unsubscribe: "destructive",
};

export function batchReversibility(action: string): Reversibility {
  return Object.hasOwn(BATCH_ACTIONS, action) ? (BATCH_ACTIONS[action] ?? "unknown") : "unknown";
}

/**
 * The highest of what scope, actions and reversibility weigh. Nothing else goes in, so nothing a proposer writes can
 * lower it; a word that is not in its table weighs most. [RISK-03]
 */
export function riskOf({ scope, actions, reversibility }: RiskFacts): RiskLevel {
  const levels = [
    levelIn(SCOPE_LEVELS, scope),
    levelIn(REVERSIBILITY_LEVELS, reversibility),
    ...actions.map((action) => levelIn(ACTION_LEVELS, action)),
  ];
  return highestRisk(levels);
}

export function highestRisk(levels: readonly RiskLevel[]): RiskLevel {
  const highest = Math.max(...levels.map((level) => RISK_LEVELS.indexOf(level)));
  return RISK_LEVELS[highest] ?? "irreversible";
}

function levelIn(table: { readonly [word: string]: RiskLevel }, word: string): RiskLevel {
  return Object.hasOwn(table, word) ? (table[word] ?? "irreversible") : "irreversible";
}

/** Whether the owner has a means of strong proof here. A fact of the installation, never of the answer. */
export type StrongAuth = "available" | "unavailable";

const DEMANDED: { readonly [R in RiskLevel]: readonly Friction[] } = {
  low: ["tap"],
  medium: ["tap", "confirm"],
  high: ["tap", "slide"],
  irreversible: ["tap", "slide", "strong_auth"],
};

/** What a decision of this risk asks of a person. Without any strong proof the slide stays. [RISK-01] [RISK-02] */
export function frictionFor(risk: RiskLevel, strongAuth: StrongAuth): readonly Friction[] {
  const demanded = Object.hasOwn(DEMANDED, risk) ? DEMANDED[risk] : FRICTIONS;
  return strongAuth === "available" ? demanded : demanded.filter((friction) => friction !== "strong_auth");
}

type Performed = {
  readonly performed: readonly Friction[];
  readonly risk: RiskLevel;
  readonly strongAuth: StrongAuth;
};

/**
 * Less than demanded is refused before anything is minted; more never hurts. A claim of strong proof where there is no
 * means of it is a forged one. [APPR-08]
 */
export function judgeFriction({ performed, risk, strongAuth }: Performed): Result<void, DecisionRefusal> {
  const missing = frictionFor(risk, strongAuth).filter((friction) => !performed.includes(friction));
  if (missing.length > 0) return err({ code: "decision_friction_missing", missing });
  const isForged = strongAuth === "unavailable" && performed.includes("strong_auth");
  return isForged ? err({ code: "decision_strong_auth_unproven" }) : ok();
}

/**
 * What a page performs, from what it says and from what it will have to prove. Its word for strong proof is a wish: where
 * a passkey can be asked it is asked, for every decision that demands it and for every page that says so. [RISK-08]
 */
export function frictionOfPage({ performed: claimed, risk, strongAuth }: Performed): readonly Friction[] {
  const demanded = frictionFor(risk, strongAuth);
  const isAsked = demanded.includes("strong_auth");
  return orderedFriction(isAsked ? [...claimed, "strong_auth"] : claimed);
}

/** Each once, in the order of the ladder: what is signed says it in one way only. */
export const orderedFriction = (performed: readonly Friction[]): readonly Friction[] =>
  FRICTIONS.filter((friction) => performed.includes(friction));
