import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { sha256Hex } from "#base";
import type { KeptRequest } from "#model";
import { createAuditRules } from "#policy";
import type { ApprovalStore, KeyRegistry, WorkTitles } from "#ports";
import { openMigratedRuntime } from "#sim";
import { openAuditReader } from "#stores";
import { openInMemory } from "../stores-in-memory.ts";
import { BY, ENROLLED, KEY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

const rules = createAuditRules(sha256Hex);
type Opened = { readonly store: ApprovalStore; readonly keys: KeyRegistry; readonly titles: WorkTitles };

async function openMemory(): Promise<Opened> {
  const { approvals: store, keys } = openInMemory();
  return { store, keys, titles: store };
}

async function openFile(dataDir = join(tempDir(), "data")): Promise<Opened> {
  const opened = must(
    await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules: rules }),
  );
  onTestFinished(() => opened.close());
  return { store: opened.approvals, keys: opened.keys, titles: opened.approvals };
}

/** The terminal's own way beside a running instance. */
async function openBeside(): Promise<Opened> {
  const dataDir = join(tempDir(), "data");
  const { store, keys } = await openFile(dataDir);
  const reader = must(openAuditReader({ dataDir, rules }));
  onTestFinished(() => reader.close());
  return { store, keys, titles: reader };
}

/** A plan says its title in the text that is signed. */
function titled(name: string, title: string): KeptRequest {
  const projection = JSON.stringify({ id: name, title });
  return {
    ...requestFor(name),
    projection,
    planHash: sha256Hex(projection),
    requestId: `request-${title.replaceAll(" ", "-")}`,
  };
}

describe.each([
  ["in memory", openMemory],
  ["on disk", () => openFile()],
  ["beside", openBeside],
] as const)("the titles of work (%s)", (_name, open) => {
  test("each is the one in the signed text, else the first line of its card; what is not known has none", async () => {
    const { store, titles } = await open();
    must(await store.propose(titled("squares", "Make a table")));
    must(await store.propose(requestFor("notes")));
    expect(must(await titles.titlesOf(["squares", "notes", "nothing"]))).toEqual(
      new Map([
        ["squares", "Make a table"],
        ["notes", "Tidy the notes"],
      ]),
    );
    expect(must(await titles.titlesOf([]))).toEqual(new Map());
  });

  test("an id that was used under two titles has none: nobody renames what was decided before", async () => {
    const { store, titles } = await open();
    const first = titled("squares", "Pay the rent");
    must(await store.propose(first));
    must(await store.decline({ requestId: first.requestId, planHash: first.planHash, at: at(1), actor: BY }));
    expect(must(await titles.titlesOf(["squares"])).get("squares")).toBe("Pay the rent");
    must(await store.propose(titled("squares", "Water the plants")));
    expect(must(await titles.titlesOf(["squares"]))).toEqual(new Map());
  });
});

describe.each([
  ["in memory", openMemory],
  ["on disk", () => openFile()],
  ["beside", openBeside],
] as const)("the names of gates (%s)", (_name, open) => {
  test("each gate of what was decided on a run, also of the tasks in it, once and in order; nothing of any other run", async () => {
    const { store, keys, titles } = await open();
    must(await keys.add(KEY, ENROLLED));
    const gates = [{ name: "Look twice" }, { name: "plain" }];
    const projection = JSON.stringify({
      id: "p",
      gates,
      tasks: [{ id: "t", gates: [{ name: "Of a task" }] }],
      name: "no gate",
    });
    const request = { ...requestFor("p"), projection, planHash: sha256Hex(projection) };
    must(await store.propose(request));
    const token = { ...tokenFor("p"), planHash: request.planHash };
    must(await store.spend(spendingFor(token, { lineage: "run-1", request })));
    expect(must(await titles.gateNamesOf(["run-1", "another"]))).toEqual(["Look twice", "Of a task", "plain"]);
    expect(must(await titles.gateNamesOf(["another"]))).toEqual([]);
    expect(must(await titles.gateNamesOf([]))).toEqual([]);
  });
});

test("titles are found by an index, however many requests there are", async () => {
  const dataDir = join(tempDir(), "data");
  await openFile(dataDir);
  const db = new DatabaseSync(join(dataDir, "silas.db"), { readOnly: true });
  onTestFinished(() => db.close());
  const plan = db
    .prepare(
      "EXPLAIN QUERY PLAN SELECT work_item_id FROM pending_decisions WHERE work_item_id IN (SELECT value FROM json_each('[]'))",
    )
    .all();
  expect(JSON.stringify(plan)).toContain("pending_decisions_by_work_item");
});
