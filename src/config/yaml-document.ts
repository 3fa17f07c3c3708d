import type { CST, LineCounter } from "yaml";
import { err, LIMITS, ok, type Result, type YamlRefusalCode } from "#base";
import { yamlLibrary } from "./yaml-library.ts";
import { readDocument } from "./yaml-values.ts";

/** A YAML document as plain values, and where each of them stands. */
export type YamlDocument = {
  readonly value: unknown;
  readonly locate: (path: readonly (string | number)[]) => Position;
};
export type Position = { readonly line: number; readonly column: number };
export type YamlProblem = Position & { readonly code: YamlRefusalCode };

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
