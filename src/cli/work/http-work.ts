import { assert, ok, type Result } from "#base";
import { runRecordSchema, stoppedSchema, workDetailFromWire, workSummaryFromWire, type Stopped } from "#model";
import type { WorkDoor } from "#ports";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { createHttpBatches } from "../batches/http-batches.ts";
import { createHttpAutonomy } from "../autonomy/http-autonomy.ts";
import { createHttpGoals } from "../goals/http-goals.ts";
import { resultOf } from "../client/http-door.ts";
import { createHttpSuggestions } from "../suggestions/http-suggestions.ts";
import { createHttpTimers } from "../timers/http-timers.ts";
import { createHttpDoubts } from "./http-doubts.ts";

/** The runs of a running instance: the same door as the local one. */
export function createHttpWork(address: InstanceAddress): WorkDoor {
  const call = async <E>(made: HttpCall): Promise<Result<unknown, E>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  const steer = async (runId: string, verb: "cancel" | "pause" | "resume") => {
    const path = `/api/work/${encodeURIComponent(runId)}/${verb}`;
    const steered = await call<never>({ method: "POST", path, body: "{}" });
    if (!steered.ok) return steered;
    return ok(whole(runRecordSchema.safeParse((steered.value as { readonly run: unknown }).run).data ?? null));
  };
  return {
    batches: createHttpBatches(address),
    goals: createHttpGoals(address),
    timers: createHttpTimers(address),
    autonomy: createHttpAutonomy(address),
    doubts: createHttpDoubts(address),
    suggestions: createHttpSuggestions(address),
    list: async ({ status, idPart } = {}) => {
      const query = new URLSearchParams();
      if (status !== undefined) query.set("status", status);
      if (idPart !== undefined) query.set("id", idPart);
      const listed = await call<never>({ method: "GET", path: query.size === 0 ? "/api/work" : `/api/work?${query}` });
      if (!listed.ok) return listed;
      return ok(
        (listed.value as { readonly runs: readonly unknown[] }).runs.map((body) => whole(workSummaryFromWire(body))),
      );
    },
    show: async (runId) => {
      const shown = await call<never>({ method: "GET", path: `/api/work/${encodeURIComponent(runId)}` });
      return shown.ok ? ok(whole(workDetailFromWire(shown.value))) : shown;
    },
    cancel: (runId) => steer(runId, "cancel"),
    pause: (runId) => steer(runId, "pause"),
    resume: (runId) => steer(runId, "resume"),
    stops: {
      current: async () => {
        const listed = await call<never>({ method: "GET", path: "/api/work" });
        return listed.ok ? ok(stoppedIn(listed.value)) : listed;
      },
      stop: async () => {
        const stopped = await call<never>({ method: "POST", path: "/api/stop", body: "{}" });
        if (!stopped.ok) return stopped;
        const { ended, recorded } = stopped.value as { readonly ended: number; readonly recorded: boolean };
        return ok({ stopped: whole(stoppedIn(stopped.value)), ended, recorded });
      },
      startAgain: async () => {
        const again = await call<never>({ method: "POST", path: "/api/start-again", body: "{}" });
        return again.ok ? ok((again.value as { readonly was_stopped: boolean }).was_stopped) : again;
      },
    },
  };
}

const stoppedIn = (body: unknown): Stopped | null =>
  stoppedSchema.safeParse((body as { readonly stopped: unknown }).stopped).data ?? null;

function whole<T>(value: T | null): T {
  assert(value !== null, "the running Silas answers with runs that are whole");
  return value;
}
