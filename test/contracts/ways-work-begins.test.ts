import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Every source of the server that says this, by its path. */
function saying(pattern: RegExp): readonly string[] {
  const sources = globSync("src/**/*.ts").filter((path) => !/\.(test|fixture)\.ts$/.test(path));
  return sources.filter((path) => pattern.test(readFileSync(path, "utf8"))).toSorted();
}

test("[WORK-13] a step is recorded as begun in one place, which asks about the approval in the same transaction", () => {
  expect(saying(/(INTO|UPDATE) work_ledger|insert\(db, "work_ledger"/)).toEqual([
    "src/shell/stores/work/work-store.ts",
  ]);
  expect(saying(/(INTO|UPDATE) work_runs|insert\(db, "work_runs"/)).toEqual(["src/shell/stores/work/work-store.ts"]);
  expect(saying(/(INTO|UPDATE) consultations/)).toEqual(["src/shell/stores/consults/consult-store.ts"]);
  const writes = readFileSync("src/shell/stores/work/work-store.ts", "utf8");
  expect(writes.match(/mayBegin\(db, change\)/g)).toHaveLength(2);
});

test("[WORK-13] whoever asks a model is known: on behalf of a run only after its ledger or its consultation says so", () => {
  expect(saying(/models\.ask\(/)).toEqual(["src/engine/models/call-model.ts"]);
  expect(saying(/\bawait callModel\(/)).toEqual(["src/engine/conversation/converse.ts"]);
  expect(saying(/(?<!function )\bconverse\(/)).toEqual([
    // The conversation and its trial question, which stand on no approval.
    "src/shell/runtime/talk/create.ts",
    "src/shell/runtime/talk/run-turn.ts",
    // After `consults.move` to `asking`.
    "src/shell/runtime/work/consult/ask-planner.ts",
    // After the ledger entry of the call.
    "src/shell/runtime/work/model/run-model.ts",
  ]);
});
