import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { err, ok, type Result } from "#base";
import { CONFIG_SCHEMA } from "#model";
import type { Path } from "./key-names.ts";
import { emptyLayer, readTree, type Layer } from "./layer.ts";
import { problem, type ConfigProblem, type ConfigProblemCode, type Origin } from "./problems.ts";
import type { Source } from "./read-key.ts";
import { DOCUMENT_BYTES, parseYaml, type YamlDocument } from "./yaml-document.ts";

/** Reads one configuration file; everything wrong with it is in the layer's problems. */
export function readConfigFile(file: string, source: Source): Layer {
  const layer = emptyLayer();
  const text = readText(file);
  if (!text.ok) {
    layer.problems.push(wholeFile(text.error, file));
    return layer;
  }
  const document = parseYaml(text.value);
  if (!document.ok) {
    for (const { code, line, column } of document.error) {
      layer.problems.push(problem(code, { key: null, origin: { kind: "file", file, line, column } }));
    }
    return layer;
  }
  return readRoot(document.value, { ...source, file });
}

const ROOT = "silas";

/** The document is empty, or a map whose one key is `silas`. */
function readRoot(document: YamlDocument, source: Source & { readonly file: string }): Layer {
  const originAt = (path: Path): Origin => ({ kind: "file", file: source.file, ...document.locate(path) });
  const root = document.value;
  if (root === null) return emptyLayer();
  if (typeof root !== "object" || Array.isArray(root)) {
    return { ...emptyLayer(), problems: [problem("not_a_map", { key: null, origin: originAt([]) })] };
  }
  const record = root as Readonly<Record<string, unknown>>;
  const layer = readTree(record[ROOT], { ...source, originAt: (path) => originAt([ROOT, ...path]) });
  for (const key of Object.keys(record).filter((name) => name !== ROOT)) {
    // A key of ours at the left margin was meant to stand under the root.
    const nearest = Object.hasOwn(CONFIG_SCHEMA.children, key) ? `${ROOT}.${key}` : ROOT;
    layer.problems.push(problem("unknown_key", { key, origin: originAt([key]), nearest }));
  }
  return layer;
}

function wholeFile(code: ConfigProblemCode, file: string): ConfigProblem {
  return problem(code, { key: null, origin: { kind: "file", file, line: 1, column: 1 } });
}

type FileCode = "document_too_large" | "file_missing" | "file_not_text" | "file_unreadable";

function readText(file: string): Result<string, FileCode> {
  try {
    const bytes = readBytes(file);
    if (bytes === null) return err("file_unreadable");
    if (bytes.length > DOCUMENT_BYTES) return err("document_too_large");
    return decode(bytes);
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return err(missing ? "file_missing" : "file_unreadable");
  }
}

/** At most one byte more than may be read, or null for what is not a plain file (a pipe would wait forever). */
function readBytes(file: string): Buffer | null {
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) return null;
    const buffer = Buffer.alloc(Math.min(found.size, DOCUMENT_BYTES) + 1);
    let length = 0;
    for (;;) {
      const count = readSync(handle, buffer, length, buffer.length - length, null);
      length += count;
      if (count === 0 || length === buffer.length) return buffer.subarray(0, length);
    }
  } finally {
    closeSync(handle);
  }
}

function decode(bytes: Buffer): Result<string, FileCode> {
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return err("file_not_text");
  }
}
