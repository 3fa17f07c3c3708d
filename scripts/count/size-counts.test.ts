import { expect, test } from "vitest";
import { sizeCounts } from "./size-counts.ts";

function numbersOf(files: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  return Object.fromEntries(sizeCounts(new Map(Object.entries(files))).map(({ title, number }) => [title, number]));
}

test("lines and files of the product count, and those of tests do not", () => {
  const files = {
    "src/a.ts": "const a = 1;\n\nconst b = 2;\n",
    "src/a.test.ts": "test();\n",
    "src/a.fixture.ts": "export const a = 1;\n",
    "src/001.sql": "SELECT 1;\n",
    "web/src/a.css": "a {\n}\n",
    "web/src/a.tsx": "const c = <a />;\n",
    "src/notes.md": "Notes\n",
  };
  expect(numbersOf(files)).toMatchObject({ "product lines": 7, "product files": 4, "files under 40 lines": 2 });
});

test("tokens are what is left without comments, imports and space", () => {
  const tokens = (source: string) => numbersOf({ "src/a.ts": source })["syntax tokens without comments and imports"];
  expect(tokens("const a = (b) => b?.c === 'd e';\n")).toBe(13);
  expect(tokens('import { a } from "./a.ts";\nimport {\n  b,\n} from "./b.ts";\n/** Says why. */\na(b); // so\n')).toBe(
    5,
  );
});

test("a fault that is only passed on counts, and one that is changed or decided on does not", () => {
  const source =
    'if (!a.ok) return a;\nif (!b.c.ok) return b.c;\nif (!a.ok) return b;\nif (!a.ok) return err(a.error);\n"if (!a.ok) return a;"\n';
  expect(numbersOf({ "src/a.ts": source })["lines that only forward a fault"]).toBe(2);
});

test("calls of asResult count without its declaration", () => {
  const source = "export function asResult() {}\nconst a = asResult(b);\n";
  expect(numbersOf({ "src/a.ts": source })["calls of asResult"]).toBe(1);
});

test("a door counts when it has more than 150 exports", () => {
  const door = (count: number) =>
    `export { ${Array.from({ length: count }, (_none, at) => `a${at}`).join(", ")} } from "./a.ts";\n`;
  const files = { "src/a/index.ts": door(150), "src/b/index.ts": `${door(100)}${door(51)}`, "src/c.ts": door(200) };
  expect(numbersOf(files)["doors with more than 150 exports"]).toBe(1);
});
