import {
  canonicalJson,
  LIMITS,
  neutralise,
  parseStrictJson,
  sha256Hex,
  type CanonicalError,
  type JsonParseError,
  type JsonParseErrorCode,
  type Result,
} from "#base";

export type InputErrorCode = "not_found" | "not_a_file" | "not_permitted" | "too_large" | "unreadable";

/** What `silas canonical [FILE|-] [--json]` was given, and the ways in and out it may use. */
export type CanonicalCall = {
  /** Operands as typed: none or `-` reads stdin, one names a file. */
  readonly operands: readonly string[];
  readonly format: "bytes" | "json";
  readonly stdin: "terminal" | "piped";
  readonly stdout: "terminal" | "piped";
  /** Reads `-` or a file whole; more than `bytesMax` is an error, never a shortened text. */
  readInput(
    source: string,
    limits: { readonly bytesMax: number },
  ): Promise<Result<Uint8Array, { readonly code: InputErrorCode }>>;
  writeOut(text: string): void;
  writeErr(text: string): void;
};

/**
 * Prints the canonical bytes of a JSON document (RFC 8785) to stdout and their SHA-256 to stderr. Exactly the bytes,
 * without a line break after them, so that `silas canonical FILE | sha256sum` shows the same digest.
 */
export async function runCanonical(call: CanonicalCall): Promise<0 | 1 | 2> {
  const [source = "-", ...more] = call.operands;
  if (more.length > 0)
    return refuse(call, 2, "silas canonical reads one file at a time: silas canonical [FILE|-] [--json]");
  if (call.operands.length === 0 && call.stdin === "terminal") {
    return refuse(call, 2, "Nothing to read: name a file, or pipe JSON in: silas canonical [FILE|-] [--json]");
  }
  const name = source === "-" ? "<stdin>" : source;
  const input = await call.readInput(source, { bytesMax: LIMITS.canonicalInputBytes });
  if (!input.ok) return refuse(call, 1, `${name}: ${INPUT_WORDS[input.error.code]}`);
  const canonical = canonicalise(input.value);
  if (!canonical.ok) return refuse(call, 1, `${name}:${canonical.error}`);
  print(call, canonical.value);
  return 0;
}

function canonicalise(bytes: Uint8Array): Result<string, string> {
  const text = decode(bytes);
  if (!text.ok) return text;
  const value = parseStrictJson(text.value);
  if (!value.ok) return { ok: false, error: placed(value.error, PARSE_WORDS[value.error.code]) };
  const canonical = canonicalJson(value.value);
  return canonical.ok ? canonical : { ok: false, error: ` ${canonicalWords(canonical.error)}` };
}

function print(call: CanonicalCall, canonical: string): void {
  const sha256 = sha256Hex(canonical);
  if (call.format === "json") return call.writeOut(`${JSON.stringify({ canonical, sha256 })}\n`);
  if (call.stdout === "piped") {
    call.writeOut(canonical);
    return call.writeErr(`sha256 ${sha256}\n`);
  }
  // A terminal must not be driven by what it shows; the exact bytes are for pipes and files.
  const shown = neutralise(canonical);
  call.writeOut(`${shown}\n`);
  if (shown !== canonical)
    call.writeErr("Some characters are shown as symbols here; redirect to get the exact bytes.\n");
  call.writeErr(`sha256 ${sha256}\n`);
}

function refuse(call: CanonicalCall, code: 1 | 2, sentence: string): 1 | 2 {
  call.writeErr(`${neutralise(sentence)}\n`);
  return code;
}

function decode(bytes: Uint8Array): Result<string, string> {
  try {
    return { ok: true, value: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    const lenient = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const again = new TextEncoder().encode(lenient);
    const at = bytes.findIndex((byte, index) => byte !== again[index]);
    const lines = new TextDecoder().decode(bytes.subarray(0, at)).split("\n");
    const place = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
    return { ok: false, error: placed(place, "this is not UTF-8") };
  }
}

function placed(place: Pick<JsonParseError, "line" | "column">, words: string): string {
  return `${place.line}:${place.column}: ${words}`;
}

function canonicalWords(error: CanonicalError): string {
  return error.code === "too_large"
    ? "the canonical form is too large"
    : `no canonical form (${error.code} at ${error.path})`;
}

const MEBIBYTES_MAX = LIMITS.canonicalInputBytes / 1_048_576;

const INPUT_WORDS: Readonly<Record<InputErrorCode, string>> = {
  not_found: "there is no such file",
  not_a_file: "this is not a file",
  not_permitted: "reading it is not permitted",
  too_large: `larger than ${MEBIBYTES_MAX} MiB`,
  unreadable: "it could not be read",
};

const PARSE_WORDS: Readonly<Record<JsonParseErrorCode, string>> = {
  unexpected_end: "the document ends here, before it is complete",
  unexpected_character: "this character cannot stand here in JSON",
  trailing_text: "text after the end of the document",
  invalid_number: "this is not a JSON number",
  invalid_escape: "this is not a JSON escape",
  control_character: "a control character inside a string must be escaped",
  lone_surrogate: "half of a surrogate pair has no UTF-8 form",
  duplicate_key: "this key appears twice in the same object",
  unsafe_integer: "an integer beyond 2^53-1 is not exact everywhere; write it as a string",
  number_overflow: "this number is too large for a double",
  nested_too_deep: `nested deeper than ${LIMITS.documentDepth} levels`,
};
