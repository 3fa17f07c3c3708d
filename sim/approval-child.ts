/** Uses approvals as fast as it can once it is told to, beside another process that does the same. */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { spendAll } from "./approval-spend.ts";

const [dataDir = "", keyId = "", name = ""] = process.argv.slice(2);
await spendAll({
  dataDir,
  keyId,
  name,
  go: () => once(process.stdin, "data"),
  say: (line) => writeSync(1, `${line}\n`),
});
process.exit(0);
