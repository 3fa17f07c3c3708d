/** Rules and tests name each other: every rule in docs/spec has a test that begins with its id, and the reverse. */
import { lineAt, type Check, type Project } from "./project.ts";

type Found = { readonly id: string; readonly path: string };

const TITLE =
  /\b(?:test|it|law|property|scenario|rule|check)(?:\.\w+)*(?:\([^()"'`]*\))?\(\s*["'`]((?:\[[A-Z]+-\d{2,3}\]\s*)+)/g;

function listedRules(project: Project): readonly Found[] {
  return [...project].flatMap(([path, text]) =>
    path.startsWith("docs/spec/")
      ? [...text.matchAll(/^- \*\*([A-Z]+-\d{2,3})\*\* \S/gm)].map((match) => ({
          id: match[1] ?? "",
          path: `${path}:${lineAt(text, match.index)}`,
        }))
      : [],
  );
}

function provenRules(project: Project): readonly Found[] {
  return [...project].flatMap(([path, text]) =>
    /\.test\.tsx?$/.test(path) && !path.startsWith("test/tidy/")
      ? [...text.matchAll(TITLE)].flatMap((match) =>
          [...(match[1] ?? "").matchAll(/\[([A-Z]+-\d{2,3})\]/g)].map((id) => ({
            id: id[1] ?? "",
            path: `${path}:${lineAt(text, match.index)}`,
          })),
        )
      : [],
  );
}

export const listedRulesAreProven: Check = (project) => {
  const proven = new Set(provenRules(project).map(({ id }) => id));
  return listedRules(project)
    .filter(({ id }) => !proven.has(id))
    .map(({ id, path }) => ({ path, message: `no test title begins with [${id}]` }));
};

export const provenRulesAreListed: Check = (project) => {
  const listed = new Set(listedRules(project).map(({ id }) => id));
  return provenRules(project)
    .filter(({ id }) => !listed.has(id))
    .map(({ id, path }) => ({ path, message: `[${id}] is not listed in docs/spec` }));
};

/** One file per topic, one line per rule. */
export const rulesAreListedOnce: Check = (project) => {
  const seen = new Set<string>();
  return listedRules(project).flatMap(({ id, path }) => {
    const isHome = path.startsWith(`docs/spec/${id.split("-")[0]?.toLowerCase()}.md:`);
    const isNew = !seen.has(id);
    seen.add(id);
    return [
      ...(isHome ? [] : [{ path, message: `${id} belongs in the file of its topic` }]),
      ...(isNew ? [] : [{ path, message: `${id} is listed twice` }]),
    ];
  });
};

const NAMED = /\[[\w.-]+\]\(\.\.\/([\w./-]+\.test\.tsx?)\)((?:,? [A-Z]+-\d{2,3})+)/g;

/** A guarantee names a file and the rules in it, and each of them begins the title of a test there. */
export const guaranteesAreShown: Check = (project) => {
  const path = "docs/guarantees.md";
  const text = project.get(path) ?? "";
  const rows = text.split("\n").filter((line) => line.startsWith("| ") && !/^\| (?:Guarantee |---)/.test(line));
  const unshown = rows.filter((row) => row.match(NAMED) === null);
  const shown = new Set(provenRules(project).map((found) => `${found.path.replace(/:\d+$/, "")} ${found.id}`));
  const absent = [...text.matchAll(NAMED)].flatMap(([, file = "", ids = ""]) =>
    [...ids.matchAll(/[A-Z]+-\d+/g)].map(([id]) => `${file} ${id}`).filter((name) => !shown.has(name)),
  );
  return [
    ...unshown.map((row) => ({ path, message: `names no test: ${row.slice(0, 60)}` })),
    ...absent.map((name) => ({ path, message: `there is no test ${name}` })),
  ];
};
