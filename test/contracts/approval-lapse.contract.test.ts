import { describe, expect, test } from "vitest";
import { adviceIdOf, type Consultation, type LedgerEntry } from "#model";
import type { RunChange } from "#ports";
import { beginReplan } from "#work";
import { EXPIRES_AT } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";
import { changeOf, entryNamed, openFile, openMemory, recorded, runNamed, type Opened } from "./work-fixture.ts";

const ADVICE: Consultation = {
  ...beginReplan({ run: runNamed("a"), depth: 0, depthMax: 2, at: at(2) }),
  consultationId: adviceIdOf("run-a", 1),
  kind: "advice",
  numberMax: 3,
};
const STEP = entryNamed("a");
const MODEL_CALL = entryNamed("a", { executionId: "run-a.model", tool: "model" });
const ended = (entry: LedgerEntry): LedgerEntry => ({ ...entry, state: "ended", success: true, endedAt: at(3) });

/** Every way in which something of a plan begins. */
const BEGINNINGS: readonly (readonly [string, Partial<RunChange>])[] = [
  ["a step", { entries: [STEP] }],
  ["a call of a model", { entries: [MODEL_CALL] }],
  ["a step beside one that ends", { entries: [STEP, ended(STEP), MODEL_CALL] }],
  ["advice of the planner", { consult: ADVICE }],
  ["the checks", { run: runNamed("a", { status: "verifying" }) }],
];

type Lapse = { readonly name: string; readonly at: RunChange["at"]; readonly cause: (opened: Opened) => Promise<void> };
const LAPSES: readonly Lapse[] = [
  { name: "approval_key_revoked", at: at(4), cause: ({ endKey }) => endKey("revoked") },
  { name: "approval_key_unknown", at: at(4), cause: ({ endKey }) => endKey("unknown") },
  { name: "approval_expired", at: EXPIRES_AT, cause: async () => {} },
];

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("the approval of a run (%s)", (_name, open) => {
  for (const [what, begun] of BEGINNINGS) {
    for (const lapse of LAPSES) {
      test(`[WORK-13] ${what} does not begin, neither first nor later, and nothing of it is kept: ${lapse.name}`, async () => {
        const opened = await open();
        const { work, audit, grant } = opened;
        await grant("a");
        await grant("b");
        must(await work.begin(changeOf(runNamed("a"))));
        must(await work.save(changeOf(runNamed("a"), { entries: [entryNamed("a", { executionId: "run-a.0" })] })));
        const before = [must(await work.find("run-a")), must(await work.ledger("run-a"))];
        await lapse.cause(opened);
        const told = await recorded(audit);
        const refused = { ok: false, error: { code: "approval_lapsed", reason: lapse.name } };
        expect(await work.save({ ...changeOf(runNamed("a")), ...begun, at: lapse.at })).toMatchObject(refused);
        const other = { ...(begun.run ?? runNamed("b")), runId: "run-b", tokenId: "tok_b" };
        const entries = (begun.entries ?? []).map((entry) => ({ ...entry, runId: "run-b" }));
        expect(await work.begin({ ...changeOf(other), ...begun, run: other, entries, at: lapse.at })).toMatchObject(
          refused,
        );
        expect([must(await work.find("run-a")), must(await work.ledger("run-a"))]).toEqual(before);
        expect(must(await work.find("run-b"))).toBeNull();
        expect(await recorded(audit)).toEqual(told);
      });
    }
  }

  test("[WORK-13] without an approval nothing begins", async () => {
    const { work, grant } = await open();
    await grant("a");
    must(await work.begin(changeOf(runNamed("a"))));
    const lost = runNamed("a", { tokenId: "tok_lost" });
    expect(await work.save(changeOf(lost, { entries: [STEP] }))).toMatchObject({
      error: { code: "approval_lapsed", reason: "approval_missing" },
    });
  });

  test("[EXEC-12] what had begun is kept to its end, and so is the end of the run, whatever became of the approval", async () => {
    const { work, grant, endKey } = await open();
    await grant("a");
    must(await work.begin(changeOf(runNamed("a"))));
    must(await work.save(changeOf(runNamed("a"), { entries: [STEP] })));
    await endKey("revoked");
    const refused = { ...MODEL_CALL, executionId: "run-a.2" };
    must(await work.save(changeOf(runNamed("a"), { entries: [ended(STEP), refused, ended(refused)] })));
    must(await work.save(changeOf(runNamed("a", { status: "paused" }), { events: [{ kind: "run_paused" }] })));
    const over = runNamed("a", { status: "blocked", endedAt: at(5) });
    must(await work.save(changeOf(over, { events: [{ kind: "run_ended" }] })));
    expect(must(await work.ledger("run-a"))).toEqual([ended(STEP), ended(refused)]);
    expect(must(await work.find("run-a"))).toEqual(over);
  });
});
