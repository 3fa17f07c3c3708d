import { ok } from "#base";
import { afterDecision } from "./settler.ts";

/** The scripts are tried before the version is active, which takes a while. */
export const settleSkillInstall = afterDecision(async (decision, { skills }) =>
  decision.state === "approved" ? skills.settle(decision) : ok(),
);
