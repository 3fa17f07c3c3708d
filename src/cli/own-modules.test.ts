import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const OWN = new URL("own-modules.ts", import.meta.url).href;
const POLICY = new URL("../core/policy/index.ts", import.meta.url).href;

/** Imports as they stand in a file of `src/`, with the doors given; each answers with the file it leads to, or a code. */
function ask(specifiers: readonly string[], { from = POLICY } = {}): readonly string[] {
  const script = `
    import { findOwnModules } from ${JSON.stringify(OWN)};
    import { registerHooks } from "node:module";
    findOwnModules({ "#here": "./src/cli/own-modules.ts" });
    const found = [];
    // The last to register is asked first: it asks in the name of another file, and leaves the reading out.
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier.startsWith("ask:")
          ? { url: next(specifier.slice(4), { ...context, parentURL: ${JSON.stringify(from)} }).url + "?asked", shortCircuit: true }
          : next(specifier, context),
      load: (url, context, next) =>
        url.endsWith("?asked") ? { format: "module", source: "export const url = import.meta.url", shortCircuit: true } : next(url, context),
    });
    for (const one of ${JSON.stringify(specifiers)}) {
      found.push(await import("ask:" + one).then(({ url }) => url.replace("?asked", ""), ({ code }) => code));
    }
    console.log(JSON.stringify(found));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as readonly string[];
}

test("paths and doors of own files are found as they are written", () => {
  expect(ask(["./chain.ts", "../base/index.ts", "#here"])).toEqual([
    new URL("./chain.ts", POLICY).href,
    new URL("../base/index.ts", POLICY).href,
    OWN,
  ]);
});

test("a door that does not exist and a way past a door are refused as Node refuses them", () => {
  expect(ask(["#nowhere", "#base/result.ts"])).toEqual([
    "ERR_PACKAGE_IMPORT_NOT_DEFINED",
    "ERR_PACKAGE_IMPORT_NOT_DEFINED",
  ]);
});

test("a package is the same for all own files, and one that is not there is refused as Node refuses it", () => {
  const [first, again, builtin, missing, missingAgain] = ask(["zod/mini", "zod/mini", "node:fs", "no-such", "no-such"]);
  expect(first).toMatch(/node_modules\/zod\/.*mini/);
  expect(again).toBe(first);
  expect(builtin).toBe("node:fs");
  expect([missing, missingAgain]).toEqual(["ERR_MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"]);
});

test("what another package means by the name of a door is not ours", () => {
  const folder = mkdtempSync(join(tmpdir(), "silas-modules-"));
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ imports: { "#here": "./theirs.mjs" } }));
    writeFileSync(join(folder, "theirs.mjs"), "");
    const theirs = pathToFileURL(join(folder, "theirs.mjs")).href;
    expect(ask(["#here"], { from: theirs })).toEqual([theirs]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
