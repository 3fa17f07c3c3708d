/**
 * Exports that nothing imports, and product code that only tests use. Each is code to delete, or a name that can stay in
 * its file.
 */
import { posix } from "node:path";
import { isTest, lineAt, scriptsOf, type Check, type Project, type Violation } from "./project.ts";
import { importsOf, readSource } from "./source.ts";

const HOUSE = /^(?:src|sim|web|test|bench|scripts)\//;
/** Stores in memory stand in for files in tests and are shown to behave like them; they are made for tests. */
const TWINS = /^(?:createMemory|createVirtual|createScripted|createSettable)/;
/** Rules of the specification that no part of the product reaches yet: functions that tests prove. It may only shrink. */
const SPECIFIED = new Set(["changeUnitOf", "gateResultSchema", "hasToken", "parseTokenFilters"]);
/** The queue's messages are one closed table of kinds and parsers, exported whole. */
const WHOLE_TABLES = /^src\/core\/model\/bus\//;
const DECLARED = /^export (?:declare )?(?:async )?(const|let|function\*?|class|type|interface) ([A-Za-z_$][\w$]*)/gm;
const LISTED = /\b(import|export)\s+(?:type\s+)?\{([^}]*)\}(?:\s*from\s*["']([^"'\n]+)["'])?/g;

type Export = { readonly file: string; readonly name: string; readonly line: number };
/** `as` is the name under which a file passes an import on; null where the file uses it itself. */
type Use = { readonly by: string; readonly as: string | null };
type Uses = (file: string, name: string) => readonly Use[];

export const everyExportHasAnImporter: Check = (project) => {
  const scripts = housed(project);
  const uses = usesIn(project, scripts);
  return scripts
    .filter(([path]) => !WHOLE_TABLES.test(path) && !isStartedByATool(project, path))
    .flatMap(([path, source]) => exportsOf(path, source))
    .filter(({ file, name }) => uses(file, name).length === 0)
    .map((one) => violationOf(one, "which nothing imports"));
};

/** A test of a function is a reason to export it only where the product runs the function too. */
export const productCodeHasAProductUser: Check = (project) => {
  const scripts = housed(project);
  const uses = usesIn(project, scripts);
  const isRun = (file: string, name: string): boolean =>
    uses(file, name).some(({ by, as }) => (as === null ? !isTest(by) : isRun(by, as)));
  return scripts
    .filter(([path]) => path.startsWith("src/") && !isTest(path))
    .flatMap(([path, source]) => declaredIn(path, source))
    .filter(({ name, isType }) => !isType && !TWINS.test(name) && !SPECIFIED.has(name))
    .filter(({ file, name }) => uses(file, name).length > 0 && !isRun(file, name))
    .filter(({ file, name }) => wordsOf(project.get(file) ?? "").filter((word) => word === name).length === 1)
    .map((one) => violationOf(one, "which only tests use"));
};

const housed = (project: Project): readonly (readonly [string, string])[] =>
  scriptsOf(project).filter(([path]) => HOUSE.test(path) && !path.endsWith(".d.ts"));

/** A file that the configuration of a tool names is called by that tool. */
const isStartedByATool = (project: Project, path: string): boolean =>
  [...project].some(([config, text]) => /\.config\.(?:ts|mjs)$/.test(config) && text.includes(posix.basename(path)));

const violationOf = ({ file, name, line }: Export, why: string): Violation => ({
  path: `${file}:${line}`,
  message: `exports ${name}, ${why}`,
});

const wordsOf = (source: string): readonly string[] => readSource(source).code.match(/[\w$]+/g) ?? [];

function declaredIn(path: string, source: string): readonly (Export & { readonly isType: boolean })[] {
  return [...readSource(source).code.matchAll(DECLARED)].map(({ 1: word = "", 2: name = "", index }) => ({
    file: path,
    name,
    line: lineAt(source, index),
    isType: word === "type" || word === "interface",
  }));
}

function exportsOf(path: string, source: string): readonly Export[] {
  const listed = [...readSource(source).code.matchAll(LISTED)]
    .filter((match) => match[1] === "export")
    .flatMap(({ 2: list = "", index }) =>
      namesOf(list).map(({ to }) => ({ file: path, name: to, line: lineAt(source, index) })),
    );
  return [...declaredIn(path, source), ...listed];
}

const namesOf = (list: string): readonly { readonly from: string; readonly to: string }[] =>
  list
    .split(",")
    .map((part) => part.trim().replace(/^type\s+/, ""))
    .filter((part) => part !== "")
    .map((part) => {
      const [from = "", to = from] = part.split(/\s+as\s+/);
      return { from, to };
    });

function usesIn(project: Project, scripts: readonly (readonly [string, string])[]): Uses {
  const doors = (JSON.parse(project.get("package.json") ?? "{}") as { imports?: Record<string, string> }).imports ?? {};
  const targetOf = (path: string, specifier: string): string =>
    posix.normalize(doors[specifier] ?? posix.join(posix.dirname(path), specifier));
  const named = new Map<string, Use[]>();
  const whole = new Map<string, { readonly by: string; readonly words: ReadonlySet<string> }[]>();
  for (const [path, source] of scripts) {
    for (const { specifier, from, as } of listedImports(source)) {
      push(named, `${targetOf(path, specifier)} ${from}`, { by: path, as });
    }
    for (const specifier of wholeImports(source)) {
      push(whole, targetOf(path, specifier), { by: path, words: new Set(wordsOf(source)) });
    }
  }
  return (file, name) => [
    ...(named.get(`${file} ${name}`) ?? []),
    ...(whole.get(file) ?? []).filter(({ words }) => words.has(name)).map(({ by }) => ({ by, as: null })),
  ];
}

type Listed = { readonly specifier: string; readonly from: string; readonly as: string | null };

function listedImports(source: string): readonly Listed[] {
  const { text, code } = readSource(source);
  return [...text.matchAll(LISTED)]
    .filter(({ index, 3: specifier }) => specifier !== undefined && /[ie]/.test(code.charAt(index)))
    .flatMap(({ 1: word, 2: list = "", 3: specifier = "" }) =>
      namesOf(list).map(({ from, to }) => ({ specifier, from, as: word === "export" ? to : null })),
    );
}

/** Whole modules, by `import * as` or `import()`: every word of the importing file may be one of their names. */
function wholeImports(source: string): readonly string[] {
  const { code } = readSource(source);
  return importsOf(source)
    .filter(({ index }) => /^(?:import\s*\(|(?:import|export)\s*\*)/.test(code.slice(index, index + 40)))
    .map(({ specifier }) => specifier);
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}
