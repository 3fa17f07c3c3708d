import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ALLOW_LIST } from "../../scripts/allow-list.ts";
import { CHECKS } from "./checks.ts";
import { judgeExceptions } from "./documents.ts";
import { readProject, type Violation } from "./project.ts";

const project = readProject(fileURLToPath(new URL("../..", import.meta.url)));

const isExcused = (check: string, { path }: Violation): boolean =>
  ALLOW_LIST.some((exception) => exception.check === check && path.replace(/:\d+$/, "") === exception.path);

for (const [name, check] of Object.entries(CHECKS)) {
  test(name, () => {
    const found = check(project).filter((violation) => !isExcused(name, violation));
    expect(found.map(({ path, message }) => `${path} ${message}`)).toEqual([]);
  });
}

test("every exception still excuses something", () => {
  const idle = ALLOW_LIST.filter(
    (exception) =>
      !(CHECKS[exception.check]?.(project) ?? []).some((violation) => isExcused(exception.check, violation)),
  );
  expect(idle).toEqual([]);
});

test("every exception has a reason and a decision", () => {
  expect(judgeExceptions(project, ALLOW_LIST)).toEqual([]);
});
