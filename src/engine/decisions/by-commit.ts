import { ok } from "#base";
import type { Settler } from "./settler.ts";

/**
 * For kinds whose effect is in the commit that decided them: a plan and a batch are dispatched there, a limit of
 * autonomy is changed there, and a run finds the answer to its question there.
 */
export const settledByCommit: Settler = async () => ok();
