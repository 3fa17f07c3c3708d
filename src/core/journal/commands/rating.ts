import { err, LIMITS, ok, parseLocalDate, type Result } from "#base";
import { ratingId, type CommandOf, type JournalError, type RecordId } from "#model";
import { idsRead, type HandlersOf } from "../command-handler.ts";
import type { Draft } from "../draft.ts";

export const ratingHandlers: HandlersOf<"rating.set" | "rating.clear"> = {
  "rating.set": {
    reads: ({ targetType, targetId }) => [
      idsRead(ratingId(targetType, targetId), targetType === "day" ? null : targetId),
    ],
    decide: setRating,
  },
  "rating.clear": {
    reads: ({ targetType, targetId }) => [idsRead(ratingId(targetType, targetId))],
    decide({ targetType, targetId }, draft) {
      const rating = draft.find("rating", ratingId(targetType, targetId));
      if (!rating.ok) return rating.error.code === "not_found" ? ok({ subjectId: null }) : rating;
      draft.remove(rating.value);
      return ok({ subjectId: rating.value.id });
    },
  },
};

/** One rating per target: its id follows from the target, on every device. [JOURNAL-08] */
function setRating({ targetType, targetId, value, note }: CommandOf<"rating.set">, draft: Draft) {
  const body = { targetType, targetId, value, note };
  const id = ratingId(body.targetType, body.targetId);
  if (id.length > LIMITS.idChars) return err({ code: "limit_reached", limit: "idChars", max: LIMITS.idChars });
  const target = checkTarget(draft, body);
  if (!target.ok) return target;
  const other = draft.facts.records.get(id);
  if (other !== undefined && other.kind !== "rating") return err({ code: "wrong_kind", id, expected: "rating" });
  draft.put({ id, kind: "rating", body });
  return ok({ subjectId: id });
}

type Target = { readonly targetType: "day" | "task" | "timeEntry"; readonly targetId: RecordId };

// A day is rated by its date; no record of it has to exist.
function checkTarget(draft: Draft, { targetType, targetId }: Target): Result<void, JournalError> {
  if (targetType === "day") {
    return parseLocalDate(targetId).ok ? ok() : err({ code: "wrong_kind", id: targetId, expected: "dayPlan" });
  }
  const target = draft.find(targetType, targetId);
  return target.ok ? ok() : target;
}
