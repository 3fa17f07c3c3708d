import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { skillTreeDigest } from "#model";
import { resolveScript } from "./resolve-script.ts";
import { fillArguments, readScriptArguments, trialArguments } from "./script-arguments.ts";

const TREE = [
  { path: "SKILL.md" },
  { path: "scripts/a.mjs" },
  { path: "scripts/in/b.py" },
  { path: "references/c.mjs" },
];

describe("a script of a skill", () => {
  test("[SKILL-08] is found only as a file of scripts in the tree, and then inside of its own folder", () => {
    const part = fc.constantFrom(
      "scripts",
      "..",
      ".",
      "",
      "a.mjs",
      "in",
      "b.py",
      "references",
      "c.mjs",
      "~",
      "/",
      "\\",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const file = parts.join("/");
        const found = resolveScript(TREE, { skill: "one", file });
        const isThere = file === "scripts/a.mjs" || file === "scripts/in/b.py";
        expect(found.ok ? found.value : null).toBe(isThere ? `/skills/one/${file}` : null);
      }),
    );
    for (const file of ["/etc/passwd", "scripts/../SKILL.md", "scripts//a.mjs", "./scripts/a.mjs", "scripts/a.mjs/"]) {
      expect(resolveScript(TREE, { skill: "one", file }).ok, file).toBe(false);
    }
  });

  test("[SKILL-09] gets what SKILL.md describes: defaults are filled, and a wrong, long, missing or unknown argument stops it", () => {
    const refused: string[] = [];
    const described = readScriptArguments(
      {
        path: { type: "string", max_length: 5 },
        marker: { type: "string", default: "" },
        count: { type: "integer", default: 3 },
        deep: { type: "boolean", default: false },
      },
      (about) => refused.push(about),
    );
    expect(refused).toEqual([]);
    const filled = fillArguments(described, { path: "a/b" });
    expect(filled).toEqual({ ok: true, value: { path: "a/b", marker: "", count: 3, deep: false } });
    const reasonOf = (given: object) => {
      const result = fillArguments(described, given as Record<string, unknown>);
      return result.ok ? null : result.error;
    };
    expect(reasonOf({})).toEqual({ name: "path", reason: "missing" });
    expect(reasonOf({ path: "abcdef" })).toEqual({ name: "path", reason: "too_long" });
    expect(reasonOf({ path: 1 })).toEqual({ name: "path", reason: "wrong_type" });
    expect(reasonOf({ path: "a", count: 1.5 })).toEqual({ name: "count", reason: "wrong_type" });
    expect(reasonOf({ path: "a", other: 1 })).toEqual({ name: "other", reason: "unknown" });
    expect(reasonOf({ path: "a", __proto__: 1, constructor: 2 })).toEqual({ name: "constructor", reason: "unknown" });
    expect(fillArguments({}, { any: 1 }).ok).toBe(false);
    expect(fillArguments(described, trialArguments(described)).ok).toBe(true);
  });
});

test("[INST-08] [INV-06] whatever changes in a folder changes its digest, and the order in which it was read does not", () => {
  const file = fc.record({
    path: fc.constantFrom("SKILL.md", "scripts/a.mjs", "references/r.md", "assets/x.png", "LICENSE"),
    size: fc.nat({ max: 9 }),
    executable: fc.boolean(),
    sha256: fc.constantFrom("a".repeat(64), "b".repeat(64)),
  });
  const tree = fc.uniqueArray(file, { selector: ({ path }) => path, minLength: 1 });
  fc.assert(
    fc.property(tree, tree, (one, other) => {
      const sorted = (files: typeof one) => JSON.stringify(files.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
      expect(skillTreeDigest(one.toReversed())).toBe(skillTreeDigest(one));
      expect(skillTreeDigest(one) === skillTreeDigest(other)).toBe(sorted(one) === sorted(other));
    }),
  );
});
