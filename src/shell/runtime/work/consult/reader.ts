import { createReader, DONE, UNUSED, type DeadLetter, type LeasedMessage, type Outcome, type Reader } from "#engine";
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
    handle: (leased, lost) => {
      lost.addEventListener("abort", deps.halting.halt);
      return handle(deps, leased);
    },
    endDead: () => endDead(deps),
    halt: deps.halting.halt,
  });

async function handle(deps: ConsultDeps, { message }: LeasedMessage): Promise<Outcome> {
  const consultationId = consultationOf(message);
  if (consultationId === null) return { how: "hopeless", reason: "not_understood" };
  const went = await runConsult(deps, consultationId).catch((cause: unknown) => {
    deps.log.error("consult_failed", { consultation_id: consultationId, cause });
    // Its records say how far it came, and so how it ends.
    return runConsult(deps, consultationId);
  });
  if (went === "over") return DONE;
  return went === "later" ? UNUSED : { how: "failed", reason: "handling_failed" };
}

const consultationOf = (message: DeadLetter["message"]): string | null =>
  message?.kind === "consult_planner" || message?.kind === "replan_request" ? message.payload.consultationId : null;

/** A consultation whose message is dead is not left waiting. [CONSULT-11] */
async function endDead(deps: ConsultDeps): Promise<void> {
  for (const { message } of deps.queue.dead()) {
    const consultationId = consultationOf(message);
    const found = consultationId === null ? null : await deps.consults.find(consultationId);
    if (found === null || !found.ok || found.value === null || found.value.endedAt !== null) continue;
    await fail(deps, { consultation: found.value, failure: "consult_given_up" });
  }
}
