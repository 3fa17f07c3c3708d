import type { FaultKind } from "./mutants.ts";

/** Faults that change nothing anyone could observe. `npm run mutate` prints each one that it leaves out. */
export const EXCLUDED: readonly {
  readonly path: string;
  readonly kind: FaultKind;
  readonly original: string;
  readonly reason: string;
}[] = [
  {
    path: "src/core/model/talk/model-place.ts",
    kind: "dropped guard",
    original: "if (scheme === undefined) return null;",
    reason: "an address without a scheme is refused at the end as well",
  },
  {
    path: "src/shell/sandbox/folder-use.ts",
    kind: "moved boundary",
    original: "gone >= bytesMax / 2",
    reason: "decides only when a folder is counted, never what is found",
  },
  {
    path: "src/shell/sandbox/folder-use.ts",
    kind: "moved boundary",
    original: "start.ffree - now.ffree >= ENTRIES_MAX / 2",
    reason: "decides only when a folder is counted, never what is found",
  },
  {
    path: "src/shell/sandbox/how-it-ended.ts",
    kind: "moved boundary",
    original: "code > 128",
    reason: "no signal has the number 0",
  },
  {
    path: "src/shell/runtime/batches/digests.ts",
    kind: "moved boundary",
    original: "known.size >= FILES_MOST",
    reason: "The cache holds one file more before it begins anew; every digest is the same.",
  },
  {
    path: "src/shell/runtime/gates/linear-patterns.ts",
    kind: "moved boundary",
    original: "kept.size >= PATTERNS_KEPT",
    reason: "The cache holds one pattern more before it begins anew; every answer is the same.",
  },
  {
    path: "src/shell/runtime/goals/create.ts",
    kind: "moved boundary",
    original: "known.size >= LIMITS.goalsMax",
    reason: "The cache holds one goal more before it begins anew; what was approved is never changed.",
  },
  {
    path: "src/shell/runtime/goals/load-goal.ts",
    kind: "moved boundary",
    original: "readBefore.size >= LIMITS.goalsMax",
    reason: "The cache holds one text more before it begins anew; a text always says the same.",
  },
  {
    path: "src/shell/runtime/goals/scheduler.ts",
    kind: "moved boundary",
    original: "kept.lastDue > at",
    reason: "The plan, which is asked next, waits in that moment as well; nothing but a read is spared.",
  },
  {
    path: "src/shell/runtime/journal-transfer.ts",
    kind: "moved boundary",
    original: "from < read.length",
    reason: "The part behind the last record is empty, and reading no records gives none.",
  },
  {
    path: "src/shell/runtime/secrets/secret-forms.ts",
    kind: "moved boundary",
    original: "entropyOf(text) >= 3.2",
    reason: "Logarithms of whole numbers add up to no text of exactly 3.2 bits.",
  },
  {
    path: "src/shell/runtime/secrets/secret-forms.ts",
    kind: "moved boundary",
    original: "at < text.length",
    reason: "The rest behind the last character is empty, and no key begins in it.",
  },
  {
    path: "src/shell/runtime/secrets/without-secrets.ts",
    kind: "moved boundary",
    original: "value.length < SHORTEST",
    reason: "No form of a credential fits into eight characters, so searching them finds nothing.",
  },
  {
    path: "src/shell/runtime/skills/check.ts",
    kind: "moved boundary",
    original: "from < text.length",
    reason: "The part behind the last character is empty, and no credential is found in it.",
  },
];
