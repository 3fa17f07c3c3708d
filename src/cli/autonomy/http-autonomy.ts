import { assert, ok, type Result } from "#base";
import { autonomyViewFromWire } from "#model";
import type { AutonomyDoor } from "#ports";
import { proposedOf, type ProposedBody } from "../approvals/http-approvals.ts";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** The limits of a running instance: the same door as the local one. */
export function createHttpAutonomy(address: InstanceAddress): AutonomyDoor {
  const call = async <T>(made: HttpCall): Promise<Result<T, never>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  const post = <T>(verb: string, value: object): Promise<Result<T, never>> =>
    call({ method: "POST", path: `/api/autonomy/${verb}`, body: JSON.stringify(value) });
  return {
    show: async () => {
      const shown = await call<unknown>({ method: "GET", path: "/api/autonomy" });
      if (!shown.ok) return shown;
      const view = autonomyViewFromWire(shown.value);
      assert(view !== null, "the running Silas answers with limits that are whole");
      return ok(view);
    },
    check: async () => {
      const checked = await post<{ readonly proposed: readonly ProposedBody[] }>("check", {});
      return checked.ok ? ok(checked.value.proposed.map(proposedOf)) : checked;
    },
    tighten: async ({ requestId }) => {
      const asked = await post<ProposedBody>("tighten", { request_id: requestId });
      return asked.ok ? ok(proposedOf(asked.value)) : asked;
    },
  };
}
