import { expect, test } from "vitest";
import { ok } from "#base";
import type { KeptRequest } from "#model";
import type { GrantedRun, RunChange, WorkStore } from "#ports";
import { withReplans } from "./with-replans.ts";

test("where no other way may be asked for, a task of a project asks for none either and has no failure of that", async () => {
  const saved: RunChange[] = [];
  const store = {
    save: async (change: RunChange) => {
      saved.push(change);
      return ok();
    },
    grantOf: async () => ok({ requestId: "request", projectRunId: "project" } as GrantedRun),
  } as unknown as WorkStore;
  const approvals = { find: async () => ok({ kind: "plan_approval" } as KeptRequest) };
  const change = {
    run: { runId: "run", workItemId: "task" },
    events: [{ kind: "out_of_ways" }],
  } as unknown as RunChange;
  for (const depthMax of [0, 1]) await withReplans(store, { approvals, planner: "set", depthMax }).save(change);
  expect(saved).toEqual([change, change]);
});
