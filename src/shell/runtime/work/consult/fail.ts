import type { Consultation, ConsultFailure, ConsultRefusal, StoreFault } from "#model";
import type { AdviceDeps } from "./look-for-advice.ts";

/** `later`: nothing was done that cannot be done again, and it is not the fault of the question. */
export type Went = "over" | "later" | "broken";

export const faulty = ({ retryable }: StoreFault): Went => (retryable ? "later" : "broken");

type Failing = { readonly consultation: Consultation; readonly failure: ConsultFailure };

/** Nothing came of it, and the reason is kept for the owner to see. */
export async function fail(deps: AdviceDeps, { consultation, failure }: Failing): Promise<Went> {
  const found = await deps.consults.find(consultation.consultationId);
  if (!found.ok) return faulty(found.error);
  const at = deps.clock.now();
  const failed: Consultation = { ...consultation, state: "failed", answer: null, failure, endedAt: at };
  const moved = await deps.consults.move({ from: found.value?.state ?? "waiting", consultation: failed, at });
  deps.onChanged();
  return !moved.ok && "retryable" in moved.error ? faulty(moved.error) : "over";
}

type NotAsked = { readonly consultation: Consultation; readonly error: ConsultRefusal | StoreFault };

/** That the model is asked could not be kept, and so it is not asked. */
export async function notAsked(deps: AdviceDeps, { consultation, error }: NotAsked): Promise<Went> {
  if ("retryable" in error) return faulty(error);
  return error.code === "approval_lapsed" ? fail(deps, { consultation, failure: "approval_lapsed" }) : "over";
}
