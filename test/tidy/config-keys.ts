/** Which keys of the configuration a part of Silas reads, as far as its text shows it. */
import { isTest, scriptsOf, type Project } from "./project.ts";
import { readSource } from "./source.ts";

/** Where keys are declared, loaded and checked; to name a key there is not to use it. */
const DECLARES = /^src\/(?:config\/|core\/model\/(?:config-|gate\/gate-settings|words))/;

type Reading = {
  /** Some file names the key in a way that cannot be another key. */
  readonly isCertain: (key: string) => boolean;
  /** Some file names the key, or words that could be it. */
  readonly isPossible: (key: string) => boolean;
};

export function readingOf(project: Project): Reading {
  const files = scriptsOf(project)
    .filter(([path]) => path.startsWith("src/") && !isTest(path) && !DECLARES.test(path))
    .map(([, source]) => readSource(source).code)
    .map((code) => ({ code, words: new Set(code.match(/[\w$]+/g)) }));
  return {
    isCertain: (key) => {
      const { parent, leaf } = partsOf(key);
      const member = new RegExp(`\\b${parent}\\??\\.${leaf}\\b`);
      return parent !== null && files.some(({ code, words }) => words.has(leaf) && member.test(code));
    },
    isPossible: (key) => {
      const { parent, leaf } = partsOf(key);
      // A word alone, such as `enabled`, could be a part of anything; a compound name says what it is.
      const isCompound = /[A-Z]/.test(leaf);
      return files.some(({ words }) => words.has(leaf) && (isCompound || parent === null || words.has(parent)));
    },
  };
}

function partsOf(key: string): { readonly parent: string | null; readonly leaf: string } {
  const names = key.split(".").filter((name) => name !== "*");
  const camel = names.map((name) => name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase()));
  return { parent: camel.at(-2) ?? null, leaf: camel.at(-1) ?? "" };
}
