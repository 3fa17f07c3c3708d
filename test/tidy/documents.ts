/** Documents: one title each, links that lead somewhere, a picture that matches the plan, tools as registered, a glossary without drift. */
import { posix } from "node:path";
import { type Exception } from "../../scripts/allow-list.ts";
import { withArchitecture } from "../../scripts/print-architecture.ts";
import { renderTools } from "../../scripts/print-tools.ts";
import { documentsOf, lineAt, type Check, type Project, type Violation } from "./project.ts";

const withoutExamples = (text: string): string =>
  text
    .replace(/^```[^]*?^```/gm, (block) => block.replace(/[^\n]/g, " "))
    .replace(/`[^`\n]*`/g, (span) => " ".repeat(span.length));

export const documentsHaveOneTitle: Check = (project) =>
  documentsOf(project).flatMap(([path, text]) => {
    const titles = [...withoutExamples(text).matchAll(/^# \S/gm)].length;
    const opens = text.startsWith("# ");
    return titles === 1 && opens
      ? []
      : [{ path, message: `has ${titles} titles${opens ? "" : " and does not open with one"}` }];
  });

export const linksResolve: Check = (project) => {
  const folders = new Set([...project.keys()].flatMap((path) => parentsOf(path)));
  return documentsOf(project).flatMap(([path, text]) =>
    [...withoutExamples(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap((match) => {
      const [target = "", anchor] = (match[1] ?? "").split("#");
      if (/^[a-z]+:/.test(target)) return [];
      const full = target === "" ? path : posix.join(posix.dirname(path), target).replace(/\/$/, "");
      const place = `${path}:${lineAt(text, match.index)}`;
      if (!project.has(full) && !folders.has(full)) return [{ path: place, message: `${match[1]} leads nowhere` }];
      const isKnown = anchor === undefined || anchorsOf(project.get(full) ?? "").has(anchor);
      return isKnown ? [] : [{ path: place, message: `${match[1]} names a heading that does not exist` }];
    }),
  );
};

function parentsOf(path: string): readonly string[] {
  const parent = posix.dirname(path);
  return parent === "." ? [] : [parent, ...parentsOf(parent)];
}

function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map((match) => (match[1] ?? "").toLowerCase());
  return new Set(headings.map((heading) => heading.replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")));
}

export const thePictureIsPrinted: Check = (project) => {
  const path = "docs/ARCHITECTURE.md";
  const text = project.get(path);
  const isPrinted = text !== undefined && withArchitecture(text) === text;
  return isPrinted
    ? []
    : [{ path, message: "differs from scripts/house.ts; run `npm run fix` to print the picture again" }];
};

export const theToolsArePrinted: Check = (project) => {
  const path = "docs/tools.md";
  return project.get(path) === renderTools()
    ? []
    : [{ path, message: "differs from the registry in src/core/tools; run `npm run fix` to print it again" }];
};

export const decisionsAreNumbered: Check = (project) => {
  const records = [...project.keys()].filter((path) => path.startsWith("docs/decisions/")).toSorted();
  return records.flatMap((path, index) => {
    const number = String(index + 1).padStart(4, "0");
    const isNamed = new RegExp(`^docs/decisions/${number}-[a-z0-9-]+\\.md$`).test(path);
    const isTitled = (project.get(path) ?? "").startsWith(`# ${number} `);
    return isNamed && isTitled ? [] : [{ path, message: `should be number ${number}, in its name and in its title` }];
  });
};

export function judgeExceptions(project: Project, exceptions: readonly Exception[]): readonly Violation[] {
  return exceptions
    .filter(
      ({ reason, decision }) =>
        reason.length < 20 || ![...project.keys()].some((path) => path.startsWith(`docs/decisions/${decision}-`)),
    )
    .map(({ path }) => ({ path, message: "is on the allow-list without a reason or without a decision record" }));
}
