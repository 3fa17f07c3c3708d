import { err, isPathInside, ok, type Result } from "#base";
import type { Gate, GateContext } from "#model";
import type { ProviderAnswer } from "./answer.ts";
import { extractFor, shownValue } from "./guardrail.ts";

/** What the shell found at a path it was allowed to look at. `outside` is a path that left by way of a link. */
export type FileFact =
  | { readonly state: "file"; readonly sizeBytes: number }
  | { readonly state: "missing" | "outside" | "unreadable" };

/** The path a gate asks about. INVARIANT: nothing is looked at before this said yes. [PRED-09] */
export function pathToCheck(gate: Gate, context: GateContext): Result<string, ProviderAnswer> {
  const found = gate.extract === null ? null : extractFor(gate, context);
  if (found === null) return err({ ...BLOCK, code: "value_missing", reason: "There is no path to check" });
  const { value } = found;
  if (typeof value === "string" && isPathInside(value)) return ok(value);
  return err({ ...OUTSIDE, value: shownValue(value) });
}

export function judgeFile(
  gate: Gate,
  { path, fact }: { readonly path: string; readonly fact: FileFact },
): ProviderAnswer {
  switch (fact.state) {
    case "outside":
      return { ...OUTSIDE, value: path };
    case "missing":
      return { ...BLOCK, code: "file_missing", reason: "File not found", value: path };
    case "unreadable":
      return { ...BLOCK, code: "file_unreadable", reason: "The file could not be looked at", value: path };
    case "file":
      return judgeSize(gate, { path, sizeBytes: fact.sizeBytes });
  }
}

function judgeSize({ config }: Gate, { path, sizeBytes }: { readonly path: string; readonly sizeBytes: number }) {
  const max = Object.hasOwn(config, "max_size_bytes") ? config["max_size_bytes"] : null;
  if (max !== null && !isSize(max)) {
    return {
      ...BLOCK,
      code: "settings_malformed",
      reason: "config.max_size_bytes is not a size",
      value: path,
    } as const;
  }
  if (max !== null && sizeBytes > max) {
    return { ...BLOCK, code: "file_too_large", reason: `The file is larger than ${max} bytes`, value: path } as const;
  }
  return { action: "continue", code: "passed", reason: "The file is there", value: path } as const;
}

export function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

const BLOCK = { action: "block" } as const;
const OUTSIDE = { ...BLOCK, code: "path_outside", reason: "Path outside permitted directories" } as const;
