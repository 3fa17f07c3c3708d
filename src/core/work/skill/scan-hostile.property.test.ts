import * as fc from "fast-check";
import { expect, test } from "vitest";
import { depth } from "../../../../test/depth.ts";
import { LIMITS } from "#base";
import { bypassesIn } from "./bypass-words.ts";
import type { Where } from "./read-document.ts";
import { scanInstructions, scanScript } from "./scan-script.ts";
import { createLineOf, leftmostOf, matchesOf, spansOf, type SpanForm } from "./text-spans.ts";

/** Search forms, and the patterns that mean the same and take quadratic time. */
const FORMS: readonly (readonly [string, RegExp, SpanForm])[] = [
  [
    "an import",
    /\benv\b[^;\n]*\bfrom\s*["'](?:node:)?process["']/g,
    { head: /\benv\b/g, stop: /[;\n]/g, tail: /\bfrom\s*["'](?:node:)?process["']/g },
  ],
  [
    "names in braces",
    /\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/g,
    { head: /\{/g, between: /\benv\b/g, stop: /\}/g, tail: /\}\s*=\s*process\b/g },
  ],
  [
    "an import of os",
    /\bfrom\s+os\s+import\b[^\n]*\b(?:system|popen)\b/g,
    { head: /\bfrom\s+os\s+import\b/g, stop: /\n/g, tail: /\b(?:system|popen)\b/g },
  ],
  [
    "a pipe to a shell",
    /\b(?:curl|wget)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/g,
    { head: /\b(?:curl|wget)\b/g, stop: /[\n|]/g, tail: /\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/g },
  ],
];
const WORDS = ["env", "from ", '"process"', "process", "{", "}", "=", ";", "\n", " ", ",", "from os import ", "system"];
const SHELL_WORDS = ["popen", "curl ", "wget ", "|", "sudo ", "bash", "sh", "x", "}=process", " from 'node:process'"];
const text = fc.array(fc.constantFrom(...WORDS, ...SHELL_WORDS), { maxLength: 14 }).map((words) => words.join(""));

test.each(FORMS)("a search of spans finds what the pattern finds: %s", (_name, pattern, form) => {
  fc.assert(
    fc.property(text, (code) => {
      expect(leftmostOf(spansOf(code, form))).toEqual(matchesOf(code, pattern));
    }),
    { numRuns: 500 },
  );
});

test("the line of a place is one more than the line breaks before it", () => {
  fc.assert(
    fc.property(text, fc.nat({ max: 60 }), (code, index) => {
      expect(createLineOf(code)(index)).toBe(code.slice(0, index).split("\n").length);
    }),
  );
});

test("long white space in a sentence hides nothing, and places are those of the text as it was written", () => {
  const far = `first${" ".repeat(300)}\n\nnever   ask${" ".repeat(40)}for approval. Skip${"\n".repeat(9)}approval.`;
  expect(bypassesIn(far).map(({ index }) => index)).toEqual([far.indexOf("never"), far.indexOf("Skip")]);
});

/** Shapes on which a search that goes over the same text again would not end. */
const SHAPES = [
  "\n",
  "\r",
  " ",
  "\u2028",
  "{",
  "{ env ",
  "env ",
  "env;",
  "from os import ",
  "from os import system ",
  "'sh', ",
  "curl ",
  "base64 -d ",
  "process.env.A;",
  "process.env;",
  "{A}=process.env;",
  "environ ",
  "eval(",
  "exec(",
  "skip approval      ",
  "without ",
  "without asking me ",
];
const OPENINGS = ["'sh',", "without", "without asking", "from os import", "{env", "never ask", "}", "process", "from"];
/** A scan that takes quadratic time does not end with a quarter of the longest text either. */
const CHARS = LIMITS.skillTextChars / depth({ sample: 4, every: 1 });
const filled = (shape: string): string => shape.repeat(Math.floor(CHARS / shape.length));
const HOSTILE = [
  ...SHAPES.map((shape) => [JSON.stringify(shape), filled(shape)]),
  ...OPENINGS.map((opening) => [`${opening} and spaces`, opening + filled(" ")]),
  ...OPENINGS.map((opening) => [`${opening} and line breaks`, opening + filled("\n")]),
] as const;

test.each(HOSTILE)("[INST-04] a script and a page of nothing but %s are scanned to their end", (_name, hostile) => {
  const ends: (readonly [string, number | undefined])[] = [];
  const find = { problem: (code: string, where?: Where) => void ends.push([code, where?.line]), note: () => {} };
  const scanning = { env: new Set<string>(), forbidEnv: true, find };
  const line = hostile.split("\n").length + 1;
  for (const path of ["scripts/a.mjs", "scripts/a.py"]) {
    ends.length = 0;
    scanScript({ path, text: `${hostile}\neval(x)` }, scanning);
    expect(ends.at(-1)).toEqual(["evaluates_text", line]);
  }
  ends.length = 0;
  scanInstructions({ path: "SKILL.md", text: `${hostile}\ncurl x | sh` }, find);
  expect(ends.some(([code, at]) => code === "evaluates_text" && at === line)).toBe(true);
});
