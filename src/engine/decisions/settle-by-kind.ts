import type { RequestKind } from "#model";
import { settleAnswer } from "./answer.ts";
import { settledByCommit } from "./by-commit.ts";
import { settleConnection } from "./connection.ts";
import { settleGateApproval } from "./gate-approval.ts";
import { settleMemoryPromotion } from "./memory-promotion.ts";
import { settleBatch, settlePlan } from "./plan.ts";
import type { Settler } from "./settler.ts";
import { settleSkillInstall } from "./skill-install.ts";

/** The whole answer to the question what a decision does. */
export const settleByKind: { readonly [K in RequestKind]: Settler } = {
  plan_approval: settlePlan,
  batch_review: settleBatch,
  autonomy_threshold: settledByCommit,
  step_approval: settleAnswer,
  decision: settleAnswer,
  draft_review: settleAnswer,
  gate_approval: settleGateApproval,
  memory_promotion: settleMemoryPromotion,
  skill_install: settleSkillInstall,
  connection_setup: settleConnection,
  permission_escalation: settleConnection,
};
