import { ok } from "#base";
import type { Stopped } from "#model";
import type { StopStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";

/** The in-memory twin of the stop store: the same behaviour in the plainest code. */
export function createMemoryStopStore({ recordAct }: { readonly recordAct: RecordAct }): StopStore {
  let standing: Stopped | null = null;
  return {
    current: async () => ok(standing),
    stop: async ({ at, actor }) => {
      if (standing === null) {
        standing = { at, by: actor.kind };
        recordAct({ event: "everything_stopped", data: {}, at, actor });
      }
      return ok(standing);
    },
    startAgain: async ({ at, actor }) => {
      if (standing === null) return ok(false);
      recordAct({ event: "started_again", data: { stopped_at: standing.at }, at, actor });
      standing = null;
      return ok(true);
    },
  };
}
