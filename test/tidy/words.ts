/** Words that may not appear: drawer names, clocks in core, default exports, marks of unfinished work. */
import { basename, dirname } from "node:path";
import { isScript, isTest, lineAt, scriptsOf, type Check, type Project, type Violation } from "./project.ts";
import { partnersOf, readSource } from "./source.ts";

const DRAWERS = new Set([
  "utils",
  "util",
  "helpers",
  "helper",
  "common",
  "misc",
  "manager",
  "service",
  "impl",
  "v2",
  "new",
]);

export const fileNamesNameANoun: Check = (project) =>
  [...project.keys()].filter(isScript).flatMap((path) => {
    // "Service worker" is the platform's own name for one thing.
    const words = path.replace("service-worker", "").split(/[/.-]/);
    const drawer = words.find((word) => DRAWERS.has(word));
    const stem = basename(path);
    const isKebab = /^\.?[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(stem) && /^[a-z0-9./-]*$/.test(dirname(path));
    return [
      ...(drawer === undefined ? [] : [{ path, message: `"${drawer}" names a drawer, not a thing` }]),
      ...(isKebab ? [] : [{ path, message: "is not in kebab-case" }]),
    ];
  });

const DECLARED = /\b(?:const|let|function|class|interface|type)\s+([A-Za-z_$][\w$]*)/g;
const DRAWER_ENDING = /(?:Utils?|Helpers?|Manager|Service|Impl|Misc|V2)$|^(?:utils?|helpers?|misc)$/;

export const identifiersNameANoun: Check = (project) => {
  const synonyms = synonymsOf(project);
  return scriptsOf(project).flatMap(([path, source]) =>
    [...readSource(source).code.matchAll(DECLARED)].flatMap(({ 1: name = "", index }) => {
      const words = name.split(/(?=[A-Z])|_|\$/).map((word) => word.toLowerCase());
      const synonym = words.find((word) => synonyms.has(word));
      const place = `${path}:${lineAt(source, index)}`;
      return [
        ...(DRAWER_ENDING.test(name) ? [{ path: place, message: `${name} names a drawer, not a thing` }] : []),
        ...(synonym === undefined
          ? []
          : [{ path: place, message: `${name}: the glossary says ${synonyms.get(synonym)}, not ${synonym}` }]),
      ];
    }),
  );
};

/** The table under "Not these words" in the glossary: the banned word first, the word to say second. */
function synonymsOf(project: Project): ReadonlyMap<string, string> {
  const section = (project.get("docs/glossary.md") ?? "").split("## Not these words")[1] ?? "";
  const rows = section.split(/^\|[ :|-]+\|$/m).at(-1) ?? "";
  const pairs = [...rows.matchAll(/^\|\s*([a-z]+)\s*\|\s*([^|]+?)\s*\|$/gm)];
  return new Map(pairs.map((pair) => [pair[1] ?? "", pair[2] ?? ""]));
}

export const coreIsPure: Check = (project) =>
  scriptsOf(project)
    .filter(([path]) => path.startsWith("src/core/") && !isTest(path))
    .flatMap(([path, source]) =>
      findWords(
        { path, source, text: readSource(source).code },
        /\b(?:Date|Math\.random|async|await|Promise)\b(?!\s*:)/g,
      ),
    );

const isConfigFile = (path: string): boolean => /\.config\.(ts|mjs)$/.test(path);

export const exportsAreNamed: Check = (project) =>
  scriptsOf(project).flatMap(([path, source]) => {
    const pattern = isConfigFile(path) ? /\bexport\s*\*/g : /\bexport\s*\*|\bexport\s+default\b|\bas\s+default\b/g;
    return findWords({ path, source, text: readSource(source).code }, pattern);
  });

/** A method that is handed on as a function loses its object, and `this` is undefined when it is called. */
export const objectsHaveNoThis: Check = (project) =>
  scriptsOf(project)
    .filter(([path]) => path.startsWith("src/"))
    .flatMap(([path, source]) => {
      const { code } = readSource(source);
      const partners = partnersOf(code);
      const classes = [...code.matchAll(/(?<![.\w$])class\b[^;{}()]*\{/g)].map(({ index, 0: head }) => {
        const open = index + head.length - 1;
        return { open, close: partners.get(open) ?? open };
      });
      return [...code.matchAll(/(?<![.\w$])this\b(?!\s*[:?])/g)]
        .filter(({ index }) => !classes.some(({ open, close }) => open < index && index < close))
        .map(({ index }) => ({ path: `${path}:${lineAt(source, index)}`, message: '"this" outside of a class' }));
    });

/** Spelled in halves so that this file is not its own first finding. */
const MARKS = new RegExp(
  [
    "\\b(?:TO",
    "DO|FIX",
    "ME|XX",
    "X|HA",
    "CK)\\b|@ts-(?:ig",
    "nore|no",
    "check)|\\b(?:describe|test|it|law)\\.(?:sk",
    "ip|on",
    "ly|to",
    "do)\\b",
  ].join(""),
  "g",
);

export const nothingIsLeftUnfinished: Check = (project) =>
  scriptsOf(project).flatMap(([path, source]) => findWords({ path, source, text: source }, MARKS));

type Place = { readonly path: string; readonly source: string; readonly text: string };

function findWords({ path, source, text }: Place, pattern: RegExp): readonly Violation[] {
  return [...text.matchAll(pattern)].map((match) => ({
    path: `${path}:${lineAt(source, match.index)}`,
    message: `"${match[0]}" may not appear here`,
  }));
}
