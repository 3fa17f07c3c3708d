/** Approves plans and runs them in real sandboxes, and says what it writes, until somebody kills it. */
import { writeSync } from "node:fs";
import { runWithoutPause } from "./work-kill.ts";

const [root = "", seed = "0"] = process.argv.slice(2);
await runWithoutPause({ root, seed: Number(seed), say: (line) => writeSync(1, `${line}\n`) });
