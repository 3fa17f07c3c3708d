import { isConsultOver, type AuditDraft, type ConsultChange, type Consultation } from "#model";

/** The audit entries of the store of consultations. */

const SYSTEM = { kind: "system" } as const;

/** That it begins; one that may not even be asked has ended at once. */
export const begunDrafts = (consultation: Consultation): readonly AuditDraft[] =>
  isConsultOver(consultation) ? endDrafts(consultation) : [requestedDraft(consultation)];

export const movedDrafts = ({ consultation }: ConsultChange): readonly AuditDraft[] =>
  isConsultOver(consultation) ? endDrafts(consultation) : [];

const namesOf = ({ runId, workItemId }: Consultation) => ({ run_id: runId, work_item_id: workItemId });

function requestedDraft(consultation: Consultation): AuditDraft {
  const { number, numberMax, beganAt } = consultation;
  const data = { ...namesOf(consultation), number, number_max: numberMax };
  const event = consultation.kind === "advice" ? "advice_requested" : "replan_requested";
  return { event, data, at: beganAt, actor: SYSTEM };
}

function endDrafts(consultation: Consultation): readonly AuditDraft[] {
  const { state, failure, requestId, beganAt, endedAt } = consultation;
  const said = { at: endedAt ?? beganAt, actor: SYSTEM };
  const names = namesOf(consultation);
  if (consultation.kind === "advice") return adviceDrafts(consultation, { names, said });
  if (state === "ended" && requestId !== null)
    return [{ event: "replan_proposed", data: { ...names, request_id: requestId }, ...said }];
  return failure === null ? [] : [{ event: "replan_failed", data: { ...names, reason: failure }, ...said }];
}

type Telling = {
  readonly names: ReturnType<typeof namesOf>;
  readonly said: Pick<AuditDraft, "at" | "actor">;
};

function adviceDrafts(
  { state, failure, number, numberMax }: Consultation,
  { names, said }: Telling,
): readonly AuditDraft[] {
  if (state === "ended") return [{ event: "advice_given", data: { ...names, number, number_max: numberMax }, ...said }];
  return failure === null ? [] : [{ event: "advice_failed", data: { ...names, reason: failure }, ...said }];
}

/** In the order in which they began: all advice comes before another way. */
export const inOrder = (all: readonly Consultation[]): readonly Consultation[] =>
  all.toSorted((a, b) => (a.kind === b.kind ? a.number - b.number : a.kind === "advice" ? -1 : 1));

/** With this change the model is asked. */
export const isAsked = ({ from, consultation }: ConsultChange): boolean =>
  from === "waiting" && consultation.state === "asking";

/** What has ended moves no further, and nobody moves it from where it is not. */
export const mayMove = (kept: Consultation, { from }: ConsultChange): boolean =>
  kept.state === from && !isConsultOver(kept);
