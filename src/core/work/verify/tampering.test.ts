import { expect, test } from "vitest";
import type { VerificationCheck } from "#model";
import { changedBetween, mayDecideCheck } from "./tampering.ts";

const check = (run: string): VerificationCheck => ({ run }) as VerificationCheck;

test.each([
  ["test/sum.js", "node --test", true],
  ["src/__tests__/sum.js", "node --test", true],
  ["src/sum.test.ts", "node --test", true],
  ["sum_test.go", "go test", true],
  ["test_sum.py", "python3 -m pytest", true],
  ["package.json", "npm test", true],
  ["vitest.config.ts", "npx vitest", true],
  ["node_modules/left-pad/index.js", "npm test", true],
  ["checks/all.sh", "sh checks/all.sh", true],
  ["checks/all.sh", "./checks/all.sh", true],
  ["checks/all.sh", "sh -e checks/all.sh", true],
  ["src/sum.js", "node --test", false],
  ["table.csv", "grep -c x table.csv", false],
  ["contest.js", "node --test", false],
])("%s may decide what `%s` says: %s", (path, run, isSo) => {
  expect(mayDecideCheck(path, [check(run)])).toBe(isSo);
});

test("what was changed, added or removed is named once, in order, and a long list says how much more there is", () => {
  const before = new Map([
    ["test/a.js", "1"],
    ["test/b.js", "1"],
    ["test/same.js", "1"],
    ["node_modules/x/a.js", "1"],
  ]);
  const after = new Map([
    ["test/a.js", "2"],
    ["test/same.js", "1"],
    ["test/new.js", "1"],
    ["node_modules/x/a.js", "2"],
    ["node_modules/y/a.js", "2"],
  ]);
  expect(changedBetween(before, after)).toEqual(["node_modules", "test/a.js", "test/b.js", "test/new.js"]);
  expect(changedBetween(before, before)).toEqual([]);
  const many = new Map(Array.from({ length: 30 }, (_, index) => [`test/${index}.js`, "1"]));
  expect(changedBetween(new Map(), many)).toHaveLength(21);
  expect(changedBetween(new Map(), many).at(-1)).toBe("10 more");
  const all = new Map([...many].slice(0, 20));
  expect(changedBetween(new Map(), all)).toEqual([...all.keys()].toSorted());
});
