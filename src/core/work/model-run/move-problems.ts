import type { WorkItem, KeyPath } from "#model";
import type { Reason } from "../problems.ts";

type Company = {
  readonly path: KeyPath;
  /** The tool that was called, and its arguments. */
  readonly name: string;
  readonly keys: readonly string[];
  readonly files: WorkItem["files"];
};

/** One thing that is wrong with a call, as a sentence for the model: the field, and what is expected there. */
export function problemSentence({ code, expected, nearest }: Reason, { path, name, keys, files }: Company): string {
  const field = path.length === 0 ? "The answer" : `\`${path.join(".")}\``;
  switch (code) {
    case "missing_key":
      return `${field} is missing: it must be ${expected}.`;
    case "wrong_value":
      return `${field} must be ${expected}.`;
    case "unsafe_text":
      return `${field} must be ${expected}, without control, invisible or direction-changing characters.`;
    case "unknown_key":
      return `${field} is not known: ${name} takes ${keys.join(", ")}${nearest == null ? "" : `; did you mean ${nearest}`}.`;
    case "step_path_refused":
      return `${field} must be a relative path without .. and backslashes${placesWords(files)}.`;
    case "path_refused":
      return `${field} must be a relative path inside the workspace, without .. and backslashes.`;
    default:
      return `${field} does not fit here${expected == null ? "" : `: it must be ${expected}`}.`;
  }
}

function placesWords({ read, write }: WorkItem["files"]): string {
  if (read.length + write.length === 0) return "; the plan grants no place outside of the workspace";
  const readable = read.length === 0 ? [] : [`may only be read: ${read.join(", ")}`];
  const writable = write.length === 0 ? [] : [`may be changed: ${write.join(", ")}`];
  return `, or lie in a place that the plan grants (${[...readable, ...writable].join("; ")})`;
}
