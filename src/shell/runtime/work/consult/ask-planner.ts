import { err, ok, type Result } from "#base";
import { asResult, converse, type ConversationOutcome } from "#engine";
import type { Consultation, ConsultRefusal, StoreFault } from "#model";
import type { Opening } from "#turn";
import { LEFT } from "../../talk/halting.ts";
import type { ConsultDeps } from "./deps.ts";
import { fail, faulty, notAsked, type Went } from "./fail.ts";

type Asking = { readonly consultation: Consultation; readonly opening: Opening };
export type PlannerAnswer = {
  /** As it is kept while it is asked, with what it came to. */
  readonly asked: Consultation;
  readonly end: Extract<ConversationOutcome, { readonly kind: "said" }>;
};

/** Holds the conversation of one consultation. Its record says that it is asked before anything leaves. */
export async function askPlanner(
  deps: ConsultDeps,
  { consultation, opening }: Asking,
): Promise<Result<PlannerAnswer, Went>> {
  const { consultationId } = consultation;
  const { tokensPerDay } = deps.settings;
  const halting = deps.halting.begin(consultationId);
  let asked = consultation;
  let refusal: ConsultRefusal | StoreFault | null = null;
  const outcome = await asResult(
    converse(deps, {
      opening,
      subject: { subjectId: consultationId, scopeId: "owner", messageId: null, tokensPerDay },
      signal: halting.signal,
      async onBegin({ tokens }) {
        const { taint } = opening;
        const at = deps.clock.now();
        asked = { ...consultation, state: "asking", askedAt: at, taint, tokensUsed: tokens };
        const moved = await deps.consults.move({ from: "waiting", consultation: asked, at });
        refusal = moved.ok ? null : moved.error;
        if (moved.ok) deps.onChanged();
        return moved.ok;
      },
    }),
  ).finally(halting.over);
  if (halting.signal.reason === LEFT) return err("later");
  if (!outcome.ok) return err(faulty(outcome.error));
  const { value: end } = outcome;
  if (end.kind === "not_begun")
    return err(refusal === null ? "over" : await notAsked(deps, { consultation, error: refusal }));
  asked = { ...asked, tokensUsed: end.tokens };
  if (end.kind === "failed") return err(await fail(deps, { consultation: asked, failure: end.failure }));
  return ok({ asked, end });
}
