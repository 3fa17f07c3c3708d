import { describe, expect, test } from "vitest";
import type { RecordId } from "#model";
import { CommandFailure, EXIT } from "../terminal/failure.ts";
import { resolveAmong, shortId } from "./ids.ts";

const A = "019a8c00-0000-7000-8000-00000012ab34" as RecordId;
const B = "019a8c00-0000-7000-8000-00000012ab35" as RecordId;
const C = "019b0000-0000-7000-8000-0000ffffab34" as RecordId;

const D = "Imported:Ab34" as RecordId;
const stored = [
  { id: A, title: "first" },
  { id: B, title: "second\u001b[2J" },
  { id: C, title: "third" },
  { id: D, title: "fourth" },
  { id: "gone-1234" as RecordId, title: "fifth", deleted: true },
];
const find = (fragment: string) =>
  resolveAmong(fragment, { noun: "task", list: "silas tasks list", candidates: stored });
const failureOf = async (fragment: string): Promise<CommandFailure> => {
  const thrown: unknown = await find(fragment).catch((error: unknown) => error);
  if (thrown instanceof CommandFailure) return thrown;
  throw new Error("expected a failure");
};

describe("naming a record", () => {
  test("by a unique end, a unique beginning, or the whole id", async () => {
    expect(shortId(A)).toBe("12ab34");
    expect(await find("12ab34")).toBe(A);
    expect(await find("12AB35")).toBe(B);
    expect(await find("019b")).toBe(C);
    expect(await find(B)).toBe(B);
    expect(await find("Ab34")).toBe(D);
  });

  test("an ambiguous end lists what it could mean, safely, and is wrong use", async () => {
    const failure = await failureOf("ab34");
    expect(failure.exit).toBe(EXIT.usage);
    expect(failure.words.what).toContain(`"ab34" fits 2 tasks`);
    expect(failure.words.what).toContain(A);
    expect((await failureOf("019a")).words.what).not.toContain("\u001b");
  });

  test("an unknown end fails and says where to look; row numbers are no names", async () => {
    const failure = await failureOf("nothere");
    expect(failure.exit).toBe(EXIT.failed);
    expect(failure.words.next).toContain("silas tasks list");
    expect((await failureOf("3")).exit).toBe(EXIT.usage);
    expect((await failureOf("no id at all")).words.what).toContain("There is no task");
    expect((await failureOf("9".repeat(500))).exit).toBe(EXIT.failed);
  });

  test("a deleted record is no answer, and the way back is said", async () => {
    const failure = await failureOf("1234");
    expect(failure.words.what).toContain("was deleted");
    expect(failure.words.next).toContain("silas undo --list");
  });
});
