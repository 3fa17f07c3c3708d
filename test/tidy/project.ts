/** The repository as text, and the same shape made from a few lines so that every check can be shown to fail. */
import { readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";

/** Text by path; paths are relative to the root and use forward slashes. */
export type Project = ReadonlyMap<string, string>;

export type Violation = { readonly path: string; readonly message: string };

export type Check = (project: Project) => readonly Violation[];

const TEXT = new Set([
  ".ts",
  ".tsx",
  ".mts",
  ".mjs",
  ".js",
  ".css",
  ".md",
  ".json",
  ".yaml",
  ".yml",
  ".html",
  ".svg",
  ".sql",
  ".sh",
  "",
]);

/** What is there to be linked to, and holds nothing to be read. */
const PICTURES = new Set([".png"]);

export function projectOf(files: Readonly<Record<string, string>>): Project {
  return new Map(Object.entries(files));
}

export function readProject(root: string): Project {
  const ignored = readFileSync(join(root, ".gitignore"), "utf8").split("\n").filter(Boolean);
  const isIgnored = (path: string, name: string): boolean =>
    ignored.some((pattern) => {
      const plain = pattern.replace(/\/$/, "");
      if (plain.startsWith("/")) return `/${path}` === plain;
      if (plain.startsWith("*")) return name.endsWith(plain.slice(1));
      return plain.includes("/") ? path === plain : name === plain;
    });
  const files = new Map<string, string>();
  const walk = (directory: string): void => {
    for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (entry.name === ".git" || isIgnored(path, entry.name)) continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile() && TEXT.has(extname(entry.name))) files.set(path, readFileSync(join(root, path), "utf8"));
      else if (entry.isFile() && PICTURES.has(extname(entry.name))) files.set(path, "");
    }
  };
  walk("");
  return files;
}

/** Tests, and what only tests use: everything under test/ and the fixtures that lie beside the code. */
export const isTest = (path: string): boolean => /\.(?:test|fixture)\.tsx?$/.test(path) || path.startsWith("test/");

export const isScript = (path: string): boolean => /\.(ts|tsx|mts|mjs|js)$/.test(path) || path === "bin/silas";

export const scriptsOf = (project: Project): readonly (readonly [string, string])[] =>
  [...project].filter(([path]) => isScript(path));

/** Plans under docs/examples are input for Silas, with front matter where a document has its title. */
export const documentsOf = (project: Project): readonly (readonly [string, string])[] =>
  [...project].filter(([path]) => path.endsWith(".md") && !path.startsWith("docs/examples/"));

export const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;
