import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));

/** What may start a process outside the backends, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "cli/start/browser.ts": "opens the page in the owner's browser",
  "cli/sandbox/escape/attempt.ts": "only names the module, in scripts that run inside",
  "cli/sandbox/escape/stage.ts": "starts the process that attempts to break out are aimed at",
};

test("[SBX-03] only the backends of the sandbox start processes: plans, checks and gates have no other way", () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !/\.(?:test|fixture)\.ts$/.test(path),
  );
  const starters = files.filter((path) => {
    const code = readFileSync(join(SOURCE, path), "utf8");
    return /(?:from|import|import\(|require\(|getBuiltinModule\()\s*"(?:node:)?(?:child_process|cluster)"|from "(?:open|execa)"/.test(
      code,
    );
  });
  const outside = starters.filter((path) => !path.startsWith("shell/sandbox/"));
  expect(outside.toSorted()).toEqual(Object.keys(EXCEPTIONS).toSorted());
  expect(starters).toContain("shell/sandbox/launch.ts");
});
