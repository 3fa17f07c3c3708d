/** Kinds of messages that no part of the product sends, or that no reader handles. */
import { isTest, type Check, type Project } from "./project.ts";
import { readSource } from "./source.ts";

const TABLE = "src/core/model/bus/kinds.ts";
const MODEL = "src/core/model/";
const ROW = /^ {2}(\w+): \{/gm;
/** What makes a message says of which kind it is: only its type is certain, since a kind may be chosen by a table. */
const MAKER = /^export (?:function|const) (\w+)(?:(?!^export )[^])*?\)\s*: MessageOf<([^>]+)>/gm;
const READER = /\bkinds: \[([^\]]*)\]/g;

export const everyKindIsSentAndRead: Check = (project) => {
  const product = textsOf(project, (path) => !path.startsWith(MODEL));
  const makers = textsOf(project, (path) => path.startsWith(MODEL)).flatMap((text) => [...text.matchAll(MAKER)]);
  const sent = makers
    .filter(({ 1: name = "" }) => product.some((text) => new RegExp(`\\b${name}\\(`).test(text)))
    .map(({ 2: kinds = "" }) => kinds);
  const read = product.flatMap((text) => [...text.matchAll(READER)].map(({ 1: kinds = "" }) => kinds));
  return kindsOf(project).flatMap((kind) => {
    const names = (lists: readonly string[]): boolean => lists.some((list) => list.includes(`"${kind}"`));
    const missing = [names(sent) ? "" : "sender", names(read) ? "" : "reader"].filter(Boolean);
    return missing.map((role) => ({ path: TABLE, message: `lists the kind ${kind}, which has no ${role}` }));
  });
};

function kindsOf(project: Project): readonly string[] {
  const { text } = readSource(project.get(TABLE) ?? "");
  const [, table = ""] = /^export const KINDS = \{\n([^]*?)^\}/m.exec(text) ?? [];
  return [...table.matchAll(ROW)].map(({ 1: kind = "" }) => kind);
}

const textsOf = (project: Project, isWanted: (path: string) => boolean): readonly string[] =>
  [...project]
    .filter(([path]) => path.startsWith("src/") && path.endsWith(".ts") && !isTest(path) && isWanted(path))
    .map(([, source]) => readSource(source).text);
