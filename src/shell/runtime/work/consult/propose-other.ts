import { ok, type Result } from "#base";
import {
  carriesPlan,
  planProposalText,
  wordsFor,
  type Consultation,
  type ConsultFailure,
  type StoreFault,
} from "#model";
import { readAnswer } from "#turn";
import { isRevised, renderRevision } from "#work";
import { projectProposal } from "../../approvals/project-plan.ts";
import type { ConsultDeps } from "./deps.ts";
import type { FailedPlan } from "./load-failed.ts";
import { throughGates } from "./shown.ts";

type Answered = {
  readonly consultation: Consultation;
  readonly failed: FailedPlan;
  /** `replayed`: this may have been done before, and Silas was stopped in between. */
  readonly how: "fresh" | "replayed";
};
/** A request that waits for the owner, or why there is none. */
type Other =
  | { readonly failure: null; readonly requestId: string }
  | { readonly failure: ConsultFailure; readonly refused: string | null };

/**
 * Asks the owner about the other way by the way of any plan: it is read, weighed and shown, with what it takes the place
 * of, and nothing of it runs before it is signed. [CONSULT-06] [CONSULT-08]
 */
export async function proposeOther(deps: ConsultDeps, answered: Answered): Promise<Result<Other, StoreFault>> {
  const { consultation, failed, how } = answered;
  const response = readAnswer(consultation.answer ?? "");
  if (!response.ok) return none("model_unreadable");
  const action = response.value.plan_action ?? null;
  if (action === null || !carriesPlan(action)) return none("no_other_way");
  const different = await throughGates(deps, response.value);
  if (different === null) return none("answer_held_back");
  const plan = action.plan_markdown;
  // Several parts in one text would bring terms of their own along; an answer has one plan and no terms.
  if (!plan.startsWith("---")) return none("plan_not_asked", "it does not begin with front matter");
  const links = linksOf(failed);
  const alone = planProposalText({ plan, tasks: [], standing: null, ...links });
  const read = projectProposal({ readYaml: deps.readYaml, text: alone, at: deps.clock.now(), standingUsesMax: 0 });
  // What cannot be read is refused, with its words, by whoever is asked next.
  if (read.ok && !isRevised(failed.item, read.value.item)) return none("not_revised");
  const told = renderRevision({ plan, ...failed, different });
  const text = planProposalText({ plan: told, tasks: [], standing: null, replaces: failed.run.runId, ...links });
  if (how === "replayed") {
    const known = await deps.proposals.all();
    if (!known.ok) return known;
    const since = consultation.beganAt;
    const same = known.value.findLast(({ markdown, createdAt }) => markdown === text && createdAt >= since);
    if (same !== undefined) return ok({ failure: null, requestId: same.requestId });
  }
  const asked = await deps.proposals.propose(text, { kind: "model", taint: consultation.taint ?? "external" });
  if (asked.ok) return ok({ failure: null, requestId: asked.value.request.requestId });
  return "retryable" in asked.error ? { ok: false, error: asked.error } : none("plan_not_asked", wordsFor(asked.error));
}

const none = (failure: ConsultFailure, refused: string | null = null): Result<Other, never> => ok({ failure, refused });

/** It goes on with what the failed plan went on with. */
const linksOf = ({ item: { followUpOf } }: FailedPlan) => (followUpOf === null ? {} : { continues: followUpOf });
