import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { commandHere } from "./command-here.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const from = (cwd: string, path: string) => commandHere({ cwd, env: { PATH: path }, platform: "linux" });

test("where the name alone finds nothing, the way to it is said, as short as it is from here", () => {
  expect(from(ROOT, "/nowhere")).toBe(join("bin", "silas"));
  expect(from(dirname(ROOT), "")).toMatch(/bin\/silas$/);
  expect(from("/", "/nowhere")).toBe(join(ROOT, "bin", "silas").slice(1));
  expect(from(join(ROOT, "docs"), "/nowhere")).toBe(join(ROOT, "bin", "silas"));
});

test("where the name is enough, nothing is said", () => {
  expect(from(ROOT, `/nowhere:${join(ROOT, "bin")}`)).toBeNull();
});
