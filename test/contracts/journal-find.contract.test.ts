import { describe, expect, test } from "vitest";
import type { RecordKind } from "#model";
import { commitOf, must, openFile, openMemory, write, type OpenStore } from "./journal-fixture.ts";

const A = "019a8c00-0000-7000-8000-00000012ab34";
const B = "019a8c00-0000-7000-8000-00000012ab35";
const C = "019b0000-0000-7000-8000-0000ffffab34";

type Given = { readonly id: string; readonly kind?: "task" | "label"; readonly deleted?: boolean };

async function holding(openStore: OpenStore, given: readonly Given[]) {
  const store = await openStore();
  must(
    await store.commit(
      commitOf(
        "op1",
        given.map((one) => write({ ...one, kind: one.kind ?? "task" })),
      ),
    ),
  );
  return async (idPart: string, kinds?: readonly RecordKind[]) =>
    must(await store.answer({ kind: "find", idPart, ...(kinds === undefined ? {} : { kinds: [...kinds] }) }));
}

const ids = (found: readonly { readonly id: string }[]): readonly string[] => found.map(({ id }) => id);

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("finding by a part of an id (%s)", (_name, openStore) => {
  test("the end, the beginning and the whole of an id lead to its record, of any length", async () => {
    const find = await holding(openStore, [{ id: A }, { id: B }, { id: C }, { id: "plan-2026-11-15" }]);
    expect(await find("12ab34")).toEqual([{ id: A, kind: "task", title: "Call Ana", deleted: false }]);
    expect(ids(await find("ab34"))).toEqual([A, C]);
    expect(ids(await find("019a"))).toEqual([A, B]);
    expect(ids(await find("8000-00000012ab35"))).toEqual([B]);
    expect(ids(await find(C))).toEqual([C]);
    expect(ids(await find("2026-11-15"))).toEqual(["plan-2026-11-15"]);
    expect(ids(await find("0000"))).toEqual([]);
    expect(ids(await find(`x${A}`))).toEqual([]);
  });

  test("only the kinds asked for are found", async () => {
    const find = await holding(openStore, [{ id: "aaaa-1111" }, { id: "bbbb-1111", kind: "label" }]);
    expect(ids(await find("1111"))).toEqual(["aaaa-1111", "bbbb-1111"]);
    expect(ids(await find("1111", ["label", "link"]))).toEqual(["bbbb-1111"]);
    expect(ids(await find("1111", []))).toEqual([]);
  });

  test("a deleted record is found only where no other fits", async () => {
    const find = await holding(openStore, [{ id: "aaaa-1111", deleted: true }, { id: "bbbb-1111" }]);
    expect(ids(await find("1111"))).toEqual(["bbbb-1111"]);
    expect(await find("aaaa")).toMatchObject([{ id: "aaaa-1111", deleted: true }]);
  });

  test("there are at most ten, the whole id first", async () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ id: `${String(index).padStart(3, "0")}-same` }));
    const find = await holding(openStore, [...many, { id: "same" }]);
    const found = ids(await find("same"));
    expect(found).toEqual(["same", ...ids(many).slice(0, 9)]);
  });
});
