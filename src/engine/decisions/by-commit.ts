import { DONE } from "../queue/reader.ts";
import type { Settler } from "./settler.ts";

/** For a limit of autonomy, which the commit that decided it has changed. */
export const settledByCommit: Settler = async () => DONE;
