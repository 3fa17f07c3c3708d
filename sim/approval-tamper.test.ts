import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { KeptRequest, Payload } from "#model";
import { createMemoryVault } from "#stores";
import { answerTo, BY, countRows, GOAL, openTrust, PLAN, PROJECT, RUNTIME_FILE, type Trust } from "./approval-world.ts";
import { inWorld } from "./disk-run.ts";

const BATCH: Payload = {
  kind: "batch_review",
  batch_id: "batch-1",
  goal_id: "goal-1",
  action: "archive",
  params: null,
  items: [],
  reason_summary: "Old",
  confidence_min: 1,
  created_at: "2026-11-15T08:00:00.000Z" as never,
};
const item = (id: string) => ({
  item_id: id,
  title: id,
  actor: "a",
  occurred_at: BATCH.created_at,
  reason: "Old",
  confidence: 1,
});

type Asking = (trust: Trust) => Promise<KeptRequest>;
const plan =
  (text: string): Asking =>
  async ({ approvals }) => {
    const proposed = await approvals.propose(text, BY);
    if (!proposed.ok) throw new Error(proposed.error.code);
    return proposed.value.request;
  };
const batch: Asking = async ({ approvals }) => {
  const proposed = await approvals.proposePayload({ ...BATCH, items: [item("m1"), item("m2")] }, BY);
  if (!proposed.ok) throw new Error(proposed.error.code);
  return proposed.value.request;
};

/** What somebody with the file could write into a request that waits, to have something else approved by the answer. */
const EDITS: readonly (readonly [string, (request: KeptRequest) => readonly (string | null)[]])[] = [
  ["kind", ({ kind }) => [kind === "plan_approval" ? "batch_review" : "plan_approval", "memory_promotion"]],
  ["plan_hash", () => [sha256Hex("another")]],
  ["work_item_id", () => ["another"]],
  ["risk_level", ({ riskLevel }) => ["low", "medium", "high", "irreversible"].filter((level) => level !== riskLevel)],
  [
    "projection",
    ({ projection }) => [
      `${projection} `,
      projection.replace('"title":"Tidy', '"title":"Burn'),
      projection.replace('"m1"', '"m9"'),
      projection.replace('"max_executions":5', '"max_executions":99'),
      projection.replace('"id":"task-two"', '"id":"task-2wo"'),
    ],
  ],
  [
    "markdown",
    ({ markdown }) => [
      markdown.slice(0, -1),
      markdown.replace("Gather the notes", "Burn the notes"),
      markdown.replace('"m1"', '"m9"'),
      markdown.replace('"max_executions":5', '"max_executions":99'),
    ],
  ],
  [
    "card",
    (request) => [
      cardWith(request, (text) => text.replace('"text":"', '"text":"harmless ')),
      cardWith(request, (text) => text.replace(/"rows":\[\{[^}]*\},/, '"rows":[')),
      cardWith(request, (text) => text.replace(/"risk_level":"\w+"/, '"risk_level":"low"')),
      cardWith(request, (text) => text.replace(/"plan_hash":"\w+"/, `"plan_hash":"${sha256Hex("x")}"`)),
    ],
  ],
];
function cardWith({ requestId }: KeptRequest, change: (text: string) => string): string {
  return change(cards.get(requestId) ?? "");
}
const cards = new Map<string, string>();

test.each([
  ["a plan", plan(PLAN)],
  ["a project", plan(PROJECT)],
  ["a goal that stands", plan(GOAL)],
  ["a batch", batch],
])(
  "[INV-02] whichever value of the stored row of %s is exchanged for one of another meaning, the answer approves nothing",
  async (_name, ask) => {
    await inWorld(7, async (world) => {
      const dataDir = join(world.root, "data");
      const trust = await openTrust(world, { dataDir, vault: createMemoryVault() });
      const request = await ask(trust);
      const database = new DatabaseSync(join(dataDir, RUNTIME_FILE));
      const read = (column: string) =>
        String(database.prepare(`SELECT ${column} AS value FROM pending_decisions`).get()?.["value"]);
      const write = (column: string, value: string | null) =>
        database.prepare(`UPDATE pending_decisions SET ${column} = ?`).run(value);
      cards.set(request.requestId, read("card"));
      let edits = 0;
      for (const [column, others] of EDITS) {
        const before = read(column);
        for (const value of others(request).filter((other) => other !== before)) {
          write(column, value);
          const decided = await trust.approvals.decide(answerTo(request, "approved"));
          expect(decided.ok, `${column} = ${String(value).slice(0, 60)}`).toBe(false);
          edits += 1;
        }
        write(column, before);
      }
      database.close();
      expect(edits).toBeGreaterThan(9);
      expect(countRows(dataDir)).toMatchObject({ tokens: 0, uses: 0, attempts: 0, granted: 0, standing: 0 });
      // As it was, it is approved: nothing but the edits stood in the way.
      expect((await trust.approvals.decide(answerTo(request, "approved"))).ok).toBe(true);
      trust.stores.close();
      return { states: edits };
    });
  },
);
