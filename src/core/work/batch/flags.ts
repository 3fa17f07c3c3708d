import { msOfInstant, type Instant } from "#base";
import type { FileFact } from "./tidy.ts";

/** What makes a file unusual, each by a pattern that gives the same answer for the same facts. */
export type FileFlag =
  | "hidden"
  | "executable"
  | "very_large"
  | "changed_recently"
  | "no_extension"
  | "unknown_kind"
  | "odd_characters"
  | "same_bytes"
  | "name_taken"
  | "medium_confidence"
  | "low_confidence";

export const FLAG_WORDS: { readonly [F in FileFlag]: string } = {
  hidden: "hidden by its name",
  executable: "a program",
  very_large: "very large",
  changed_recently: "changed within the last hour",
  no_extension: "its name has no ending",
  unknown_kind: "its ending is not known",
  odd_characters: "unusual characters in its name",
  same_bytes: "another file here has the same bytes",
  name_taken: "its name is taken there, so it would get another",
  medium_confidence: "not quite sure",
  low_confidence: "not sure",
};

const LARGE_BYTES = 1024 ** 3;
const RECENT_MS = 3_600_000;
const KNOWN_ENDING = /^[a-z0-9]{1,8}$/;

type Around = {
  readonly ending: string;
  readonly isKnown: boolean;
  /** Whether another file here has the same bytes. */
  readonly isTwin: boolean;
  readonly isTaken: boolean;
  readonly at: Instant;
};

export function flagsOf(file: FileFact, { ending, isKnown, isTwin, isTaken, at }: Around): readonly FileFlag[] {
  const found: readonly (readonly [FileFlag, boolean])[] = [
    ["hidden", file.name.startsWith(".")],
    ["executable", file.isExecutable],
    ["very_large", file.size >= LARGE_BYTES],
    ["changed_recently", msOfInstant(at) - msOfInstant(file.changedAt) < RECENT_MS],
    ["no_extension", ending === ""],
    ["unknown_kind", ending !== "" && (!isKnown || !KNOWN_ENDING.test(ending))],
    ["odd_characters", /[\\:*?"'<>|`$;&#%{}!]/.test(file.name) || /^[-~]/.test(file.name)],
    ["same_bytes", isTwin],
    ["name_taken", isTaken],
  ];
  return found.flatMap(([flag, holds]) => (holds ? [flag] : []));
}
