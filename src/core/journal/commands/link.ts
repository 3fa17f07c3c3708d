import { err, ok, type Result } from "#base";
import type { CommandOf, JournalError, RecordId } from "#model";
import { idsRead, type HandlersOf } from "../command-handler.ts";
import type { Draft } from "../draft.ts";

export const linkHandlers: HandlersOf<"link.add" | "link.remove"> = {
  "link.add": {
    reads: ({ fromId, toId }) => [idsRead(fromId, toId), { kind: "links", id: fromId }],
    decide: addLink,
  },
  "link.remove": {
    reads: ({ id }) => [idsRead(id)],
    decide({ id }, draft) {
      const link = draft.find("link", id);
      if (!link.ok) return link;
      draft.remove(link.value);
      return ok({ subjectId: id });
    },
  },
};

function addLink({ fromId, toId, relation }: CommandOf<"link.add">, draft: Draft) {
  if (fromId === toId) return err({ code: "link_to_itself" });
  for (const id of [fromId, toId]) {
    const end = checkEnd(draft, id);
    if (!end.ok) return end;
  }
  const known = draft
    .list("link")
    .find(({ body }) => body.fromId === fromId && body.toId === toId && body.relation === relation);
  return ok({ subjectId: known?.id ?? draft.create("link", { fromId, toId, relation }) });
}

// Anything can be linked, so there is no kind to name: what is missing is called by the most likely one.
function checkEnd(draft: Draft, id: RecordId): Result<void, JournalError> {
  const record = draft.facts.records.get(id);
  const isLive = record !== undefined && record.deletedAt === null;
  return isLive ? ok() : err({ code: "not_found", what: record?.kind ?? "entry", id });
}
