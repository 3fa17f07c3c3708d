import type * as Yaml from "yaml";
import type { CST, LineCounter, Document, ParsedNode, Scalar, YAMLMap } from "yaml";
import { createRequire } from "node:module";
import { err, LIMITS, ok, type Result, type YamlRefusalCode } from "#base";

/** A YAML document as plain values, and where each of them stands. */
export type YamlDocument = {
  readonly value: unknown;
  readonly locate: (path: readonly (string | number)[]) => Position;
};
type Position = { readonly line: number; readonly column: number };
type YamlProblem = Position & { readonly code: YamlRefusalCode };

/** Larger documents are refused unread: a configuration of every key is under 20 KB. */
export const DOCUMENT_BYTES = 1_048_576;
/** Pieces of syntax in one document; the parser's time grows faster than its input. */
const TOKENS_MAX = 50_000;

/**
 * Reads one YAML 1.2 document and refuses what can surprise: repeated keys, anchors, aliases, merge keys, tags,
 * directives, and plain scalars that YAML 1.1 reads as something else (`no`, `010`, `1:30`). All problems come
 * together. Never throws.
 */
export function parseYaml(text: string): Result<YamlDocument, readonly YamlProblem[]> {
  const start = { line: 1, column: 1 };
  if (Buffer.byteLength(text) > DOCUMENT_BYTES) return err([{ code: "document_too_large", ...start }]);
  const { Composer, LineCounter } = yamlLibrary();
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const tokens = readTokens(text, lines);
  if (!tokens.ok) return err([{ code: tokens.error.code, ...at(tokens.error.offset) }]);
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    uniqueKeys: false,
    merge: false,
    prettyErrors: false,
  });
  const [document, ...others] = [...composer.compose(tokens.value, true, text.length)];
  if (document === undefined || others.length > 0) {
    return err([{ code: "several_documents", ...at(others[0]?.range[0] ?? 0) }]);
  }
  return readDocument(document, at);
}

type TooMuch = { readonly code: "document_too_complex" | "document_too_deep"; readonly offset: number };

/** Tokens of the text, counted and measured before the recursive half of the parser sees them. */
function readTokens(text: string, lines: LineCounter): Result<readonly CST.Token[], TooMuch> {
  const { Lexer, Parser } = yamlLibrary();
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > TOKENS_MAX) return err({ code: "document_too_complex", offset: parser.offset });
    tokens.push(...parser.next(lexeme));
    // The parser keeps one entry per open collection, besides the document and the piece being read.
    if (parser.stack.length > LIMITS.documentDepth + 2)
      return err({ code: "document_too_deep", offset: parser.offset });
  }
  tokens.push(...parser.end());
  return ok(tokens);
}

type At = (offset: number) => Position;
type Report = (code: YamlRefusalCode, offset: number) => void;

/** Plain values of a composed document, or everything in it that is refused. */
function readDocument(document: Document.Parsed, at: At): Result<YamlDocument, readonly YamlProblem[]> {
  const problems: YamlProblem[] = [];
  const report: Report = (code, offset) => problems.push({ code, ...at(offset) });
  const { yaml, tags } = document.directives;
  const badDirective = document.warnings.some((warning) => warning.code === "BAD_DIRECTIVE");
  if (yaml.explicit === true || Object.keys(tags).length > 1 || badDirective) report("directive_refused", 0);
  for (const error of document.errors) report("yaml_syntax", error.pos[0]);
  const value = readNode(document.contents, report);
  if (problems.length > 0) return err(problems);
  return ok({ value, locate: (path) => at(offsetOf(document.contents, path)) });
}

function readNode(node: ParsedNode | null, report: Report): unknown {
  if (node === null) return null;
  const { isAlias, isMap, isSeq } = yamlLibrary();
  if (isAlias(node)) {
    report("alias_refused", node.range[0]);
    return null;
  }
  if (node.anchor !== undefined) report("anchor_refused", node.range[0]);
  if (node.tag !== undefined) report("tag_refused", node.range[0]);
  if (isMap(node)) return readMap(node, report);
  if (isSeq(node)) return node.items.map((item) => readNode(item, report));
  checkPlain(node, report);
  return node.value;
}

type ParsedMap = Extract<ParsedNode, YAMLMap>;

// A null prototype, so that no key of a file can stand for something inherited.
function readMap(node: ParsedMap, report: Report): Record<string, unknown> {
  const record = Object.create(null) as Record<string, unknown>;
  for (const { key, value } of node.items) {
    const name = keyOf(key, report);
    if (name !== null && Object.hasOwn(record, name)) report("duplicate_key", key.range[0]);
    const read = readNode(value, report);
    if (name !== null) record[name] = read;
  }
  return record;
}

function keyOf(key: ParsedNode, report: Report): string | null {
  if (!yamlLibrary().isScalar(key) || typeof key.value !== "string") {
    report("key_not_text", key.range[0]);
    return null;
  }
  if (key.anchor !== undefined) report("anchor_refused", key.range[0]);
  if (key.tag !== undefined) report("tag_refused", key.range[0]);
  if (key.value === "<<" && key.type === "PLAIN") report("merge_key_refused", key.range[0]);
  return key.value;
}

/** Words and numbers that YAML 1.1 and 1.2 read differently; in quotes they are plain text. */
const AMBIGUOUS =
  /^(?:y|n|yes|no|on|off|[-+]?0\d[\d_.]*|[-+]?0[box][\da-f_]+|[-+]?\d[\d_]*_[\d_.]*|[-+]?\d+(?::[0-5]?\d)+(?:\.\d*)?)$/i;

function checkPlain(node: Scalar.Parsed, report: Report): void {
  if (node.type !== "PLAIN") return;
  if (AMBIGUOUS.test(node.source)) report("ambiguous_scalar", node.range[0]);
  else if (typeof node.value === "number" && !isExact(node.value, node.source)) report("number_refused", node.range[0]);
}

/** NaN, infinities and whole numbers that lost digits say something else than what was written. */
function isExact(value: number, source: string): boolean {
  return Number.isFinite(value) && (Number.isSafeInteger(value) || !/^[-+]?\d+$/.test(source));
}

/** Where the value at `path` begins; where a part is missing, its nearest parent. A trailing key finds the key. */
function offsetOf(root: ParsedNode | null, path: readonly (string | number)[]): number {
  const { isMap, isScalar, isSeq } = yamlLibrary();
  let node = root;
  let offset = root?.range[0] ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = (node as ParsedMap).items.find(({ key }) => isScalar(key) && key.value === step);
      if (pair === undefined) return offset;
      offset = pair.key.range[0];
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number") {
      node = (node.items[step] as ParsedNode | undefined) ?? null;
      offset = node?.range[0] ?? offset;
    } else return offset;
  }
  return offset;
}

const require = createRequire(import.meta.url);

/** The YAML library, loaded on first use: a start without any configuration file does not wait for it. */
function yamlLibrary(): typeof Yaml {
  return require("yaml") as typeof Yaml;
}
