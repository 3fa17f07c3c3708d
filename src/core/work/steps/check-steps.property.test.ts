import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isPathInside } from "#base";
import { parse, taskFile } from "../../../../test/plan-texts.ts";
import { FILE_ALONE, planBytes, projectPlan } from "../plan-hash.ts";
import { callOf, sandboxCallOf } from "./tool-call.ts";

const text = fc.oneof(
  fc.constantFrom("a", "ls -l", "a | b", "../a", "/home/me/out/x", "/etc/passwd", "", ".", "__proto__", "constructor"),
  fc.string({
    unit: fc.constantFrom("a", "/", ".", " ", "'", '"', "$", "|", "\\", "~", "é", "\u202e", "\n"),
    maxLength: 12,
  }),
);
const tool = fc.constantFrom(
  "shell_exec",
  "python_exec",
  "node_exec",
  "file_read",
  "file_write",
  "file_patch",
  "file_list",
  "file_search",
  "toString",
);
const loose = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text, { maxLength: 3 }));
const args = fc.oneof(
  fc.record({ argv: fc.array(text, { maxLength: 3 }) }),
  fc.record({ script: text, args: fc.array(text, { maxLength: 2 }) }),
  fc.record({ path: text, content: text }),
  fc.record({ path: text }),
  fc.record({ path: text, find: text, replace: text }),
  fc.record({ path: text, text }),
  fc.dictionary(fc.constantFrom("path", "argv", "script", "__proto__", "x"), loose),
  loose,
);
const step = fc.record(
  {
    name: fc.oneof(fc.constantFrom("one", "two", "three"), loose),
    run: fc.oneof(text, loose),
    tool: fc.oneof(tool, loose),
    args,
    artifacts: fc.oneof(fc.dictionary(fc.constantFrom("a", "b-1", "*", "x y"), text), loose),
    timeout: fc.oneof(fc.integer({ min: 1, max: 90_000 }), loose),
    network: fc.oneof(fc.constant(false), loose),
  },
  { requiredKeys: [] },
);
const files = fc.record(
  { read: fc.array(text, { maxLength: 2 }), write: fc.array(text, { maxLength: 2 }) },
  { requiredKeys: [] },
);
/** Simple ones too, or nothing would ever be accepted. */
const likely = fc.oneof(
  fc.record({ name: fc.uuid(), run: fc.constantFrom("ls", "cat 'a b'", "sh -c 'a | b'") }),
  fc.record({ name: fc.uuid(), run: text }),
  fc.record({ name: fc.uuid(), tool, args }),
  fc.record({ name: fc.uuid(), tool: fc.constant("file_write"), args: fc.record({ path: text, content: text }) }),
);

test("[PLAN-03] whatever steps say, reading them never throws, and what is accepted can be shown, hashed and run", () => {
  let accepted = 0;
  fc.assert(
    fc.property(
      fc.array(fc.oneof(step, likely, likely), { maxLength: 2 }),
      fc.oneof(fc.constant(null), fc.constant(null), files),
      (steps, grants) => {
        const lines = `steps: ${JSON.stringify(steps)}\n${grants === null ? "" : `files: ${JSON.stringify(grants)}\n`}`;
        const parsed = parse(taskFile(lines));
        if (!parsed.ok) return;
        accepted += 1;
        const { item } = parsed.value;
        const projection = projectPlan(item, FILE_ALONE);
        expect(JSON.parse(planBytes(projection))).toEqual(projection);
        for (const one of item.steps) {
          const { argv } = sandboxCallOf(callOf(one));
          expect(argv[0]).not.toBe("");
          expect(Object.values(one.artifacts).every(isPathInside)).toBe(true);
          expect(one.network).toBe(false);
        }
        const places = [...item.files.read, ...item.files.write];
        expect(places.every((place) => place.startsWith("/") && isPathInside(place.slice(1)))).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
  expect(accepted).toBeGreaterThan(20);
});
