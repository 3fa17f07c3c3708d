/**
 * How long things may be. Table files (`*-table.ts`) and generated files (`*.generated.ts`) are exempt by name; so is
 * the length of a door (`index.ts`), which another check holds to a comment and names and nothing else.
 */
import { functionsOf } from "./functions.ts";
import { isTest, lineAt, scriptsOf, type Check } from "./project.ts";
import { partnersOf, readSource } from "./source.ts";

const FILE_LINES_MAX = 400;
const FOLDER_FILES_MAX = 25;
const FUNCTION_LINES_MAX = 60;
const PARAMETERS_MAX = 2;

const isExempt = (path: string): boolean => /(?:-table|\.generated)\.[a-z]+$/.test(path);

export const filesAreShort: Check = (project) =>
  [...project].flatMap(([path, text]) => {
    if (!/\.(ts|tsx|mts|mjs|js|css)$/.test(path) || isExempt(path) || path.endsWith("/index.ts")) return [];
    const lines = text.replace(/\n$/, "").split("\n").length;
    return lines > FILE_LINES_MAX ? [{ path, message: `has ${lines} lines; the limit is ${FILE_LINES_MAX}` }] : [];
  });

/** A folder one can see whole. Tests, fixtures and style sheets lie beside the file they belong to and do not count. */
export const foldersAreSmall: Check = (project) => {
  const counts = new Map<string, number>();
  for (const [path] of scriptsOf(project)) {
    if (isTest(path) || isExempt(path)) continue;
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].flatMap(([path, count]) => {
    const message = `has ${count} files; the limit is ${FOLDER_FILES_MAX}, then sub-folders`;
    return count > FOLDER_FILES_MAX ? [{ path, message }] : [];
  });
};

export const functionsAreShort: Check = (project) =>
  scriptsOf(project).flatMap(([path, source]) => {
    // A describe block is a chapter, not a function.
    if (/\.test\.tsx?$/.test(path) || isExempt(path)) return [];
    return functionsOf(source).flatMap(({ name, start, end }) => {
      const line = lineAt(source, start);
      const lines = lineAt(source, end) - line + 1;
      const message = `${name} has ${lines} lines; the limit is ${FUNCTION_LINES_MAX}`;
      return lines > FUNCTION_LINES_MAX ? [{ path: `${path}:${line}`, message }] : [];
    });
  });

export const parametersAreNamed: Check = (project) =>
  scriptsOf(project).flatMap(([path, source]) => {
    if (isTest(path)) return [];
    return functionsOf(source)
      .filter(({ isExported }) => isExported)
      .flatMap(({ name, start, parameters }) => {
        const place = `${path}:${lineAt(source, start)}`;
        const many = `${name} takes ${parameters.length} parameters; more than two become one named object`;
        const hasBoolean = parameters.some(
          (one) => /:\s*boolean\s*(?:=|$)/.test(one) || /=\s*(?:true|false)$/.test(one),
        );
        return [
          ...(parameters.length > PARAMETERS_MAX ? [{ path: place, message: many }] : []),
          ...(hasBoolean ? [{ path: place, message: `${name} takes a bare boolean; name the choice instead` }] : []),
        ];
      });
  });

/** The checks read source as text. A bracket without a partner means they have misread it and might overlook something. */
export const sourcesAreUnderstood: Check = (project) =>
  scriptsOf(project).flatMap(([path, source]) => {
    const { code } = readSource(source);
    const partners = partnersOf(code);
    const odd = [...code.matchAll(/[()[\]{}]/g)].find(({ index }) => !partners.has(index));
    if (odd === undefined) return [];
    return [
      { path: `${path}:${lineAt(source, odd.index)}`, message: `"${odd[0]}" has no partner for the tidy reader` },
    ];
  });
