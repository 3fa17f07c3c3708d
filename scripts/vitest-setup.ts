/** What vitest does before the tests of each project. */
import type { TestProject } from "vitest/node";
import { missingPrograms } from "./system-packages.ts";

export function setup({ name }: Pick<TestProject, "name">): void {
  const problem = missingPrograms([name]);
  if (problem === null) return;
  console.error(problem);
  process.exit(1);
}
