import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { approve, askedIn, eventsOf, openDesk, run, TERMINAL } from "./batch-fixture.ts";
import { must } from "./journal-fixture.ts";

const HOUR_MS = 3_600_000;

test.each([HOUR_MS, 24 * HOUR_MS])(
  "a clock that is set back by %d ms ends no card and no run; what was signed before waits until it is reached, or is asked for anew",
  async (ms) => {
    const desk = await openDesk({ "a.pdf": "a" });
    const request = await askedIn(desk);
    const { expiresAt } = must(await desk.app.approvals.show(request.requestId));
    desk.moveMs(-ms);
    expect(must(await desk.app.approvals.show(request.requestId))).toMatchObject({ state: "pending", expiresAt });
    desk.moveMs(ms);
    const runId = await approve(desk, request);
    const running = run(desk, runId);
    const begun = async () => must(await desk.app.work.show(runId)).ledger.length;
    await expect.poll(begun, { interval: 5 }).toBeGreaterThan(0);
    desk.moveMs(-ms);
    const done = await running;
    expect(done.run).toMatchObject({ status: "done", isVerified: true });
    expect(done.run.budgetUsed.wallTimeSeconds).toBeLessThan(1);
    // Its approval would be from the future: it is refused, and neither used nor lost.
    const refused = await desk.app.work.batches.undo(runId, TERMINAL);
    expect(refused).toMatchObject({ error: { code: "approval_not_yet_valid" } });
    expect((await eventsOf(desk)).filter(({ event }) => event === "approval_used")).toEqual([]);
    const { request: back } = must(await desk.app.work.batches.proposeUndo(runId, TERMINAL));
    expect((await run(desk, await approve(desk, back))).run).toMatchObject({ status: "done", isVerified: true });
    expect(existsSync(join(desk.folder, "a.pdf"))).toBe(true);
  },
);
