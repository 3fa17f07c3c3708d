/** Dead files: source that nobody can reach from a place where something starts. Tests do not count as use. */
import { posix } from "node:path";
import { isScript, isTest, type Check, type Project } from "./project.ts";
import { importsOf, readSource } from "./source.ts";

const ENTRIES = ["src/main.ts", "web/index.html", "web/src/main.tsx", "sim/run.ts", "bench/run.ts", "bin/silas"];

/** Where people and machines are told which script to start. */
const NAMES_SCRIPTS = /^(?:package\.json|\.ci\/|\.githooks\/|README\.md|CONTRIBUTING\.md|AGENTS\.md)/;

export const everyFileIsReached: Check = (project) => {
  const reached = reachedFrom(project, entriesOf(project));
  return [...project.keys()]
    .filter((path) => /\.(ts|tsx|mts|mjs|js|css)$/.test(path) || path === "bin/silas")
    .filter((path) => !isTest(path) && !path.endsWith(".d.ts") && !reached.has(path))
    .map((path) => ({ path, message: "is reached from no entry point; wire it or remove it" }));
};

function entriesOf(project: Project): readonly string[] {
  const spoken = [...project]
    .filter(([path]) => NAMES_SCRIPTS.test(path))
    .map(([, text]) => text)
    .join("\n");
  const named = [...project.keys()].filter((path) => path.startsWith("scripts/") && spoken.includes(path));
  const configs = [...project.keys()].filter((path) => /\.config\.(ts|mjs)$/.test(path));
  // The web server hands these out as they are.
  const served = [...project.keys()].filter((path) => path.startsWith("web/public/"));
  return [...ENTRIES.filter((path) => project.has(path)), ...named, ...configs, ...served];
}

function reachedFrom(project: Project, entries: readonly string[]): ReadonlySet<string> {
  const doors = (JSON.parse(project.get("package.json") ?? "{}") as { imports?: Record<string, string> }).imports ?? {};
  const reached = new Set(entries);
  const queue = [...entries];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    for (const target of targetsOf({ project, path, doors })) {
      if (!reached.has(target)) queue.push(target);
      reached.add(target);
    }
  }
  return reached;
}

type File = { readonly project: Project; readonly path: string; readonly doors: Readonly<Record<string, string>> };

function targetsOf({ project, path, doors }: File): readonly string[] {
  const source = project.get(path) ?? "";
  const specifiers = isScript(path) ? importsOf(source).map(({ specifier }) => doors[specifier] ?? specifier) : [];
  // Workers, styles and child processes are named by a path in a string rather than by an import.
  const text = isScript(path) ? readSource(source).text : source;
  const strings = [...text.matchAll(/["'`(]([\w./@-]+\.(?:tsx?|mjs|js|css|html))(?:\?[\w=&]*)?["'`)]/g)].map(
    (match) => match[1] ?? "",
  );
  const folder = posix.dirname(path);
  return [...specifiers.map((specifier) => specifier.replace(/\?.*$/, "")), ...strings]
    .flatMap((name) => [posix.join(folder, name), posix.join("web", name.replace(/^\//, "")), posix.normalize(name)])
    .filter((target) => project.has(target));
}
