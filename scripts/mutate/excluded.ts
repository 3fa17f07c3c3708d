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
];
