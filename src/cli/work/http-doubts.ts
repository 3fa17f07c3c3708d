import { assert, ok, type Result } from "#base";
import { doubtSchema, runSettlementSchema } from "#model";
import type { DoubtsDoor } from "#ports";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** The runs in doubt of a running instance: the same door as the local one. */
export function createHttpDoubts(address: InstanceAddress): DoubtsDoor {
  const call = async <E>(made: HttpCall): Promise<Result<unknown, E>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  return {
    list: async () => {
      const listed = await call<never>({ method: "GET", path: "/api/work/doubts" });
      if (!listed.ok) return listed;
      return ok(
        (listed.value as { readonly doubts: readonly unknown[] }).doubts.map((body) => doubtSchema.parse(body)),
      );
    },
    settle: async (runId, { choice }) => {
      const path = `/api/work/${encodeURIComponent(runId)}/settle`;
      const settled = await call<never>({ method: "POST", path, body: JSON.stringify({ choice }) });
      if (!settled.ok) return settled;
      const read = runSettlementSchema.safeParse((settled.value as { readonly settlement: unknown }).settlement);
      assert(read.success, "the running Silas answers with a whole decision");
      return ok(read.data);
    },
  };
}
