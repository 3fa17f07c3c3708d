import { createRequire } from "node:module";
import type * as Re2 from "re2js";
import { err, LIMITS, ok } from "#base";
import type { MatchPattern } from "#policy";

const require = createRequire(import.meta.url);

/** Patterns of plans and configuration that were compiled already; a plan has at most fifty gates. */
const PATTERNS_KEPT = 200;
const kept = new Map<string, Re2.RE2JS | null>();

/** Why a pattern of somebody else cannot be run; null when it can. The library is loaded with the first pattern. */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > LIMITS.patternChars) return `longer than ${LIMITS.patternChars} characters`;
  try {
    compile(pattern);
    return null;
  } catch (cause) {
    // The engine names the place in the pattern, e.g. "invalid or unsupported Perl syntax: `(?=`".
    return cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, "") : "not a pattern";
  }
}

/**
 * Whether a whole text matches. INVARIANT: no engine but this one runs a pattern that came from outside: it never tries
 * the same text twice, so its time is bounded by program size times text, and that product has a limit. [PRED-08]
 */
export const matchPattern: MatchPattern = (pattern, text) => {
  const compiled = known(pattern);
  if (compiled === null) return err({ code: "pattern_refused" });
  if (compiled.programSize() * (text.length + 1) > LIMITS.gatePatternSteps) return err({ code: "text_too_long" });
  return ok(compiled.testExact(text));
};

/** Whether a pattern is found anywhere in a text, in the same bounded time; null when that cannot be told. [VER-09] */
export function findPattern(pattern: string, text: string): boolean | null {
  const compiled = known(pattern);
  if (compiled === null || compiled.programSize() * (text.length + 1) > LIMITS.gatePatternSteps) return null;
  return compiled.test(text);
}

function known(pattern: string): Re2.RE2JS | null {
  const found = kept.get(pattern);
  if (found !== undefined) return found;
  const compiled = patternProblem(pattern) === null ? compile(pattern) : null;
  if (kept.size >= PATTERNS_KEPT) kept.clear();
  kept.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): Re2.RE2JS {
  const { RE2JS } = require("re2js") as typeof Re2;
  return RE2JS.compile(pattern);
}
