import { err, LIMITS, ok, type Result } from "#base";
import type { PlanProblem } from "#work";
import type { InputErrorCode } from "../canonical/bytes.ts";

/** Why a file never reached the parser. */
export type FileProblem = Omit<PlanProblem, "code"> & { readonly code: FileProblemCode };
export type FileProblemCode =
  | "file_missing"
  | "file_unreadable"
  | "not_a_file"
  | "not_permitted"
  | "plan_too_large"
  | "not_utf8";

type ReadInput = (
  source: string,
  limits: { readonly bytesMax: number },
) => Promise<Result<Uint8Array, { readonly code: InputErrorCode }>>;

/** The text of a plan file or of standard input, whole or not at all. A byte order mark stays, to be refused. */
export async function readPlanFile(source: string, read: ReadInput): Promise<Result<string, readonly [FileProblem]>> {
  const bytes = await read(source, { bytesMax: LIMITS.planBytes });
  if (!bytes.ok) return err([problemOf(FILE_CODES[bytes.error.code], { line: 1, column: 1 })]);
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.value));
  } catch {
    return err([problemOf("not_utf8", placeOfBadByte(bytes.value))]);
  }
}

const FILE_CODES: Readonly<Record<InputErrorCode, FileProblemCode>> = {
  not_found: "file_missing",
  not_a_file: "not_a_file",
  not_permitted: "not_permitted",
  too_large: "plan_too_large",
  unreadable: "file_unreadable",
};

type Place = { readonly line: number; readonly column: number };

function placeOfBadByte(bytes: Uint8Array): Place {
  const lenient = new TextEncoder().encode(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  const at = bytes.findIndex((byte, index) => byte !== lenient[index]);
  const lines = new TextDecoder().decode(bytes.subarray(0, at)).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function problemOf(code: FileProblemCode, place: Place): FileProblem {
  return { code, ...place, key: null, expected: null, nearest: null, found: [] };
}
