import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { canonicalJson, sha256Hex, type Instant } from "#base";
import { payloadProjection, payloadSchema, type KeptRequest, type LimitChange, type StoredToken } from "#model";
import type { ApprovalStore, AuditLog, AutonomyStore, Clock, LimitsChanged } from "#ports";
import { BY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, createMovableClock, must } from "./journal-fixture.ts";
import { openFile, openMemory } from "./work-fixture.ts";

type Opened = { readonly approvals: ApprovalStore; readonly autonomy: AutonomyStore; readonly audit: AuditLog };

/** A batch as far as it is counted. */
function batch(
  name: string,
  { action = "move_files", batchId = name, againOf = null as string | null } = {},
): KeptRequest {
  const request = requestFor(name);
  const projection = JSON.stringify({ action, id: name });
  const planHash = sha256Hex(projection);
  const card = { ...request.card, cardType: "batch_review", affectedItems: { count: 1, summary: "1 item" } } as const;
  const markdown = JSON.stringify({ batch_id: batchId });
  return { ...request, kind: "batch_review", projection, planHash, card: { ...card, planHash }, markdown, againOf };
}

const made = ({ requestId, planHash }: KeptRequest, when: Instant) => ({ requestId, planHash, at: when, actor: BY });

async function approve({ approvals }: Opened, request: KeptRequest, when: Instant): Promise<void> {
  const token: StoredToken = { ...tokenFor(request.workItemId), planHash: request.planHash };
  const spending = spendingFor(token, { lineage: `run-${request.workItemId}`, request });
  must(await approvals.spend({ ...spending, at: when }));
}

const WIDER: readonly LimitChange[] = [
  { key: "batch_review.default_size", current_value: "10", proposed_value: "15", direction: "widen" },
  { key: "batch_review.confidence.high_min", current_value: "0.85", proposed_value: "0.8", direction: "widen" },
];
const CONFIGURED = {
  "standing.scope": "repairs",
  "standing.max_executions": "100",
  "standing.expires_at": "none",
  "batch_review.default_size": "10",
  "batch_review.confidence.high_min": "0.85",
} as const;

function limitsRequest(name: string, changes: readonly LimitChange[]): KeptRequest {
  const payload = payloadSchema.parse({
    kind: "autonomy_threshold",
    proposal_id: name,
    scope_id: "owner",
    goal_id: null,
    changes: [...changes],
    sample_size: 30,
    correction_rate: 0,
    evidence_window: `the evidence of ${name}`,
    rationale: "Few corrections.",
    risk_level: "high",
    created_at: at(0),
  });
  const projection = payloadProjection(payload);
  const planHash = sha256Hex(projection);
  const request = requestFor(name);
  const text = canonicalJson(payload);
  if (!text.ok) throw new Error("it has a text");
  const card = { ...request.card, cardType: "autonomy_threshold", planHash } as const;
  return { ...request, kind: "autonomy_threshold", projection, planHash, card, markdown: text.value };
}

const changing = (request: KeptRequest, limits: LimitsChanged) => ({
  ...spendingFor(
    { ...tokenFor(request.workItemId), planHash: request.planHash },
    { lineage: `run-${request.workItemId}`, request },
  ),
  limits,
});

describe.each([
  ["in memory", openMemory],
  ["on disk", (clock?: Clock) => openFile(undefined, clock)],
] as const)("what limits are judged by (%s)", (_name, open) => {
  const move = { family: "move_files", most: 100 } as const;

  test("[AUTO-06] each batch is one action by its decision; questions, what was chosen from them and expiries are none", async () => {
    const clock = createMovableClock();
    const opened = await open(clock);
    const { approvals, autonomy } = opened;
    for (const name of ["yes", "no", "all", "late"]) must(await approvals.propose(batch(name)));
    await approve(opened, batch("yes"), at(1));
    must(await approvals.decline(made(batch("no"), at(2))));
    const part = batch("part", { againOf: "request-all" });
    must(await approvals.replace(made(batch("all"), at(3)), part));
    // What was chosen is the person's own proposal.
    await approve(opened, part, at(4));
    must(await approvals.activate("request-late", { at: at(1), expiresAt: at(5) }));
    clock.moveTo(6);
    expect(must(await approvals.list(["expired"]))).toHaveLength(1);
    const question = batch("question", { action: "choose_move" });
    must(await approvals.propose(question));
    must(await approvals.replace(made(question, at(7)), batch("place", { againOf: "request-question" })));
    await approve(opened, batch("place"), at(8));
    expect(must(await autonomy.decided(move))).toEqual([
      { outcome: "edit_selection", at: at(3) },
      { outcome: "declined", at: at(2) },
      { outcome: "approved", at: at(1) },
    ]);
  });

  test("[AUTO-06] a way back that is proposed later is a correction, and declining that is nothing", async () => {
    const opened = await open();
    for (const name of ["back", "kept"]) {
      must(await opened.approvals.propose(batch(name, { batchId: `${name}.back` })));
    }
    await approve(opened, batch("back", { batchId: "back.back" }), at(1));
    must(await opened.approvals.decline(made(batch("kept", { batchId: "kept.back" }), at(2))));
    expect(must(await opened.autonomy.decided(move))).toEqual([{ outcome: "undo", at: at(1) }]);
  });

  test("[AUTO-13] [AUTO-15] an approval changes all of its limits by the commit that uses it, or nothing", async () => {
    const { approvals, autonomy, audit } = await open();
    const first = limitsRequest("first", WIDER);
    must(await approvals.propose(first));
    expect(must(await autonomy.applied())).toEqual([]);
    // One of two is not as the card said.
    const moved = { ...CONFIGURED, "batch_review.confidence.high_min": "0.9" };
    expect(await approvals.spend(changing(first, { changes: WIDER, configured: moved }))).toEqual({
      ok: false,
      error: { code: "limit_refused", key: "batch_review.confidence.high_min", reason: "limit_moved" },
    });
    expect(must(await autonomy.applied())).toEqual([]);
    expect(must(await approvals.find(first.requestId))?.state).toBe("pending");
    expect(must(await approvals.findApproval("tok_first"))).toBeNull();
    must(await approvals.spend(changing(first, { changes: WIDER, configured: CONFIGURED })));
    expect(must(await autonomy.applied())).toMatchObject([
      { key: "batch_review.default_size", from: "10", to: "15", configured: "10", proof: "holds" },
      { key: "batch_review.confidence.high_min", from: "0.85", to: "0.8", proof: "holds" },
    ]);
    const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 100 }));
    expect(entries.filter(({ event }) => event === "limit_changed")).toHaveLength(2);
    // The same change once more starts from somewhere else.
    const second = limitsRequest("second", WIDER);
    must(await approvals.propose(second));
    const again = await approvals.spend(changing(second, { changes: WIDER, configured: CONFIGURED }));
    expect(again).toMatchObject({ error: { code: "limit_refused", reason: "limit_moved" } });
  });

  test("what was asked about limits is known by its family, newest first", async () => {
    const { approvals, autonomy } = await open();
    const [size] = WIDER;
    if (size === undefined) throw new Error("there is one");
    const mixed: readonly LimitChange[] = [
      size,
      { key: "standing.max_executions", current_value: "100", proposed_value: "50", direction: "tighten" },
    ];
    must(await approvals.propose(limitsRequest("one", WIDER)));
    must(await approvals.propose({ ...limitsRequest("two", mixed), createdAt: at(1) }));
    must(await approvals.propose(requestFor("plan")));
    must(await approvals.decline(made(limitsRequest("one", WIDER), at(2))));
    expect(must(await autonomy.asked(10))).toEqual([
      {
        requestId: "request-two",
        family: null,
        state: "pending",
        createdAt: at(1),
        endedAt: null,
        proposedBy: "terminal",
      },
      {
        requestId: "request-one",
        family: "move_files",
        state: "declined",
        createdAt: at(0),
        endedAt: at(2),
        proposedBy: "terminal",
      },
    ]);
    expect(must(await autonomy.asked(1))).toHaveLength(1);
  });
});

test("a change whose request was altered on the disk is not believed, and one that cannot be recorded is not made", async () => {
  const { approvals, autonomy, dataDir } = await openFile();
  const request = limitsRequest("first", WIDER);
  must(await approvals.propose(request));
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  onTestFinished(() => database.close());
  database.exec(
    `CREATE TRIGGER full BEFORE INSERT ON audit_entries WHEN NEW.entry LIKE '%high_min%limit_changed%'
     BEGIN SELECT RAISE(ABORT, 'full'); END`,
  );
  const spending = changing(request, { changes: WIDER, configured: CONFIGURED });
  expect((await approvals.spend(spending)).ok).toBe(false);
  expect(must(await autonomy.applied())).toEqual([]);
  expect(must(await approvals.find(request.requestId))?.state).toBe("pending");
  database.exec("DROP TRIGGER full");
  must(await approvals.spend(spending));
  const proofs = async () => must(await autonomy.applied()).map(({ proof }) => proof);
  expect(await proofs()).toEqual(["holds", "holds"]);
  database.exec("DROP TRIGGER pending_decisions_stay; PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
  for (const [altered, back] of [
    ["state = 'declined'", "state = 'approved'"],
    ["token_id = 'tok_other'", "token_id = 'tok_first'"],
    ["kind = 'plan'", "kind = 'autonomy_threshold'"],
  ]) {
    database.exec(`UPDATE pending_decisions SET ${altered}`);
    expect([altered, await proofs()]).toEqual([altered, ["broken", "broken"]]);
    database.exec(`UPDATE pending_decisions SET ${back}`);
  }
  expect(await proofs()).toEqual(["holds", "holds"]);
  database.prepare("UPDATE pending_decisions SET projection = replace(projection, '\"15\"', '\"50\"')").run();
  expect(await proofs()).toEqual(["broken", "broken"]);
});

test("evidence in the chain that its request does not bear out is none", async () => {
  const { approvals, autonomy, dataDir } = await openFile();
  must(await approvals.propose(batch("no")));
  must(await approvals.decline(made(batch("no"), at(1))));
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  onTestFinished(() => database.close());
  database.exec("DROP TRIGGER audit_entries_stay");
  database.prepare("UPDATE audit_entries SET entry = replace(entry, '\"declined\"', '\"approved\"')").run();
  expect(must(await autonomy.decided({ family: "move_files", most: 10 }))).toEqual([]);
});
