/** Writes to a journal without pause and says which operations were acknowledged, until somebody kills it. */
import { writeSync } from "node:fs";
import { commitWithoutPause } from "./kill-run.ts";

const [dataDir = "", seed = "0"] = process.argv.slice(2);
await commitWithoutPause({ dataDir, seed: Number(seed), acknowledge: (line) => writeSync(1, `${line}\n`) });
