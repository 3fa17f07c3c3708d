import { registerHooks, type ResolveFnOutput } from "node:module";

/** The folder of all of Silas's own files. */
const OWN = new URL("..", import.meta.url).href;

/**
 * Finds Silas's own files without asking the disk. A start has two thousand imports from one of them to another; for
 * each, Node looks whether the file is there, what it is called without links and of what kind it is, and that was a
 * fifth of a start. Own files say what they mean: a path that ends in `.ts`, or a door of `package.json`. Everything
 * else, a door that does not exist among it, is Node's to answer; a package is asked for once, because it is the same one
 * for all own files.
 */
export function findOwnModules(imports: Readonly<Record<string, string>>): void {
  const doors = new Map(Object.entries(imports).map(([door, path]) => [door, found(new URL(`../${path}`, OWN).href)]));
  const packages = new Map<string, ResolveFnOutput>();
  const ask = (specifier: string, resolve: () => ResolveFnOutput): ResolveFnOutput => {
    const known = packages.get(specifier) ?? { ...resolve(), shortCircuit: true };
    packages.set(specifier, known);
    return known;
  };
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = "" } = context;
      // Silas has its own words for what does not fit; those of zod are seventy files, one for each language.
      if (specifier === "../locales/index.js" && parentURL.includes("/node_modules/zod/")) {
        return next("../locales/en.js", context);
      }
      if (!parentURL.startsWith(OWN)) return next(specifier, context);
      const isPath = specifier.startsWith(".") && specifier.endsWith(".ts");
      if (isPath) return found(beside(parentURL, specifier));
      return doors.get(specifier) ?? ask(specifier, () => next(specifier, context));
    },
  });
}

/** As a URL would be made of both; own paths hold nothing but names, and a start has two thousand of them. */
function beside(parentURL: string, path: string): string {
  const places = parentURL.slice(0, parentURL.lastIndexOf("/")).split("/");
  for (const name of path.split("/")) {
    if (name === "..") places.pop();
    else if (name !== ".") places.push(name);
  }
  return places.join("/");
}

const found = (url: string): ResolveFnOutput => ({ url, format: "module-typescript", shortCircuit: true });
