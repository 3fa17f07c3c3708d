import type { LoadedPlan } from "./load-plan.ts";

/** Gives back the plan that was kept, once; null where it has to be read afresh. */
type Take = () => LoadedPlan | null;

/**
 * Plans of what waits for its turn, as they were read to find its place in line: parsing them again when it has its turn
 * would be half the cost of taking up many runs. Those whose texts no longer fit together with the others are read afresh.
 */
export function createPlansInLine(charsMax: number): { keep(loaded: LoadedPlan | null): Take } {
  let keptChars = 0;
  return {
    keep(loaded) {
      const chars = (loaded?.read?.markdown.length ?? 0) + (loaded?.read?.projection.length ?? 0);
      if (chars === 0 || keptChars + chars > charsMax) return NOTHING;
      keptChars += chars;
      return () => {
        keptChars -= chars;
        return loaded;
      };
    },
  };
}

/** Not made where plans are kept: a function from there would hold on to the plan it does not give. */
const NOTHING: Take = () => null;
