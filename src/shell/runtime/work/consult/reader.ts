import { consultedBy } from "#model";
import type { GivenBack, LeasedMessage } from "#ports";
import { UNUSED } from "../../bus/held-leases.ts";
import { createQueueReader, type QueueReader } from "../../bus/queue-reader.ts";
import type { ConsultDeps } from "./deps.ts";
import { fail, type Went } from "./fail.ts";
import { runConsult } from "./run-consult.ts";

/** Reads the queue of the planner: the only way to ask it about a run. */
export const createPlannerReader = (deps: ConsultDeps): QueueReader =>
  createQueueReader(deps, {
    name: "planner",
    queue: "planner_queue",
    act: (leased) => act(deps, leased),
    endDead: () => endDead(deps),
    halt: deps.halting.halt,
  });

async function act(deps: ConsultDeps, { message }: LeasedMessage): Promise<GivenBack | null> {
  const consultationId = consultedBy(message);
  if (consultationId === null) return { how: "hopeless", reason: "not_understood" };
  const went = await contained(deps, consultationId);
  if (went === "over") return null;
  return went === "later" ? UNUSED : { how: "failed", reason: "handling_failed" };
}

async function contained(deps: ConsultDeps, consultationId: string): Promise<Went> {
  try {
    return await runConsult(deps, consultationId);
  } catch (cause) {
    deps.log.error("consult_failed", { consultation_id: consultationId, cause });
    return "broken";
  }
}

/** What nobody is told of any more is not left as something that waits. [CONSULT-11] */
async function endDead(deps: ConsultDeps): Promise<void> {
  const dead = await deps.queue.deadLetters("planner_queue");
  if (!dead.ok) return deps.log.error("queue_unreadable", dead.error);
  for (const { message } of dead.value) {
    const consultationId = message === null ? null : consultedBy(message);
    const found = consultationId === null ? null : await deps.consults.find(consultationId);
    if (found === null || !found.ok || found.value === null || found.value.endedAt !== null) continue;
    await fail(deps, { consultation: found.value, failure: "consult_given_up" });
  }
}
