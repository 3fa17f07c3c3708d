import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { adviceIdOf, type Consultation } from "#model";
import type { Queue } from "#engine";
import type { AuditLog, ConsultStore } from "#ports";
import type { RuntimeStores } from "#stores";
import { beginReplan } from "#work";
import { at, must } from "./journal-fixture.ts";
import { changeOf, openFile, openMemory, recorded, runNamed, type Opened as Granted } from "./work-fixture.ts";

type Opened = {
  readonly consults: ConsultStore;
  readonly queue: Queue;
  readonly audit: AuditLog;
  /** Takes the key out of use that approved every run here. */
  revokeKey(): Promise<void>;
  /** Has a run wait for advice of this number. */
  advise(name: string, number: number): Promise<Consultation>;
  /** Ends a run that is out of ways, after so many others. */
  end(name: string, depth?: number): Promise<Consultation>;
};

const replanOf = (name: string, depth: number): Consultation =>
  beginReplan({ run: runNamed(name), depth, depthMax: 2, at: at(2) });
const adviceOf = (name: string, number: number): Consultation => ({
  ...replanOf(name, 0),
  consultationId: adviceIdOf(`run-${name}`, number),
  kind: "advice",
  number,
  numberMax: 3,
});
const ENDED = { status: "stuck", endedAt: at(2) } as const;
const ENDS = { events: [{ kind: "out_of_ways" }, { kind: "run_ended" }] } as const;

function withRuns({ work, grant, endKey, consults, queue, audit }: Granted & RuntimeStores): Opened {
  return {
    consults,
    queue,
    audit,
    revokeKey: () => endKey("revoked"),
    async advise(name, number) {
      if (number === 1) await grant(name);
      if (number === 1) must(await work.begin(changeOf(runNamed(name))));
      const consult = adviceOf(name, number);
      must(await work.save(changeOf(runNamed(name), { consult })));
      return consult;
    },
    async end(name, depth = 0) {
      const isBegun = must(await work.find(`run-${name}`)) !== null;
      if (!isBegun) await grant(name);
      if (!isBegun) must(await work.begin(changeOf(runNamed(name))));
      const consult = replanOf(name, depth);
      must(await work.save(changeOf(runNamed(name, ENDED), { ...ENDS, consult })));
      return consult;
    },
  };
}

const waitingIn = async ({ queue }: Opened) => {
  const kinds = ["consult_planner", "replan_request"] as const;
  const asked = { kinds, holder: "test", countMax: 9, at: at(3), leaseMs: 1000 };
  return (await queue.lease({ ...asked, deliveriesMax: 3 })).map(({ message }) => message);
};

describe.each([
  ["in memory", async () => withRuns(await openMemory())],
  ["on disk", async () => withRuns(await openFile())],
])("consultations %s", (_name, open) => {
  test("[CONSULT-05] [CONSULT-11] the end of a run that is out of ways, the consultation and its message are one commit", async () => {
    const stores = await open();
    const consult = await stores.end("one");
    expect(must(await stores.consults.ofRun("run-one"))).toEqual([consult]);
    expect(must(await stores.consults.find(consult.consultationId))).toEqual(consult);
    expect(await waitingIn(stores)).toMatchObject([
      {
        id: "replan_request:run-one",
        kind: "replan_request",
        sentBy: "runtime",
        taint: "external",
        payload: { consultationId: consult.consultationId },
      },
    ]);
    expect(await recorded(stores.audit)).toEqual(["run_ended", "replan_requested"]);
    expect(must(await stores.consults.find("nobody"))).toBeNull();
    expect(must(await stores.consults.ofRun("nobody"))).toEqual([]);
  });

  test("[CONSULT-01] what a run asks while it waits is one commit with the run and its message; each end is on record, and all of a run comes in its order", async () => {
    const stores = await open();
    const { consults } = stores;
    const first = await stores.advise("one", 1);
    expect(await waitingIn(stores)).toMatchObject([
      { id: "consult_planner:run-one:1", kind: "consult_planner", sentBy: "runtime", taint: "external" },
    ]);
    const given: Consultation = { ...first, state: "ended", guidance: "Look again.", endedAt: at(3), tokensUsed: 9 };
    must(await consults.move({ from: "waiting", consultation: given, at: at(3) }));
    const second = await stores.advise("one", 2);
    const late: Consultation = { ...second, state: "failed", failure: "advice_late", endedAt: at(4) };
    must(await consults.move({ from: "waiting", consultation: late, at: at(4) }));
    const other = await stores.end("one");
    expect(must(await consults.ofRun("run-one"))).toEqual([given, late, other]);
    expect(await recorded(stores.audit)).toEqual([
      "advice_requested",
      "advice_given",
      "advice_requested",
      "advice_failed",
      "run_ended",
      "replan_requested",
    ]);
  });

  test("[WORK-13] once the key of a run is revoked the planner is not asked about it, neither for advice nor for another way", async () => {
    const stores = await open();
    const advice = await stores.advise("one", 1);
    const replan = await stores.end("two");
    await stores.revokeKey();
    for (const consultation of [advice, replan]) {
      const asking: Consultation = { ...consultation, state: "asking", askedAt: at(4), tokensUsed: 9 };
      expect(await stores.consults.move({ from: "waiting", consultation: asking, at: at(4) })).toMatchObject({
        error: { code: "approval_lapsed", reason: "approval_key_revoked" },
      });
      expect(must(await stores.consults.find(consultation.consultationId))).toEqual(consultation);
      const failed: Consultation = { ...consultation, state: "failed", failure: "approval_lapsed", endedAt: at(4) };
      must(await stores.consults.move({ from: "waiting", consultation: failed, at: at(4) }));
    }
  });

  test("[CONSULT-07] one too many is told and asked of nobody", async () => {
    const stores = await open();
    const consult = await stores.end("deep", 2);
    expect(consult).toMatchObject({ state: "failed", failure: "replan_depth_reached", number: 3 });
    expect(await waitingIn(stores)).toEqual([]);
    expect(await recorded(stores.audit)).toEqual(["run_ended", "replan_failed"]);
  });

  test("one moves on from where it is and never from elsewhere, and its end is on record and stays", async () => {
    const stores = await open();
    const { consults } = stores;
    const consultation = await stores.end("one");
    const asking: Consultation = {
      ...consultation,
      state: "asking",
      askedAt: at(3),
      tokensUsed: 70,
      taint: "external",
    };
    expect(await consults.move({ from: "asking", consultation: asking, at: at(3) })).toMatchObject({
      error: { code: "consult_moved_on", state: "waiting" },
    });
    must(await consults.move({ from: "waiting", consultation: asking, at: at(3) }));
    const ended: Consultation = { ...asking, state: "ended", endedAt: at(4), requestId: "0123456789abcdef" };
    must(await consults.move({ from: "asking", consultation: ended, at: at(4) }));
    expect(must(await consults.find(ended.consultationId))).toEqual(ended);
    expect(await consults.move({ from: "ended", consultation: asking, at: at(5) })).toMatchObject({
      error: { code: "consult_moved_on", state: "ended" },
    });
    const other = { ...asking, consultationId: "nobody" };
    expect(await consults.move({ from: "waiting", consultation: other, at: at(5) })).toMatchObject({
      error: { code: "consult_unknown" },
    });
    expect(await recorded(stores.audit)).toEqual(["run_ended", "replan_requested", "replan_proposed"]);
  });
});

test("the file itself keeps what has ended as it ended", async () => {
  const file = await openFile();
  const stores = withRuns(file);
  await stores.end("deep", 2);
  const database = new DatabaseSync(join(file.dataDir, "silas.db"));
  expect(() => database.exec("UPDATE consultations SET consultation = '{}'")).toThrow("never changed");
  expect(() => database.exec("DELETE FROM consultations")).toThrow("never removed");
  database.close();
});
