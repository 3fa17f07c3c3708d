import { ok } from "#base";
import type { Settler } from "./settler.ts";

/** The scripts are tried before the version is active, which takes a while. */
export const settleSkillInstall: Settler = async ({ state }, { skills, isAwaited }) => {
  const tried = state === "approved" ? skills.settle() : null;
  if (isAwaited) await tried;
  return ok();
};
