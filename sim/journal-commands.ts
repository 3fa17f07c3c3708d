import { addDays, type Instant, type LocalDate } from "#base";
import type { JournalCommand, JournalRecord, OperationId, RecordId, RecordKind } from "#model";
import type { Seeded } from "./seeded.ts";

type Situation = {
  readonly seeded: Seeded;
  readonly at: Instant;
  readonly records: readonly JournalRecord[];
  readonly applied: readonly OperationId[];
};

const WORDS = ["call", "Ana", "milk", "Zürich", "report", "💥", "\u202Eevil", "a | b", '"quoted"', "日本"];

type Maker = (situation: Situation) => JournalCommand | null;

/** Commands people give, in random order and on random targets; some will be refused, as in life. */
const MAKERS: readonly Maker[] = [
  ({ seeded }) => ({ kind: "task.create", title: words(seeded), items: [words(seeded), words(seeded)] }),
  ({ seeded }) => ({ kind: "task.create", title: words(seeded), categoryName: "Home", labelNames: ["quick"] }),
  ({ seeded, at }) => ({
    kind: "task.create",
    title: words(seeded),
    dueDate: dateIn(at, seeded.below(9)),
    repeat: { every: 1, unit: "week", weekdays: [], from: "due" },
  }),
  on("task", ({ id, seeded }) => ({ kind: "task.update", id, set: { title: words(seeded), notes: words(seeded) } })),
  on("task", ({ id, seeded }) => ({ kind: "task.conclude", id, as: seeded.pick(["DONE", "DROPPED"] as const) })),
  on("task", ({ id }) => ({ kind: "task.reopen", id })),
  on("task", ({ id }) => ({ kind: "task.move", id, after: null })),
  on("task", ({ id }) => ({ kind: "task.archive", id })),
  on("task", ({ id, seeded }) => (seeded.below(3) === 0 ? { kind: "task.delete", id } : null)),
  on("task", ({ id, seeded }) => ({
    kind: "task.followUp",
    sourceTaskId: id,
    newTaskTitle: words(seeded),
    carryOverOpenChecklistItems: true,
    closeSourceTaskAs: "DONE",
    preserveCategoryAndLabels: true,
  })),
  on("task", ({ id, seeded }) => ({ kind: "checklist.create", taskId: id, title: "", items: [words(seeded)] })),
  on("checklist", ({ id, seeded }) => ({ kind: "item.add", checklistId: id, titles: [words(seeded)] })),
  on("checklistItem", ({ id }) => ({ kind: "item.update", items: [{ id, checked: true }] })),
  moveItem,
  on("task", ({ id, at }) => ({ kind: "timer.start", taskId: id, startedAt: at, description: "" })),
  ({ at }) => ({ kind: "timer.stop", endedAt: at }),
  ({ seeded, at }) => ({ kind: "entry.create", form: "text", occurredAt: at, text: words(seeded) }),
  on("task", ({ id, at }) => ({ kind: "plan.pin", planDate: dateIn(at, 0), taskIds: [id] })),
  on("task", ({ id, seeded }) => ({
    kind: "rating.set",
    targetType: "task",
    targetId: id,
    value: 1 + seeded.below(5),
    note: words(seeded),
  })),
  ({ seeded, applied }) => (applied.length === 0 ? null : { kind: "undo", operationId: seeded.pick(applied) }),
];

export function randomCommand(situation: Situation): JournalCommand {
  for (;;) {
    const command = situation.seeded.pick(MAKERS)(situation);
    if (command !== null) return command;
  }
}

type Target = Situation & { readonly id: RecordId };

function on(kind: RecordKind, make: (target: Target) => JournalCommand | null): Maker {
  return (situation) => {
    const targets = situation.records.filter((record) => record.kind === kind && record.deletedAt === null);
    return targets.length === 0 ? null : make({ ...situation, id: situation.seeded.pick(targets).id });
  };
}

function moveItem({ seeded, records }: Situation): JournalCommand | null {
  const live = records.filter((record) => record.deletedAt === null);
  const items = live.filter((record) => record.kind === "checklistItem");
  const lists = live.filter((record) => record.kind === "checklist");
  if (items.length === 0) return null;
  const item = seeded.pick(items);
  return {
    kind: "item.move",
    itemIds: [item.id],
    fromChecklistId: item.body.checklistId,
    toChecklistId: seeded.pick(lists).id,
    preserveCheckedState: true,
  };
}

const words = (seeded: Seeded): string => `${seeded.pick(WORDS)} ${seeded.pick(WORDS)} ${seeded.below(100)}`;
const dateIn = (at: Instant, days: number): LocalDate => addDays(at.slice(0, 10) as LocalDate, days);
