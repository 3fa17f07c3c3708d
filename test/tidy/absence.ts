/** Polling for something that is not there passes at once, whether or not it would have come a moment later. */
import { lineAt, scriptsOf, type Check } from "./project.ts";
import { readSource } from "./source.ts";

const BROWSER_TEST = /^test\/e2e\/(?:web-|review).*\.e2e\.test\.ts$/;
const POLL = /\bexpect\s*\.poll\(/g;
/** A poll may wait for another value, `not.toBe(before)`; these would hold before anything has happened. */
const NOTHING_THERE =
  /^\s*(?:\.not\.(?!toBe\()|\.toBe\(0\)|\.toEqual\(\[\]\)|\.toHaveLength\(0\)|\.toBe\(null\)|\.toBe(?:Null|Undefined|Falsy)\()/;

export const absenceIsNotPolled: Check = (project) =>
  scriptsOf(project)
    .filter(([path]) => BROWSER_TEST.test(path))
    .flatMap(([path, source]) => {
      const { code } = readSource(source);
      return [...code.matchAll(POLL)].flatMap(({ 0: found, index }) => {
        const isForNothing = NOTHING_THERE.test(code.slice(afterCall(code, index + found.length)));
        const message =
          "polls for absence: wait for what could have brought it (`untilSettled`, `gone`), then assert once";
        return isForNothing ? [{ path: `${path}:${lineAt(source, index)}`, message }] : [];
      });
    });

/** Where a call ends whose first argument begins at `from`. */
function afterCall(code: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < code.length && depth > 0; at += 1) {
    if ("([{".includes(code[at] ?? "")) depth += 1;
    else if (")]}".includes(code[at] ?? "")) depth -= 1;
  }
  return at;
}
