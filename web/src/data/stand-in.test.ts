import { describe, expect, test } from "vitest";
import type { JournalCommand, OperationId, RecordId } from "#model";
import { isPendingId, mentions, standInOf, withRealIds } from "./stand-in.ts";

const standIn = standInOf("op-1" as OperationId);
const real = "task-1" as RecordId;
const known = new Map([[standIn, real]]);
const update = (title: string, id: RecordId = standIn): JournalCommand => ({ kind: "task.update", id, set: { title } });

describe("records that wait to be made", () => {
  test("a later write speaks of the real record once there is one", () => {
    expect(withRealIds(update("A"), known)).toEqual(update("A", real));
    expect(
      withRealIds({ kind: "plan.unpin", planDate: "2026-11-15" as never, taskIds: [standIn] }, known),
    ).toMatchObject({
      taskIds: [real],
    });
  });

  test("nothing else is touched: other names, other writes, and texts that look like a name", () => {
    const other = update("A", standInOf("op-2" as OperationId));
    expect(withRealIds(other, known)).toEqual(other);
    expect(withRealIds(update(standIn), known)).toEqual(update(standIn, real));
    expect(withRealIds(update("B", real), known)).toEqual(update("B", real));
  });

  test("a write is known to hang on another one only by its name", () => {
    expect(isPendingId(standIn) && !isPendingId(real)).toBe(true);
    expect(mentions(update("A"), standIn)).toBe(true);
    expect(mentions(update(`about "${standIn}"`, real), standIn)).toBe(false);
    expect(mentions(update("A", real), standIn)).toBe(false);
  });
});
