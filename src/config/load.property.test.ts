import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { depth } from "../../test/depth.ts";
import { CONFIG_ROWS, checkConfigFile, describeProblems, loadConfig } from "./index.ts";
import { parseYaml } from "./yaml-document.ts";

const RUNS = depth({ sample: 50, every: 200 });

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "silas-fuzz-"));
  mkdirSync(join(root, "config"));
});
afterAll(() => rmSync(root, { recursive: true }));

const options = () => ({ env: {}, cwd: root, homeDir: root, platform: "linux" }) as const;

/** `loaded`, or the first line that says why not. */
const outcome = (result: ReturnType<typeof loadConfig>): string =>
  result.ok ? "loaded" : (describeProblems(result.error)[0] ?? "");

/** Pieces that make a text look like YAML more often than random characters would. */
const piece = fc.oneof(
  fc.constantFrom(
    "silas:",
    "\n",
    "\n  ",
    "\n    ",
    "channels:",
    "web:",
    "port:",
    " ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ": ",
    ",",
    "&a",
    "*a",
    "!x",
    "|",
    ">",
    "'",
    '"',
    "#",
    "%YAML",
    "---",
    "...",
    "<<:",
    "null",
    "~",
    "8420",
    ".nan",
    "0x1",
    "${A}",
    "\t",
    "\u0000",
    "profiles:",
    "gates:",
    "system:",
    "? ",
    "\\",
    "\uFEFF",
    "\uD800",
    "__proto__:",
  ),
  fc.string({ maxLength: 6 }),
);
const yamlish = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

test("no text makes the YAML reader throw", () => {
  fc.assert(
    fc.property(yamlish, (text) => {
      const result = parseYaml(text);
      const places = result.ok ? [result.value.locate(["silas", "channels", 0])] : result.error;
      expect(places.length).toBeGreaterThan(0);
      for (const { line, column } of places) expect(Math.min(line, column)).toBeGreaterThanOrEqual(1);
    }),
    { numRuns: depth({ sample: 250, every: 1000 }) },
  );
});

test("no file makes the check throw, and every refusal says where and why", () => {
  fc.assert(
    fc.property(yamlish, (text) => {
      const file = join(root, "fuzz.yaml");
      writeFileSync(file, text);
      expect(outcome(checkConfigFile(file, options()))).toMatch(/^(loaded|\S+fuzz\.yaml:\d+:\d+ )/);
    }),
    { numRuns: RUNS },
  );
});

test("no value of any type under any key makes the check throw", () => {
  const keys = fc.constantFrom(...CONFIG_ROWS.map((row) => row.key.replace("*", "name").split(".")));
  fc.assert(
    fc.property(keys, fc.jsonValue({ maxDepth: 3 }), (path, value) => {
      const tree = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
      const file = join(root, "typed.yaml");
      writeFileSync(file, JSON.stringify({ silas: tree }));
      expect(outcome(checkConfigFile(file, options()))).toMatch(/^(loaded|\S+typed\.yaml:\d+:\d+ )/);
    }),
    { numRuns: RUNS },
  );
});

test.each(['{"length":{}}', '{"length":{"valueOf":1,"toString":1}}'])("no key throws on %s", (json) => {
  for (const { key } of CONFIG_ROWS) {
    const path = key.replace("*", "name").split(".");
    const tree = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), JSON.parse(json));
    const file = join(root, "length.yaml");
    writeFileSync(file, JSON.stringify({ silas: tree }));
    expect(outcome(checkConfigFile(file, options()))).toMatch(/^\S+length\.yaml:\d+:\d+ /);
  }
});

test("no flag or variable makes loading throw", () => {
  const keys = fc.oneof(fc.constantFrom(...CONFIG_ROWS.map((row) => row.key)), fc.string());
  fc.assert(
    fc.property(keys, yamlish, (key, text) => {
      const env = { [`SILAS_${key.toUpperCase().split(".").join("__")}`]: text };
      const result = loadConfig({ ...options(), env, argvOverrides: { [key]: text } });
      expect(outcome(result)).toMatch(/^(loaded|flag |env )/);
    }),
    { numRuns: RUNS },
  );
});

test("[CFG-25] a profile is taken exactly when each share is in 0 to 1 and their sum is at most 0.80", () => {
  // Hundredths, so that the sum is exact and the edge at 0.80 is met often.
  const hundredths = fc.oneof(fc.integer({ min: -20, max: 120 }), fc.integer({ min: 0, max: 40 }));
  fc.assert(
    fc.property(hundredths, hundredths, hundredths, (a, b, c) => {
      const [chronicle_pct, memory_pct, workspace_pct] = [a / 100, b / 100, c / 100];
      const file = join(root, "profile.yaml");
      const profiles = { own: { chronicle_pct, memory_pct, workspace_pct } };
      writeFileSync(file, JSON.stringify({ silas: { context: { profiles } } }));
      const fits = [a, b, c].every((share) => share >= 0 && share <= 100) && a + b + c <= 80;
      expect(checkConfigFile(file, options()).ok).toBe(fits);
    }),
    { numRuns: RUNS },
  );
});
