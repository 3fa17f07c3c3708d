/** Counts how much source there is, and habits that make it longer than it has to be. */
import { posix } from "node:path";
import { blanked, lineAt, type Sources } from "./code.ts";
import type { Count } from "./static-counts.ts";

const SMALL_FILE_LINES = 40;
const EXPORTS_MAX = 150;

type File = { readonly path: string; readonly source: string };

export function sizeCounts(sources: Sources): readonly Count[] {
  const files = [...sources]
    .filter(([path]) => /\.(?:ts|tsx|css|sql)$/.test(path) && !/\.(?:test|fixture|contract)\./.test(path))
    .map(([path, source]) => ({ path, source }));
  const code = files.filter(({ path }) => /\.tsx?$/.test(path));
  return [
    total("product lines", files, linesOf),
    total("product files", files, () => 1),
    total("syntax tokens without comments and imports", code, tokensOf),
    total("lines that only forward a fault", code, ({ source }) => matchesOf(source, FORWARDED)),
    total("calls of asResult", code, ({ source }) => matchesOf(source, /(?<!function )\basResult\(/g)),
    listed(
      `doors with more than ${EXPORTS_MAX} exports`,
      files.filter(({ path, source }) => posix.basename(path) === "index.ts" && exportsOf(source) > EXPORTS_MAX),
    ),
    total(`files under ${SMALL_FILE_LINES} lines`, code, (file) => (linesOf(file) < SMALL_FILE_LINES ? 1 : 0)),
  ];
}

const linesOf = ({ source }: File): number => lineAt(source, source.length) - 1;

function total(title: string, files: readonly File[], numberOf: (file: File) => number): Count {
  return { title, number: files.reduce((sum, file) => sum + numberOf(file), 0), found: [] };
}

function listed(title: string, files: readonly File[]): Count {
  const found = files.map(({ path, source }) => ({ name: String(exportsOf(source)), place: path }));
  return { title, number: found.length, found };
}

const FORWARDED = /\bif \(!([\w.]+)\.ok\) return \1;/g;
const matchesOf = (source: string, pattern: RegExp): number => blanked(source).match(pattern)?.length ?? 0;

const exportsOf = (source: string): number =>
  [...blanked(source).matchAll(/\bexport (?:type )?\{([^}]*)\}/g)]
    .flatMap(([, names = ""]) => names.split(","))
    .filter((name) => name.trim() !== "").length;

const COMMENT_OR_TOKEN =
  /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\w$]+|=>|\?\.|\?\?=?|\.\.\.|[=!]==?|[<>]=|&&|\|\||[^\s\w$]/g;
const IMPORT = /^import\b[^;]*;$/gm;

/** A text is one token; a template counts by its parts. */
const tokensOf = ({ source }: File): number =>
  [...source.replace(IMPORT, "").matchAll(COMMENT_OR_TOKEN)].filter(([text]) => !/^\/[/*]/.test(text)).length;
