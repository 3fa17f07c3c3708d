import { createReader, DONE, UNUSED, type LeasedMessage, type Outcome, type Reader } from "#engine";
import type { ConsultDeps } from "./deps.ts";
import { fail } from "./fail.ts";
import { runConsult } from "./run-consult.ts";

/** Handles questions to the planner: the only way to ask it about a run. */
export const createPlannerReader = (deps: ConsultDeps): Reader =>
  createReader(deps, {
    name: "main/planner",
    kinds: ["consult_planner", "replan_request"],
    // Advice takes long, and a run that is cancelled while its question waits is not asked about.
    atOnce: 1,
    handle: (leased, lost) => handle(deps, leased, lost),
    endDead: () => endDead(deps),
    halt: deps.halting.halt,
  });

async function handle(deps: ConsultDeps, { message }: LeasedMessage, lost: AbortSignal): Promise<Outcome> {
  if (message.kind !== "consult_planner" && message.kind !== "replan_request")
    return { how: "hopeless", reason: "not_understood" };
  const { consultationId } = message.payload;
  lost.addEventListener("abort", () => deps.halting.leave(consultationId));
  const went = await runConsult(deps, consultationId).catch((cause: unknown) => {
    deps.log.error("consult_failed", { consultation_id: consultationId, cause });
    // Its records say how far it came, and so how it ends.
    return lost.aborted ? "later" : runConsult(deps, consultationId);
  });
  if (went === "over") return DONE;
  return went === "later" ? UNUSED : { how: "failed", reason: "handling_failed" };
}

/** A consultation whose message is dead is not left waiting, also where nobody can read the message. [CONSULT-11] */
async function endDead(deps: ConsultDeps): Promise<void> {
  for (const { id } of deps.queue.dead()) {
    // A consultation has the id of its message.
    const found = await deps.consults.find(id);
    if (!found.ok || found.value === null || found.value.endedAt !== null) continue;
    await fail(deps, { consultation: found.value, failure: "consult_given_up" });
  }
}
