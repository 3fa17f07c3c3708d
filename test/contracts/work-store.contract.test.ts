import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import { RUN_STATUSES } from "#model";
import { at, must } from "./journal-fixture.ts";
import { changeOf, entryNamed, openFile, openMemory, recorded, runNamed } from "./work-fixture.ts";

const ENDED = { state: "ended", success: true, returnValue: "made", endedAt: at(2), durationMs: 12.5 } as const;
const STARTED = { events: [{ kind: "run_started" }] } as const;
const ENDS = { events: [{ kind: "run_ended" }] } as const;
const EXIT = { kind: "exit", code: 0 } as const;

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("the work store (%s)", (_name, open) => {
  test("what an approval granted waits until it is begun, oldest first; a plan without steps does not", async () => {
    const { work, grant } = await open();
    await grant("later", 5);
    await grant("first", 1);
    await grant("prose", 2, null);
    const waiting = must(await work.waiting());
    expect(waiting.map(({ runId }) => runId).toSorted()).toEqual(["run-first", "run-later"]);
    expect(must(await work.grantOf("run-first"))).toEqual({
      runId: "run-first",
      requestId: "request-first",
      workItemId: "first",
      tokenId: "tok_first",
      planHash: runNamed("first").planHash,
      grantedAt: at(1),
      projectRunId: null,
    });
    expect(must(await work.grantOf("run-other"))).toBeNull();
    must(await work.begin(changeOf(runNamed("first"))));
    expect(must(await work.waiting()).map(({ runId }) => runId)).toEqual(["run-later"]);
    expect(must(await work.grantOf("run-first"))).toMatchObject({ tokenId: "tok_first" });
  });

  test("a run is begun once, and the chain says so once", async () => {
    const { work, audit, grant } = await open();
    await grant("a");
    must(await work.begin(changeOf(runNamed("a"), STARTED)));
    expect(await work.begin(changeOf(runNamed("a", { attempts: 9 }), STARTED))).toMatchObject({
      error: { code: "run_exists" },
    });
    expect(must(await work.find("run-a"))).toMatchObject({ attempts: 1 });
    expect(await work.save(changeOf(runNamed("b")))).toMatchObject({ error: { code: "run_unknown" } });
    expect((await recorded(audit)).filter((event) => event === "run_started")).toHaveLength(1);
  });

  test("[EXEC-12] a step is in the ledger from before it starts, and completed once, in the order of their starts", async () => {
    const { work, grant } = await open();
    await grant("a");
    must(await work.begin(changeOf(runNamed("a"))));
    const second = { executionId: "run-a.1.1", stepIndex: 1 };
    for (const over of [second, {}]) {
      must(await work.save(changeOf(runNamed("a"), { entries: [entryNamed("a", over)] })));
    }
    const artifacts = { page: { sha256: sha256Hex("page"), size: 4 } };
    const ended = entryNamed("a", { ...ENDED, artifacts, exit: EXIT });
    must(await work.save(changeOf(runNamed("a"), { entries: [ended] })));
    expect(must(await work.ledger("run-a"))).toEqual([entryNamed("a", second), ended]);
    expect(must(await work.ledger("run-b"))).toEqual([]);
  });

  test("what has ended stays as it ended, and each end is in the chain", async () => {
    const { work, audit, grant } = await open();
    await grant("a");
    must(await work.begin(changeOf(runNamed("a"), STARTED)));
    expect(must(await work.unfinished()).map(({ runId }) => runId)).toEqual(["run-a"]);
    expect([must(await work.hasEnded("run-a")), must(await work.hasEnded("run-b"))]).toEqual([false, false]);
    const done = runNamed("a", { status: "done", endedAt: at(3) });
    must(await work.save(changeOf(done, ENDS)));
    expect([must(await work.hasEnded("run-a")), must(await work.hasEnded("run-b"))]).toEqual([true, false]);
    expect(must(await work.unfinished())).toEqual([]);
    expect(await work.save(changeOf(runNamed("a")))).toMatchObject({ error: { code: "run_over", status: "done" } });
    expect(must(await work.find("run-a"))).toEqual(done);
    expect(await recorded(audit)).toEqual(["run_started", "run_ended"]);
  });

  test("what a run did on the network is summed by host, is part of what its end is the hash of, and stays so", async () => {
    const { work, audit, grant } = await open();
    await grant("a");
    must(await work.begin(changeOf(runNamed("a"), STARTED)));
    const use = (host: string, requests: number) => {
      const sums = { requests, bytesSent: 10 * requests, bytesReceived: 100 };
      const data = { run_id: "run-a", work_item_id: "a", part: "step" as const, index: 0, host, requests };
      const counted = { ...data, bytes_sent: sums.bytesSent, bytes_received: 100 };
      const draft = { event: "egress_ended", data: counted, at: at(1), actor: { kind: "system" } } as const;
      return work.addNetworkUse({ runId: "run-a", use: { host, ...sums }, draft });
    };
    for (const [host, requests] of [
      ["b.example:443", 1],
      ["a.example:80", 2],
      ["b.example:443", 3],
    ] as const) {
      must(await use(host, requests));
    }
    const network = [
      { host: "a.example:80", requests: 2, bytesSent: 20, bytesReceived: 100 },
      { host: "b.example:443", requests: 4, bytesSent: 40, bytesReceived: 200 },
    ];
    expect(must(await work.networkOf("run-a"))).toEqual(network);
    expect(must(await work.networkOf("run-b"))).toEqual([]);
    must(await work.save(changeOf(runNamed("a", { status: "done", endedAt: at(3) }), ENDS)));
    must(await use("c.example:443", 1));
    expect(must(await work.networkOf("run-a"))).toEqual(network);
    expect((await recorded(audit)).filter((event) => event === "egress_ended")).toHaveLength(4);
    const [shown] = must(await work.executions("request-a"));
    const text = shown?.record ?? "";
    expect(JSON.parse(text)).toMatchObject({ network: [{ host: "a.example:80", bytes_sent: 20 }, { requests: 4 }] });
    expect(shown?.audit.map((line) => line.text).join("\n")).toContain(`"execution_hash":"${sha256Hex(text)}"`);
  });

  test("what its approval does not let run is kept as blocked, and the chain says why and nothing else", async () => {
    const { work, audit, grant } = await open();
    await grant("a");
    const blocked = runNamed("a", { status: "blocked", attempts: 0, lastError: "approval_expired", endedAt: at(2) });
    must(
      await work.begin(
        changeOf(blocked, { events: [{ kind: "execution_blocked_no_approval", reason: "approval_expired" }] }),
      ),
    );
    expect(await recorded(audit)).toEqual(["execution_blocked_no_approval"]);
    expect(must(await work.waiting())).toEqual([]);
  });

  test("a step in doubt ends its run in the same change", async () => {
    const { work, audit, grant } = await open();
    await grant("a");
    must(await work.begin(changeOf(runNamed("a"), STARTED)));
    must(await work.save(changeOf(runNamed("a"), { entries: [entryNamed("a")] })));
    const doubtful = entryNamed("a", { state: "in_doubt", endedAt: at(3) });
    const events = [{ kind: "step_in_doubt", attempt: 1, stepIndex: 0 }, ...ENDS.events] as const;
    const over = runNamed("a", { status: "in_doubt", endedAt: at(3) });
    must(await work.save(changeOf(over, { entries: [doubtful], events })));
    expect(must(await work.ledger("run-a"))).toEqual([doubtful]);
    expect(await recorded(audit)).toEqual(["run_started", "step_in_doubt", "run_ended"]);
  });

  test("[WORK-15] the last run of some work that was done by a time is found, and nothing else", async () => {
    const { work, grant } = await open();
    expect(must(await work.doneBefore("one", at(9)))).toBeNull();
    for (const name of ["one", "other"]) {
      await grant(name);
      must(await work.begin(changeOf(runNamed(name, { status: "done", endedAt: at(3) }))));
    }
    await grant("failed");
    must(await work.begin(changeOf(runNamed("failed", { status: "stuck", endedAt: at(3) }))));
    expect(must(await work.doneBefore("one", at(2)))).toBeNull();
    expect(must(await work.doneBefore("one", at(3)))?.runId).toBe("run-one");
    expect(must(await work.doneBefore("failed", at(9)))).toBeNull();
  });

  test("[WSTORE-01] [WSTORE-03] any run comes back as it was saved, by its id and among those that stand as it does", async () => {
    const { work, grant } = await open();
    const text = fc.string({ unit: "binary", maxLength: 80 }).filter((one) => one.isWellFormed());
    let number = 0;
    const record = fc.record({
      status: fc.constantFrom(...RUN_STATUSES),
      attempts: fc.nat(100),
      isVerified: fc.boolean(),
      lastError: fc.option(text),
      results: fc.array(
        fc.record({
          name: fc.constantFrom("page exists", "größe"),
          passed: fc.boolean(),
          reason: text,
          output: text,
          exitCode: fc.option(fc.integer({ min: 0, max: 255 })),
        }),
        { maxLength: 3 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(record, async (fields) => {
        const name = `p${(number += 1)}`;
        await grant(name);
        const isOpen = ["pending", "running", "verifying", "paused", "waiting"].includes(fields.status);
        const run = runNamed(name, { ...fields, endedAt: isOpen ? null : at(3) });
        must(await work.begin(changeOf(run)));
        expect(must(await work.find(`run-${name}`))).toEqual(run);
      }),
      { numRuns: 40 },
    );
    const every = must(await work.list({ limit: 40 }));
    expect(every).toHaveLength(40);
    for (const status of RUN_STATUSES) {
      const standing = must(await work.list({ limit: 40, status }));
      expect(standing, status).toEqual(every.filter((run) => run.status === status));
    }
    expect(must(await work.list({ limit: 10 }))).toEqual(every.slice(0, 10));
    // Whatever the newest are, a part of an id finds what it means.
    const named = every.filter(({ runId }) => runId.endsWith("p1"));
    expect(must(await work.list({ limit: 1, idPart: "n-p1" }))).toEqual(named);
    for (const idPart of ["run-p1", named[0]?.runId ?? ""]) {
      const found = must(await work.list({ limit: 40, idPart }));
      expect(found).toEqual(every.filter(({ runId }) => runId.startsWith(idPart) || runId.endsWith(idPart)));
    }
    const ofRequest = must(await work.list({ limit: 40, idPart: must(await work.grantOf("run-p1"))?.requestId }));
    expect(ofRequest.map(({ runId }) => runId)).toContain("run-p1");
    expect(must(await work.list({ limit: 40, idPart: "%" }))).toEqual([]);
  });
});

test("the file itself refuses to change what has ended, to begin a step twice, or to lose a run or a step", async () => {
  const { work, grant, dataDir } = await openFile();
  await grant("a");
  must(await work.begin(changeOf(runNamed("a"), { entries: [entryNamed("a")] })));
  must(
    await work.save(changeOf(runNamed("a", { status: "done", endedAt: at(3) }), { entries: [entryNamed("a", ENDED)] })),
  );
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  const attempts = [
    "UPDATE work_runs SET status = 'running', ended_at = NULL",
    "DELETE FROM work_runs",
    "UPDATE work_ledger SET state = 'in_doubt'",
    "DELETE FROM work_ledger",
    "INSERT INTO work_ledger SELECT execution_id || 'x', run_id, position, state, entry FROM work_ledger",
    "INSERT INTO work_runs SELECT 'foreign', work_item_id, token_id, status, attempts, record, started_at, ended_at FROM work_runs",
  ];
  for (const sql of attempts) expect(() => database.exec(sql), sql).toThrow(/never|constraint|FOREIGN/);
  database.close();
});

test("[WSTORE-05] a change whose disk fails at any statement leaves status, use and ledger as they were", async () => {
  const { work, grant, dataDir } = await openFile();
  await grant("a");
  must(await work.begin(changeOf(runNamed("a"))));
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  // An entry of the chain that cannot be written takes the whole change back.
  database.exec("CREATE TRIGGER full BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'full'); END");
  const done = runNamed("a", { status: "done", attempts: 2, endedAt: at(3) });
  expect((await work.save(changeOf(done, { entries: [entryNamed("a")], ...ENDS }))).ok).toBe(false);
  expect(must(await work.find("run-a"))).toEqual(runNamed("a"));
  expect(must(await work.ledger("run-a"))).toEqual([]);
  database.exec("DROP TRIGGER full");
  database.close();
  must(await work.save(changeOf(done)));
  expect(must(await work.find("run-a"))).toEqual(done);
});
