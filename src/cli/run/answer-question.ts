import type { RunQuestion, WorkDetail } from "#model";
import type { WorkDoor } from "#ports";
import { givenAnswer } from "../approvals/answer.ts";
import { confirmShown } from "../approvals/approve.ts";
import { askAnswer, questionIn } from "../approvals/ask-answer.ts";
import type { Approvals } from "../approvals/http-approvals.ts";
import { orFail } from "../approvals/open-approvals.ts";
import type { Call } from "../terminal/context.ts";

type Asking = { readonly approvals: Approvals; readonly work: WorkDoor; readonly call: Call<object> };

const TERMINAL = { kind: "terminal" } as const;

/** Whoever watches a run is asked what a gate of it asks, with the same care as anywhere; each question once. */
export function createAnswering({ approvals, work, call }: Asking): (detail: WorkDetail) => Promise<void> {
  const seen = new Set<string>();
  return async (detail) => {
    const question = await questionOf(work, detail);
    if (question === undefined || seen.has(question.requestId)) return;
    seen.add(question.requestId);
    const request = orFail(await approvals.show(question.requestId));
    if (request.state !== "pending") return;
    const asked = questionIn(request);
    if (asked !== null) {
      const { requestId } = request;
      const answer = await askAnswer(call.terminal, { requestId, question: asked });
      const given = await givenAnswer(call, { request, answer });
      return void orFail(await approvals.decide(given));
    }
    const confirmed = await confirmShown(call, request);
    orFail(
      await approvals.decide({ requestId: request.requestId, verdict: "approved", actor: TERMINAL, ...confirmed }),
    );
  };
}

/** Its own, or that of the task that runs if it is a project. */
async function questionOf(work: WorkDoor, { run, project }: WorkDetail): Promise<RunQuestion | undefined> {
  if (run.status === "waiting") return run.question;
  const waiting = project?.children.find(({ status }) => status === "waiting");
  return waiting === undefined ? undefined : orFail(await work.show(waiting.runId)).run.question;
}
