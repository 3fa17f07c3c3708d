import { err, ok, type Result } from "#base";
import type { JournalError, JournalRecord, RecordId } from "#model";
import { idsRead, type HandlersOf } from "../command-handler.ts";
import type { Draft } from "../draft.ts";
import { byOrder, gapAfter, orderInGap, readsPastTie } from "../order.ts";
import { givenOf } from "../same-value.ts";

type CategoryKinds =
  | "category.create"
  | "category.update"
  | "category.move"
  | "category.archive"
  | "category.unarchive";

export const categoryHandlers: HandlersOf<CategoryKinds> = {
  "category.create": {
    reads: () => [{ kind: "all", of: "category" }],
    decide({ name, colour }, draft) {
      const free = checkNameFree(draft, { what: "category", name });
      return free.ok ? created(createCategory(draft, { name, colour })) : free;
    },
  },
  "category.update": {
    reads: ({ id }) => [idsRead(id), { kind: "all", of: "category" }],
    decide({ id, set }, draft) {
      const category = draft.find("category", id);
      if (!category.ok) return category;
      const free = set.name === undefined ? ok() : checkNameFree(draft, { what: "category", name: set.name, self: id });
      if (!free.ok) return free;
      draft.change(category.value, givenOf(set));
      return ok({ subjectId: id });
    },
  },
  "category.move": {
    reads: ({ id, after }) => [
      idsRead(id, after),
      { kind: "place", of: "category", at: after === null ? "first" : { after } },
    ],
    furtherReads: ({ after }, facts) => readsPastTie({ of: "category", after }, facts),
    decide: ({ id, after }, draft) => moveInList(draft, { kind: "category", id, after }),
  },
  "category.archive": {
    reads: ({ id }) => [idsRead(id)],
    decide({ id }, draft) {
      const category = draft.find("category", id);
      if (!category.ok) return category;
      if (category.value.body.archivedAt === null) draft.change(category.value, { archivedAt: draft.at });
      return ok({ subjectId: id });
    },
  },
  "category.unarchive": {
    reads: ({ id }) => [idsRead(id)],
    decide({ id }, draft) {
      const category = draft.find("category", id);
      if (!category.ok) return category;
      draft.change(category.value, { archivedAt: null });
      return ok({ subjectId: id });
    },
  },
};

export const labelHandlers: HandlersOf<"label.create" | "label.update" | "label.delete"> = {
  "label.create": {
    reads: () => [{ kind: "all", of: "label" }],
    decide({ name }, draft) {
      const free = checkNameFree(draft, { what: "label", name });
      return free.ok ? created(ok(draft.create("label", { name }))) : free;
    },
  },
  "label.update": {
    reads: ({ id }) => [idsRead(id), { kind: "all", of: "label" }],
    decide({ id, name }, draft) {
      const label = draft.find("label", id);
      if (!label.ok) return label;
      const free = checkNameFree(draft, { what: "label", name, self: id });
      if (!free.ok) return free;
      draft.change(label.value, { name });
      return ok({ subjectId: id });
    },
  },
  // Tasks keep the id of a deleted label, which shows nothing: undoing the deletion brings it back on all of them.
  "label.delete": {
    reads: ({ id }) => [idsRead(id)],
    decide({ id }, draft) {
      const label = draft.find("label", id);
      if (!label.ok) return label;
      draft.remove(label.value);
      return ok({ subjectId: id });
    },
  },
};

/** Puts a task or category right after another, or first. Already being there is no change. */
export function moveInList(
  draft: Draft,
  { kind, id, after }: { readonly kind: "task" | "category"; readonly id: RecordId; readonly after: RecordId | null },
): Result<{ readonly subjectId: RecordId }, JournalError> {
  const moved = draft.find(kind, id);
  if (!moved.ok) return moved;
  if (after === id) return ok({ subjectId: id });
  const before = after === null ? ok(undefined) : draft.find(kind, after);
  if (!before.ok) return before;
  const gap = gapAfter(before.value, draft.list(kind));
  if (gap.after?.id === id) return ok({ subjectId: id });
  const order = orderInGap(gap);
  if (!order.ok) return order;
  draft.change<"task" | "category">(moved.value, { order: order.value });
  return ok({ subjectId: id });
}

type Choice = { readonly id: RecordId | null | undefined; readonly name: string | undefined };

/** The category a new or moved task goes to; one known only by name is made when it is missing. */
export function resolveCategory(draft: Draft, { id, name }: Choice): Result<RecordId | null, JournalError> {
  if (id !== undefined && id !== null) return openCategory(draft, id);
  if (name === undefined) return ok(null);
  const known = findByName(draft.list("category"), name);
  return known === undefined ? createCategory(draft, { name }) : openCategory(draft, known.id);
}

/** Label ids without duplicates, missing names created, and no id of a label that does not exist. [JOURNAL-08] */
export function resolveLabels(
  draft: Draft,
  { ids, names }: { readonly ids: readonly RecordId[]; readonly names: readonly string[] },
): Result<readonly RecordId[], JournalError> {
  const resolved = new Set<RecordId>();
  for (const id of ids) {
    const label = draft.find("label", id);
    if (!label.ok) return label;
    resolved.add(id);
  }
  const made = new Map<string, RecordId>();
  for (const name of names) {
    const key = nameKey(name);
    const id = findByName(draft.list("label"), name)?.id ?? made.get(key) ?? draft.create("label", { name });
    made.set(key, id);
    resolved.add(id);
  }
  return ok([...resolved]);
}

/** Names are the same for people when they differ only in case, composition or outer spaces. */
export function nameKey(name: string): string {
  return name.normalize("NFC").trim().toLowerCase();
}

type NameCheck = { readonly what: "category" | "label"; readonly name: string; readonly self?: RecordId };

function checkNameFree(draft: Draft, { what, name, self }: NameCheck): Result<void, JournalError> {
  const taken = draft.list(what).some((other) => other.id !== self && nameKey(other.body.name) === nameKey(name));
  return taken ? err({ code: "name_taken", what, name }) : ok();
}

function openCategory(draft: Draft, id: RecordId): Result<RecordId, JournalError> {
  const category = draft.find("category", id);
  if (!category.ok) return category;
  return category.value.body.archivedAt === null ? ok(id) : err({ code: "category_archived", id });
}

const COLOURS = 12;

function createCategory(
  draft: Draft,
  { name, colour }: { readonly name: string; readonly colour?: number | undefined },
): Result<RecordId, JournalError> {
  const siblings = draft.list("category");
  const order = orderInGap({ before: siblings.toSorted(byOrder).at(-1), after: undefined });
  if (!order.ok) return order;
  const body = { name, colour: colour ?? siblings.length % COLOURS, order: order.value, archivedAt: null };
  return ok(draft.create("category", body));
}

function findByName<R extends JournalRecord & { readonly body: { readonly name: string } }>(
  records: readonly R[],
  name: string,
): R | undefined {
  return records.find((record) => nameKey(record.body.name) === nameKey(name));
}

function created(id: Result<RecordId, JournalError>) {
  return id.ok ? ok({ subjectId: id.value }) : id;
}
