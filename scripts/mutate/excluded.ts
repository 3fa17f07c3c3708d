import type { FaultKind } from "./mutants.ts";

/** Faults that change nothing anyone could observe. `npm run mutate` prints each one that it leaves out. */
export const EXCLUDED: readonly {
  readonly path: string;
  readonly kind: FaultKind;
  readonly original: string;
  readonly reason: string;
}[] = [];
