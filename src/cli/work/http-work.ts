import { assert, ok, type Result } from "#base";
import { runRecordSchema, workDetailFromWire, workSummaryFromWire } from "#model";
import type { WorkDoor } from "#ports";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { createHttpBatches } from "../batches/http-batches.ts";
import { createHttpGoals } from "../goals/http-goals.ts";
import { resultOf } from "../client/http-door.ts";
import { createHttpDoubts } from "./http-doubts.ts";

/** The runs of a running instance: the same door as the local one. */
export function createHttpWork(address: InstanceAddress): WorkDoor {
  const call = async <E>(made: HttpCall): Promise<Result<unknown, E>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  return {
    batches: createHttpBatches(address),
    goals: createHttpGoals(address),
    doubts: createHttpDoubts(address),
    list: async () => {
      const listed = await call<never>({ method: "GET", path: "/api/work" });
      if (!listed.ok) return listed;
      return ok(
        (listed.value as { readonly runs: readonly unknown[] }).runs.map((body) => whole(workSummaryFromWire(body))),
      );
    },
    show: async (runId) => {
      const shown = await call<never>({ method: "GET", path: `/api/work/${encodeURIComponent(runId)}` });
      return shown.ok ? ok(whole(workDetailFromWire(shown.value))) : shown;
    },
    cancel: async (runId) => {
      const path = `/api/work/${encodeURIComponent(runId)}/cancel`;
      const ended = await call<never>({ method: "POST", path, body: "{}" });
      if (!ended.ok) return ended;
      return ok(whole(runRecordSchema.safeParse((ended.value as { readonly run: unknown }).run).data ?? null));
    },
  };
}

function whole<T>(value: T | null): T {
  assert(value !== null, "the running Silas answers with runs that are whole");
  return value;
}
