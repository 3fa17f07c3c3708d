import { oneLine } from "#base";
import { bypassesIn } from "./bypass-words.ts";
import type { Find, Where } from "./read-document.ts";
import { createCover, createLineOf, leftmostOf, matchesOf, spansOf, type Span, type SpanForm } from "./text-spans.ts";

/** What a sandbox sets itself, and what every script may therefore read. */
const GIVEN = new Set(["PATH", "HOME", "PWD", "LANG", "TMPDIR", "TZ"]);
const isGiven = (name: string): boolean => GIVEN.has(name) || name.startsWith("SILAS_");

type Language = "mjs" | "py";
type Rules = {
  /** A variable by its name, in the first or second group. */
  readonly named: RegExp;
  /** The environment in any form; what is not a name of the above reads all of it. */
  readonly whole: readonly (RegExp | SpanForm)[];
  readonly shell: readonly (RegExp | SpanForm)[];
  readonly evaluates: readonly RegExp[];
};

const SHELLS = /["'](?:\/(?:usr\/)?bin\/)?(?:ba|da|z)?sh["']\s*,\s*(?:\[\s*)?["']-\w*c["']/g;

const RULES: { readonly [L in Language]: Rules } = {
  mjs: {
    named:
      /\bprocess\s*\.\s*env\s*(?:\?\.|\.)\s*([A-Za-z_]\w*)|\bprocess\s*\.\s*env\s*(?:\?\.)?\[\s*["'`](\w+)["'`]\s*\]/g,
    whole: [
      /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[/g,
      { head: /\benv\b/g, stop: /[;\n]/g, tail: /\bfrom\s*["'](?:node:)?process["']/g },
      { head: /\{/g, between: /\benv\b/g, stop: /\}/g, tail: /\}\s*=\s*process\b/g },
    ],
    shell: [
      /(?<![.\w])(?:exec|execSync)\s*\((?!\s*["'][^"'\n]*["']\s*[,)])/g,
      /\b(?:child_process|childProcess|cp)\s*\.\s*(?:exec|execSync)\s*\((?!\s*["'][^"'\n]*["']\s*[,)])/g,
      /\bshell\s*:(?!\s*false\b)/g,
      SHELLS,
    ],
    evaluates: [
      /(?<![.\w])eval\s*\(/g,
      /\bnew\s+Function\b/g,
      /(?<![.\w])Function\s*\(/g,
      /\bimport\s*\((?!\s*["'](?:node:|\.\/|\.\.\/))/g,
      /\bvm\s*\.\s*\w+/g,
      /["']data:text\/javascript/g,
    ],
  },
  py: {
    named: /\benviron\s*(?:\.\s*get\s*\(\s*|\[\s*)["'](\w+)["']|\bgetenvb?\s*\(\s*["'](\w+)["']/g,
    whole: [/\benvironb?\b|\bgetenvb?\b/g],
    shell: [
      /\bos\s*\.\s*(?:system|popen)\s*\((?!\s*["'][^"'\n{}%]*["']\s*\))/g,
      /\bshell\s*=(?!\s*False\b)/g,
      /\bsubprocess\s*\.\s*get(?:status)?output\s*\(/g,
      { head: /\bfrom\s+os\s+import\b/g, stop: /\n/g, tail: /\b(?:system|popen)\b/g },
      SHELLS,
    ],
    evaluates: [
      /(?<![.\w])(?:eval|exec|compile|__import__)\s*\(/g,
      /\bmarshal\s*\.\s*loads?\b/g,
      /\bpickle\s*\.\s*loads?\b/g,
      /\bimportlib\b/g,
    ],
  },
};

/**
 * Imports of the environment are not reads of it; each read is looked at by itself. White space before the first word ends
 * with its line: over many empty lines a search that goes on would begin again at each of them.
 */
const PY_IMPORT = /^[^\S\n\r\u2028\u2029]*from\s+os\s+import\b[^\n]*$/gm;

type ScannedScript = { readonly path: string; readonly text: string };
type Scanning = { readonly env: ReadonlySet<string>; readonly forbidEnv: boolean; readonly find: Find };

/** What may not be in a script, decided by its text alone; nothing is run. [INST-04] */
export function scanScript({ path, text }: ScannedScript, { env, forbidEnv, find }: Scanning): void {
  const rules = RULES[path.endsWith(".py") ? "py" : "mjs"];
  const lineOf = createLineOf(text);
  const at = (index: number, about: string): Where => ({ path, line: lineOf(index), about });
  if (forbidEnv) {
    for (const { index, name } of readsIn(text, rules)) {
      if (name === null || !(isGiven(name) || env.has(name))) {
        find.problem("env_undeclared", at(index, name ?? "(by a name that is not written there, or all of them)"));
      }
    }
  }
  for (const pattern of rules.shell)
    for (const found of matches(text, pattern)) find.problem("shell_interpolation", at(found.index, found.about));
  for (const pattern of rules.evaluates)
    for (const found of matches(text, pattern)) find.problem("evaluates_text", at(found.index, found.about));
}

/** Instructions that have a person or a model run what comes from elsewhere unread. */
const PIPED: readonly SpanForm[] = [
  { head: /\b(?:curl|wget)\b/g, stop: /[\n|]/g, tail: /\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/g },
  { head: /\bbase64\s+(?:-d|--decode|-D)\b/g, stop: /[\n|]/g, tail: /\|\s*(?:ba|z|da)?sh\b/g },
];

/** The instructions in SKILL.md and the skill's other pages. */
export function scanInstructions({ path, text }: ScannedScript, find: Find): void {
  const lineOf = createLineOf(text);
  for (const { index, about } of matches(text, ...PIPED))
    find.problem("evaluates_text", { path, line: lineOf(index), about });
  for (const { index, about } of bypassesIn(text))
    find.problem("bypasses_approval", { path, line: lineOf(index), about: oneLine(about).slice(0, 80) });
}

type Read = { readonly index: number; readonly name: string | null };

function readsIn(text: string, { named, whole }: Rules): readonly Read[] {
  const code = text.replaceAll(PY_IMPORT, (line) => " ".repeat(line.length));
  const byName = [...code.matchAll(named)].map((found) => ({
    index: found.index,
    end: found.index + found[0].length,
    name: found[1] ?? found[2] ?? null,
  }));
  const taken = [...destructured(code), ...byName];
  const isTaken = createCover(taken);
  const others = found(code, ...whole).filter(({ index }) => !isTaken(index));
  return [...taken, ...others.map(({ index }) => ({ index, name: null }))];
}

/** `const { A, B: b } = process.env` reads two names. */
function destructured(code: string): readonly (Read & { readonly end: number })[] {
  return [...code.matchAll(/\{([^{}]*)\}\s*=\s*process\s*\.\s*env\b(?!\s*[.[?])/g)].flatMap((found) => {
    const end = found.index + found[0].length;
    return (found[1] ?? "").split(",").flatMap((part) => {
      const name = /^\s*(\w+)\s*(?:[:=]|$)/.exec(part)?.[1] ?? null;
      return part.trim() === "" ? [] : [{ index: found.index, end, name }];
    });
  });
}

type Searched = RegExp | SpanForm;

const found = (text: string, ...forms: readonly Searched[]): readonly Span[] =>
  leftmostOf(...forms.map((form) => (form instanceof RegExp ? matchesOf(text, form) : spansOf(text, form))));

/** The beginning of what was found, on one line. */
const matches = (text: string, ...forms: readonly Searched[]) =>
  found(text, ...forms).map(({ index, end }) => ({
    index,
    about: oneLine(text.slice(index, end)).trim().slice(0, 60),
  }));
