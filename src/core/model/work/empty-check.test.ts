import { expect, test } from "vitest";
import { saysNothing } from "./empty-check.ts";

const ENDS_WELL = { exit_code: 0 };

test("a check whose program looks at nothing says nothing, however it is dressed", () => {
  const programs: readonly (readonly string[])[] = [
    ["true"],
    ["/usr/bin/true"],
    ["echo", "ok"],
    ["env", "nice", "true"],
    ["sh", "-c", "exit 0"],
    ["bash", "-ec", "echo all well && true; exit 0"],
    ["sh", "-c", "false || true"],
    ["sh", "-c", ""],
    ["python3", "-c", "print('ok')"],
    ["node", "-e", ""],
    ["node", "-e", "process.exit(0)"],
    ["date"],
    ["env"],
  ];
  for (const argv of programs) {
    expect([argv, saysNothing({ argv, expect: ENDS_WELL })]).toEqual([argv, true]);
    expect([argv, saysNothing({ argv, expect: { not_empty: true } })]).toEqual([argv, true]);
  }
});

test("an expectation that takes any output says nothing, whatever is run", () => {
  for (const regex of ["", "^", "$", ".*", "(.*)", ".*?", "[\\s\\S]*", ".?"]) {
    expect([regex, saysNothing({ argv: ["npm", "test"], expect: { regex } })]).toEqual([regex, true]);
  }
  expect(saysNothing({ argv: ["npm", "test"], expect: { contains: "" } })).toBe(true);
});

test("what looks at something is not accused", () => {
  const checks: readonly (readonly [readonly string[], Record<string, unknown>])[] = [
    [["true"], { file_exists: "out.txt" }],
    [["npm", "test"], ENDS_WELL],
    [["test", "-f", "out.txt"], ENDS_WELL],
    [["sh", "checks/all.sh"], ENDS_WELL],
    [["sh", "-c", "echo $(wc -l < out.txt)"], { equals: "3" }],
    [["sh", "-c", "cat out.txt | grep -q ok"], ENDS_WELL],
    [["sh", "-c", "echo *.txt"], { equals: "a.txt" }],
    [["sh", "-c", "true && npm test"], ENDS_WELL],
    [["python3", "-c", "print(open('x').read())"], { equals: "1" }],
    [["python3", "-m", "pytest"], ENDS_WELL],
    [["cat", "out.txt"], { regex: "^done" }],
    [["cat", "out.txt"], { regex: ".+" }],
    [["cat", "out.txt"], { regex: "^.*$" }],
    [["cat", "out.txt"], { regex: "^$" }],
    [["wc", "-l", "out.txt"], { output_gt: 0 }],
  ];
  for (const [argv, expected] of checks) {
    expect([argv, saysNothing({ argv, expect: expected })]).toEqual([argv, false]);
  }
});
