import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import type { RunRecord } from "#model";
import type { ApprovalStore, WorkStore } from "#ports";
import type { RuntimeStores } from "#stores";
import { BY, requestFor } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";
import { openFile, openMemory, runNamed, type Opened as Granted } from "./work-fixture.ts";

type Opened = { readonly work: WorkStore; readonly approvals: ApprovalStore };

async function granted({ work, approvals, grant }: Granted & RuntimeStores): Promise<Opened> {
  await grant("one");
  return { work, approvals };
}

const begun: RunRecord = runNamed("one", { status: "running", attempts: 1 });
const waiting = (name: string): RunRecord => ({
  ...begun,
  status: "waiting",
  question: {
    requestId: requestFor(name).requestId,
    operationId: `run-one.${name}`,
    stepIndex: 0,
    gate: "cap",
    contentHash: requestFor(name).planHash,
  },
});
const change = (run: RunRecord) => ({ run, entries: [], events: [], at: at(5), actor: BY });

for (const [name, open] of [
  ["in memory", async () => granted(await openMemory())],
  ["on disk", async () => granted(await openFile())],
] as const) {
  describe(`the questions of runs (${name})`, () => {
    test("a run and what it asks are kept together, and end together", async () => {
      const { work, approvals } = await open();
      must(await work.begin(change(begun)));
      must(await work.ask(change(waiting("first")), requestFor("first")));
      expect(must(await work.find("run-one"))).toEqual(waiting("first"));
      const stateOf = async (asked: string) => must(await approvals.find(requestFor(asked).requestId))?.state;
      expect(await stateOf("first")).toBe("pending");
      // As long as it is asked it stays, whatever else of the run changes.
      must(await work.save(change({ ...waiting("first"), isPausing: true })));
      expect(await stateOf("first")).toBe("pending");
      must(await work.ask(change(waiting("second")), requestFor("second")));
      expect([await stateOf("first"), await stateOf("second")]).toEqual(["declined", "pending"]);
      const { question: _asked, ...run } = waiting("second");
      must(await work.save(change({ ...run, status: "cancelled", endedAt: at(5) })));
      expect(must(await approvals.find(requestFor("second").requestId))).toMatchObject({
        state: "declined",
        decidedBy: BY,
      });
      expect(await work.ask(change(waiting("third")), requestFor("third"))).toMatchObject({ ok: false });
    });

    test("where no more questions are taken the run does not wait for one", async () => {
      const { work, approvals } = await open();
      must(await work.begin(change(begun)));
      const before = must(await approvals.countPending());
      for (let count = before; count < LIMITS.pendingDecisions; count += 1)
        must(await approvals.propose(requestFor(`other-${count}`)));
      const asked = await work.ask(change(waiting("first")), requestFor("first"));
      expect(asked).toMatchObject({ error: { code: "too_many_pending" } });
      expect(must(await work.find("run-one"))).toMatchObject({ status: "running" });
      expect(must(await approvals.find(requestFor("first").requestId))).toBeNull();
    });
  });
}
