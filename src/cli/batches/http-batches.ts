import { assert, ok, type Result } from "#base";
import { undoSchema } from "#model";
import type { BatchesDoor } from "#ports";
import { proposedOf, type ProposedBody } from "../approvals/http-approvals.ts";
import { callInstance, readAnswer, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** Looking at a folder reads every file in it once; a silent minute or two is no fault. */
const LOOK_MS = 300_000;

/** The batches of a running instance: the same door as the local one. */
export function createHttpBatches(address: InstanceAddress): BatchesDoor {
  const post = async <T>(path: string, value: object): Promise<Result<T, never>> => {
    const call = { method: "POST", path, body: JSON.stringify(value), silenceMs: LOOK_MS } as const;
    return resultOf(await readAnswer(await callInstance(address, call)));
  };
  return {
    tidy: async (folder) => {
      const tidied = await post<TidiedBody>("/api/batches/tidy", { folder });
      if (!tidied.ok) return tidied;
      const { asked, left_alone: leftAlone, ...counts } = tidied.value;
      return ok({ ...counts, leftAlone, asked: asked === null ? null : proposedOf(asked) });
    },
    next: async () => ok(),
    undo: async (runId) => {
      const undone = await post<{ readonly undo: unknown }>(ofRun(runId, "undo"), {});
      if (!undone.ok) return undone;
      const { data } = undoSchema.safeParse(undone.value.undo);
      assert(data !== undefined, "the running Silas answers with an undo that is whole");
      return ok(data);
    },
    proposeUndo: async (runId) => {
      const proposed = await post<ProposedBody>(ofRun(runId, "undo/propose"), {});
      return proposed.ok ? ok(proposedOf(proposed.value)) : proposed;
    },
  };
}

const ofRun = (runId: string, verb: string): string => `/api/work/${encodeURIComponent(runId)}/${verb}`;

// Our own server wrote this.
type TidiedBody = {
  readonly asked: ProposedBody | null;
  readonly candidates: number;
  readonly following: number;
  readonly left_alone: readonly { readonly name: string; readonly reason: string }[];
};
