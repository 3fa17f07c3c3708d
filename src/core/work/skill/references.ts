import { isPathInside, oneLine } from "#base";
import { SKILL_DOCUMENT } from "#model";
import type { Find, SkillDocument } from "./read-document.ts";

type Referring = { readonly paths: ReadonlySet<string>; readonly find: Find };

/** Every file that SKILL.md links is there, and every one it names is inside of the skill. Examples in fences name nothing. [INST-02] */
export function checkReferences({ manifest, body, bodyLine }: SkillDocument, { paths, find }: Referring): void {
  const check = (written: string, line: number | null, named: Named = "linked"): void => {
    const target = oneLine(written).slice(0, 300);
    const where = { path: SKILL_DOCUMENT, ...(line === null ? {} : { line }), about: target };
    const path = written
      .replace(/^(?:\.\/)+/, "")
      .replace(/#.*$/, "")
      .replace(/\/$/, "");
    if (!isPathInside(path)) return find.problem("reference_outside", where);
    const isThere = paths.has(path) || [...paths].some((one) => one.startsWith(`${path}/`));
    if (isThere) return;
    if (named === "linked") find.problem("reference_missing", where);
    else find.note("mention_missing", where);
  };
  if (manifest.icon !== null) check(manifest.icon, null);
  for (const path of Object.keys(manifest.scriptArgs)) check(path, null);
  let fence: string | null = null;
  body.split("\n").forEach((line, index) => {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1] ?? null;
    if (mark !== null && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    if (fence !== null) return;
    for (const { target, named } of targetsIn(line)) check(target, bodyLine + index, named);
  });
}

/** A link leads somewhere; a path in code may be an example. */
type Named = "linked" | "mentioned";

/** Targets of links, and paths in code that begin with one of the folders of a skill. */
function targetsIn(line: string): readonly { readonly target: string; readonly named: Named }[] {
  const links = [...line.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].map(([, target = ""]) => target);
  const code = [...line.matchAll(/`((?:\.{0,2}\/)*(?:scripts|references|assets)\/[^`\s]+)`/g)].map(
    ([, path = ""]) => path,
  );
  const inside = links.filter((target) => !/^(?:[a-z][a-z0-9+.-]*:|#)/i.test(target));
  return [
    ...inside.map((target) => ({ target, named: "linked" as const })),
    ...code.map((target) => ({ target, named: "mentioned" as const })),
  ];
}
