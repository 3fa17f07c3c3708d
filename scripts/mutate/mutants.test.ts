import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { filesWithErrors, roundsOf } from "./refused.ts";
import { EXCLUDED } from "./excluded.ts";
import { FAULT_KINDS, markPlaces, mutantsOf, pickMutants, plant, type FaultKind, type Mutant } from "./mutants.ts";
import { REACHED_MARKS } from "./reached.ts";

const plantedIn = (source: string): readonly (readonly [FaultKind, string])[] =>
  mutantsOf("file.ts", source).map((mutant) => [mutant.kind, plant(source, mutant)] as const);

describe("mutants", () => {
  test("a condition is negated, in a statement and in an expression", () => {
    expect(plantedIn("if (a && b) c = 1; else c = 2;")).toEqual([
      ["negated condition", "if (!(a && b)) c = 1; else c = 2;"],
    ]);
    expect(plantedIn("const x = a ? 1 : 2;")).toEqual([["negated condition", "const x = !(a) ? 1 : 2;"]]);
  });

  test("a guard is one way out and nothing else; it is dropped whole", () => {
    const dropped = (source: string): readonly string[] =>
      plantedIn(source).flatMap(([kind, text]) => (kind === "dropped guard" ? [text] : []));
    expect(dropped("function f() { if (a) return 1; return 2; }")).toEqual(["function f() { {} return 2; }"]);
    expect(dropped("function f() { if (a) { throw b; } return 2; }")).toEqual(["function f() { {} return 2; }"]);
    expect(dropped("function f() { if (a) return 1; else return 2; }")).toEqual([]);
    expect(dropped("function f() { if (a) b = 1; return 2; }")).toEqual([]);
  });

  test("a call that stands alone is dropped, awaited or not; an assertion stays", () => {
    expect(plantedIn("save(a);")).toEqual([["dropped call", "{}"]]);
    expect(plantedIn("await save(a);")).toEqual([
      ["dropped call", "{}"],
      ["removed await", "save(a);"],
    ]);
    expect(plantedIn('assert(a, "INV-01");')).toEqual([]);
  });

  test("a boundary moves by one, whatever stands around the sign", () => {
    expect(plantedIn("const x = a <= b;")).toEqual([["moved boundary", "const x = a < b;"]]);
    expect(plantedIn("const x = a\n  > b;")).toEqual([["moved boundary", "const x = a\n  >= b;"]]);
    expect(plantedIn("const x = a === b;")).toEqual([]);
  });

  test("a boundary that only orders equal elements is known to change nothing, and one beside it is not", () => {
    const reasons = (source: string) =>
      mutantsOf("file.ts", source)
        .filter(({ kind }) => kind === "moved boundary")
        .map(({ equivalent }) => equivalent);
    const order = "decides only the order of two that are equal";
    expect(reasons("list.toSorted((a, b) => (a.at < b.at ? -1 : 1));")).toEqual([order]);
    expect(reasons("const later = (a, b) => (a.at > b.at ? -1 : 1);")).toEqual([order]);
    expect(reasons("list.filter((a) => a.at < b).toSorted(byTime);")).toEqual([null]);
    expect(reasons("list.toSorted((a, b) => (a.at < 3 ? 0 : 1));")).toEqual([null]);
    expect(reasons("const x = a < b ? one : 1;")).toEqual([null]);
  });

  test("an awaited value is left a promise, except where it is returned at once", () => {
    expect(plantedIn("const x = await f();")).toEqual([["removed await", "const x = f();"]]);
    expect(plantedIn("const f = async () => { return await g(); };")).toEqual([]);
  });

  test("types are no code, and a fault knows its line and what it replaced", () => {
    expect(plantedIn("type T = A extends B ? 1 : 2;")).toEqual([]);
    expect(mutantsOf("file.ts", "\n\nsave(\n  a,\n);")).toMatchObject([{ line: 3, original: "save( a, );" }]);
  });

  test("the same seed picks the same faults, each kind alike, and another seed picks others", () => {
    const source = Array.from(
      { length: 40 },
      (_, n) => `async function f${n}() { if (a${n} < b) return; await c${n}(); }`,
    ).join("\n");
    const all = mutantsOf("file.ts", source);
    const picked = pickMutants(all, { seed: "1", count: 20 });
    expect(pickMutants(all.toReversed(), { seed: "1", count: 20 })).toEqual(picked);
    expect(pickMutants(all, { seed: "2", count: 20 })).not.toEqual(picked);
    for (const kind of FAULT_KINDS) expect(picked.filter((mutant) => mutant.kind === kind)).toHaveLength(4);
  });
});

test("marked places note that they were reached, and the code does what it did", () => {
  const source = `let count = 0;
    const save = (n) => { count += n; };
    const f = (a, b) => { if (a < b) save(1); else if (b < 0) return -1; save(10); return a > 5 ? count : a < 0 ? 7 : count + 1; };`;
  const places = new Map(mutantsOf("file.ts", source).entries());
  const reached = new Set<number>();
  Object.assign(globalThis, { [REACHED_MARKS]: reached });
  const run = (code: string, a: number, b: number): unknown => new Function(`${code}\nreturn f(${a}, ${b});`)();
  const kindsReached = (a: number, b: number): readonly string[] => {
    reached.clear();
    expect(run(markPlaces(source, places), a, b)).toBe(run(source, a, b));
    return [...reached].map((number) => places.get(number)?.original ?? "").toSorted();
  };
  expect(kindsReached(1, 2)).toContain("save(1);");
  expect(kindsReached(1, -2)).toEqual(expect.arrayContaining(["b < 0", "a < b"]));
  expect(kindsReached(1, -2)).not.toContain("save(10);");
  expect(kindsReached(9, 1)).toContain("a > 5 ? count : a < 0 ? 7 : count + 1");
});

test("every fault that is left out is still in its file, and left out once", () => {
  const keyOf = ({ path, kind, original }: Pick<Mutant, "path" | "kind" | "original">) =>
    `${path}: ${kind}: ${original}`;
  const left = EXCLUDED.map(keyOf);
  const paths = [...new Set(EXCLUDED.map(({ path }) => path))];
  const there = new Set(paths.flatMap((path) => mutantsOf(path, readFileSync(path, "utf8")).map(keyOf)));
  expect(left.filter((key) => !there.has(key))).toEqual([]);
  expect(new Set(left).size).toBe(left.length);
});

test("faults are checked one per file at a time, and an error counts against the fault of its own file", () => {
  const faults = [...mutantsOf("a.ts", "save(a); save(b);"), ...mutantsOf("b.ts", "save(a);")];
  expect(roundsOf(faults).map((round) => round.map(({ path, line, original }) => [path, line, original]))).toEqual([
    [
      ["a.ts", 1, "save(a);"],
      ["b.ts", 1, "save(a);"],
    ],
    [["a.ts", 1, "save(b);"]],
  ]);
  const compiled = "src/core/a.ts(3,5): error TS2339: Property 'x' does not exist.\n  in src/core/b.ts(1,1): note\n";
  const linted = "src/shell/c.ts:7:3: Promises must be awaited. [Error/typescript(no-floating-promises)]\n";
  expect([...filesWithErrors(`${compiled}\n${linted}`)]).toEqual(["src/core/a.ts", "src/shell/c.ts"]);
});
