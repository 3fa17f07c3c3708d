import { describe, expect, test } from "vitest";
import type { MemoryItem } from "#model";
import { chooseRecalled, recallText } from "./recall.ts";

const item = (memoryId: string, over: Partial<MemoryItem> = {}): MemoryItem =>
  ({ memoryId, memoryType: "fact", trustLevel: "working", ...over }) as MemoryItem;

describe("what of the memories a turn is shown", () => {
  test("memories are looked for by the words that tell one from another", () => {
    expect(recallText("What is the name of my landlord?")).toBe("name landlord?");
    expect(recallText("Do you, please, have it?")).toBe("");
    expect(recallText("")).toBe("");
  });

  test("[PREF-06] a preference counts once it is verified, and a rule is not said twice", () => {
    const found = [
      item("a", { memoryType: "preference" }),
      item("b", { memoryType: "preference", trustLevel: "verified" }),
      item("c", { trustLevel: "constitutional" }),
      item("d"),
      item("e", { trustLevel: "verified" }),
    ];
    expect(chooseRecalled(found, 9).map(({ memoryId }) => memoryId)).toEqual(["b", "d", "e"]);
    expect(chooseRecalled(found, 2).map(({ memoryId }) => memoryId)).toEqual(["b", "d"]);
  });
});
