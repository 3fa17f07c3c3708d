import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildWeb, digestOf } from "./build-web.ts";

let project: string;

function put(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "silas-web-"));
  put("web/index.html", "<p>");
  put("src/core/base/a.ts", "a");
  put("package-lock.json", "{}");
});

afterEach(() => rmSync(project, { recursive: true, force: true }));

test.each(["web/index.html", "web/src/a.tsx", "web/vite.config.ts", "src/core/base/a.ts", "package-lock.json"])(
  "a change in %s asks for a new build",
  (path) => {
    const before = digestOf(project);
    put(path, "changed");
    expect(digestOf(project)).not.toBe(before);
  },
);

test.each(["web/dist/a.js", "web/src/a.test.ts", "src/shell/ports.ts"])("a change in %s does not", (path) => {
  const before = digestOf(project);
  put(path, "changed");
  expect(digestOf(project)).toBe(before);
});

test("moving a file asks for a new build although the contents are the same", () => {
  const before = digestOf(project);
  rmSync(join(project, "web/index.html"));
  put("web/index2.html", "<p>");
  expect(digestOf(project)).not.toBe(before);
});

test("a page built from the same sources is not built again, and a failed build leaves no stamp", () => {
  expect(buildWeb(project)).toMatchObject({ state: "failed" });
  expect(buildWeb(project)).toMatchObject({ state: "failed" });
  put("web/dist/.built-from", digestOf(project));
  expect(buildWeb(project)).toEqual({ state: "fresh", output: "" });
});
