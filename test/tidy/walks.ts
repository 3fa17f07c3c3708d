/** The walks in ARCHITECTURE.md: at most fifteen steps each, and every step names functions that the linked file declares. */
import { posix } from "node:path";
import { functionsOf } from "./functions.ts";
import { documentsOf, type Check, type Violation } from "./project.ts";
import { readSource } from "./source.ts";

const DOCUMENT = "docs/ARCHITECTURE.md";
const WALKS = ["A plan, from proposal to receipt", "A chat message, from arrival to answer"];
const STEPS_MAX = 15;
/** A function and the file it is declared in: [`name`](../src/file.ts). */
const NAMED = /\[`([\w$]+)`\]\(([^)\s]+\.ts)\)/g;

export const walksNameFunctions: Check = (project) => {
  const text = new Map(documentsOf(project)).get(DOCUMENT) ?? "";
  const wrong = (message: string): Violation => ({ path: DOCUMENT, message });
  return WALKS.flatMap((title) => {
    const steps = stepsUnder(text, title);
    if (steps.length === 0 || steps.length > STEPS_MAX)
      return [wrong(`"${title}" has ${steps.length} steps, between 1 and ${STEPS_MAX} are allowed`)];
    return steps.flatMap((step, index) => {
      const place = `step ${index + 1} of "${title}"`;
      const named = [...step.matchAll(NAMED)];
      if (named.length === 0) return [wrong(`${place} names no function with its file`)];
      return named.flatMap(({ 1: name = "", 2: file = "" }) => {
        const source = project.get(posix.join("docs", file));
        return source !== undefined && declares(source, name) ? [] : [wrong(`${place}: ${file} declares no ${name}`)];
      });
    });
  });
};

function stepsUnder(text: string, title: string): readonly string[] {
  const from = text.indexOf(`\n## ${title}\n`);
  if (from === -1) return [];
  const section = text.slice(from + 1).split("\n## ")[0] ?? "";
  return section.split(/\n(?=\d+\. )/).slice(1);
}

/** A function, a method of a returned object, or a constant or a field that holds a function. */
function declares(source: string, name: string): boolean {
  const field = new RegExp(
    `(?<=[\\n{,]\\s*)${name.replaceAll("$", "\\$")}:\\s*(?:async\\s+)?(?:\\([^()]*\\)|\\w+)\\s*=>`,
  );
  return functionsOf(source).some((found) => found.name === name) || field.test(readSource(source).code);
}
