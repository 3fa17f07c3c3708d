/** `npm run fix`: formats everything, lets the linter mend what it safely can, and reprints the architecture picture
 * and the tools. */
import { spawnSync } from "node:child_process";
import { ROOT, toolCommand } from "./tools.ts";

const COMMANDS = [
  [toolCommand("oxlint"), "--fix"],
  ["scripts/print-architecture.ts", "--write"],
  ["scripts/print-tools.ts", "--write"],
  [toolCommand("oxfmt"), "."],
];

// Every command runs even if an earlier one found something it could not mend.
const codes = COMMANDS.map(
  (command) => spawnSync(process.execPath, command, { cwd: ROOT, stdio: "inherit" }).status ?? 1,
);
process.exitCode = Math.max(...codes);
