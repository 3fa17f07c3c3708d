import { ok } from "#base";
import { timerSchema, type StoreFault } from "#model";
import type { TimersDoor } from "#ports";
import { callInstance, readAnswer, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** The timers of a running instance: the same door as the local one. */
export function createHttpTimers(address: InstanceAddress): TimersDoor {
  return {
    async list() {
      const answer = await readAnswer(await callInstance(address, { method: "GET", path: "/api/timers" }));
      const listed = resultOf<unknown, StoreFault>(answer);
      if (!listed.ok) return listed;
      const { timers } = listed.value as { readonly timers: readonly unknown[] };
      return ok(timers.map((body) => timerSchema.parse(body)));
    },
  };
}
