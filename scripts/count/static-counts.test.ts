import { describe, expect, test } from "vitest";
import { functionsIn } from "./code.ts";
import { staticCounts, type Count } from "./static-counts.ts";

const countsOf = (files: Readonly<Record<string, string>>): readonly Count[] =>
  staticCounts(new Map(Object.entries(files)));
const numberOf = (title: RegExp, files: Readonly<Record<string, string>>): number | undefined =>
  countsOf(files).find((count) => title.test(count.title))?.number;

const ASKING = `export async function askStructured(deps, asking) {
  return askOnce(deps, asking);
}
export async function askOnce({ models }, question) {
  return models.ask(question);
}
`;

describe("folders from which a model is asked", () => {
  const asked = (files: Readonly<Record<string, string>>) => numberOf(/model is asked/, files);

  test("callers of a function that asks for them count once for each folder", () => {
    const files = {
      "src/a/ask.ts": ASKING,
      "src/a/turn.ts": 'import { askOnce } from "./ask.ts";\nexport const turn = () => askOnce(1, 2);\n',
      "src/b/advice.ts": 'import { askStructured, type Asking } from "../a/ask.ts";\naskStructured(1, 2);\n',
      "src/b/other.ts": 'import { askOnce } from "../a/ask.ts";\naskOnce(1, 2);\n',
    };
    expect(asked(files)).toBe(2);
  });

  test("a function of the same name from elsewhere, a test and the gateway do not count", () => {
    const files = {
      "src/a/ask.ts": ASKING,
      "src/a/turn.ts": 'import { askOnce } from "./ask.ts";\naskOnce(1, 2);\n',
      "src/cli/a.ts": 'import { askOnce } from "./keys.ts";\naskOnce(1, 2);\n',
      "src/b/a.test.ts": 'import { askOnce } from "../a/ask.ts";\naskOnce(1, 2);\n',
      "src/gateway/a.ts": "export const ask = (models) => models.ask(1);\n",
    };
    expect(asked(files)).toBe(1);
  });

  test("a direct call of the gateway counts where it stands, in any room", () => {
    expect(asked({ "src/engine/turn.ts": "export const step = (models) => models.stream(1);\n" })).toBe(1);
    expect(asked({ "src/engine/turn.ts": "// models.ask(1)\n" })).toBe(0);
  });
});

describe("files that start a periodic loop", () => {
  const loops = (code: string, path = "src/engine/beat.ts") => numberOf(/periodic loop/, { [path]: code });

  test("a timer whose work sets it again is one, also through other functions", () => {
    expect(loops("const beat = () => { cancel = timers.after(5, beat); };\n")).toBe(1);
    expect(loops("const tick = () => { deps.timers.after(5, () => void prune(deps).finally(tick)); };\n")).toBe(1);
    expect(
      loops(
        "function create(deps) {\n  const arm = () => { deps.timers.after(1, () => void tick()); };\n  const tick = async () => { await work(); arm(); };\n}\n",
      ),
    ).toBe(1);
  });

  test("a limit of time, and what waits for one socket, is none", () => {
    expect(loops("function wait(timers) { return new Promise((done) => timers.after(5, () => done(null))); }\n")).toBe(
      0,
    );
    expect(loops("const beat = () => { timers.after(5, beat); };\n", "src/shell/channels/ping.ts")).toBe(0);
  });
});

test("the registry of tools counts, and so does every other file that tells two of its tools apart", () => {
  const registry = { "src/core/tools/registry.ts": "export const TOOLS = {\n  a_b: one,\n  c_d: two,\n} as const;\n" };
  const tables = {
    "src/set.ts": 'const RISKY = new Set(["a_b", "c_d"]);\n',
    "src/switch.ts": 'switch (call.tool) {\n  case "a_b":\n  case "c_d":\n}\n',
    "src/map.ts": "const WORDS = { a_b: 1, c_d: 2 };\n",
  };
  const others = {
    "src/one.ts": 'if (call.tool === "a_b") end();\n',
    "src/plan.ts": 'const steps = [{ tool: "a_b" }, { tool: "c_d" }];\n',
    "src/comment.ts": '// "a_b" and "c_d"\n',
    "src/engine/tools/perform.ts": "const PERFORM = { a_b() {}, c_d() {} };\n",
  };
  expect(numberOf(/describe tools/, registry)).toBe(1);
  expect(numberOf(/describe tools/, { ...registry, ...others })).toBe(1);
  expect(numberOf(/describe tools/, { ...registry, ...tables, ...others })).toBe(4);
});

test("wrappers count while they are declared, under any path", () => {
  const wrappers = { "src/a.ts": "export const withSkills = 1;\n", "src/b.ts": "async function withSkills() {}\n" };
  expect(numberOf(/decision takes effect/, wrappers)).toBe(1);
  expect(countsOf({ "src/a.ts": "export const other = 1;\n" }).map(({ number }) => number)).toEqual([0, 0, 0, 0, 0, 0]);
});

test("twins of stores count, and stores of memories do not", () => {
  const files = {
    "src/a.ts": "export function createMemoryTurnStore() {}\nexport function createMemoryStore() {}\n",
    "src/b.ts": "export function createMemoryLog() {}\nexport const createMemoryRunStore = () => 1;\n",
  };
  expect(numberOf(/twins/, files)).toBe(2);
});

test("a file that has a plan parsed counts, and neither the parser nor the terminal does", () => {
  const files = {
    "src/core/parse.ts": "export function parsePlan(source) {}\n",
    "src/shell/read.ts":
      'import { parsePlan } from "#work";\nexport function readPlan(one) { return parsePlan(one); }\n',
    "src/shell/run.ts": 'import { readPlan } from "./read.ts";\nreadPlan(1);\nreadPlan(2);\n',
    "src/cli/check.ts": 'import { readPlan } from "#runtime";\nreadPlan(1);\n',
  };
  expect(numberOf(/plan parsed/, files)).toBe(1);
});

test("functions are found with their bodies: declared, assigned and as methods", () => {
  const code = "function a() { b(); }\nconst c = async (d) => ({ e: d });\nconst f = { g(h) { return h; } };\n";
  const found = functionsIn(code).map(({ name, start, end }) => [name, code.slice(start, end + 1)]);
  expect(found).toEqual([
    ["a", "function a() { b(); }"],
    ["g", "g(h) { return h; }"],
    ["c", "const c = async (d) => ({ e: d });"],
  ]);
});
