import { join } from "node:path";
import { assert, parseStrictJson, sha256Hex } from "#base";
import {
  clientFrameSchema,
  decideRequestSchema,
  enrolKeySchema,
  enrolRequestSchema,
  journalQuerySchema,
  journalRequestSchema,
  proposePayloadSchema,
  proposePlanSchema,
  requestSchema,
  revokeKeySchema,
  sentMessageSchema,
  verifyFileSchema,
} from "#model";
import { auditFileStart, endAuditFile, isProven, readAuditLine, verifyReceipt } from "#policy";
import { receiptTools } from "#runtime";
import { createMemoryVault } from "#stores";
import { answerTo, BY, openTrust, PLAN, PROJECT } from "../approval-world.ts";
import { inWorld } from "../disk-run.ts";
import { closeWork, grantPlan, INSIDE, openWork, playSandboxes } from "../work-world.ts";
import type { FuzzedParser } from "./fuzz.ts";

type Schema = { safeParse(value: unknown): { readonly success: boolean } };

/** Strict JSON, then a schema: neither throws, and what is accepted is what a schema names and nothing more. */
function throughSchemas(schemas: readonly Schema[]): FuzzedParser["judge"] {
  return (text) => {
    const json = parseStrictJson(text);
    if (!json.ok) return "refused";
    return schemas.filter((schema) => schema.safeParse(json.value).success).length > 0 ? "accepted" : "refused";
  };
}

export const frameParser = (): FuzzedParser => ({
  texts: ['{"type":"ping"}', `{"type":"auth","token":"${"t".repeat(43)}"}`],
  judge: throughSchemas([clientFrameSchema]),
});

const HASH = "ab".repeat(32);

const BATCH = {
  kind: "batch_review",
  batch_id: "batch-1",
  goal_id: "goal-1",
  action: "archive",
  params: { folder: "old" },
  items: [
    {
      item_id: "m1",
      title: "Newsletter",
      actor: "news@a.example",
      occurred_at: "2026-11-01T08:00:00.000Z",
      reason: "Never opened",
      confidence: 0.97,
    },
  ],
  reason_summary: "Old newsletters",
  confidence_min: 0.97,
  created_at: "2026-11-15T08:00:00.000Z",
};

const MESSAGE = {
  text: "Water the plants",
  attachments: ["notes.md"],
  reply_to: "0190f8a2-0000-7000-8000-000000000000",
  signed: { key_id: "ab".repeat(16), timestamp: "2026-11-15T08:00:00.000Z", nonce: "cd".repeat(16), signature: "AA==" },
};

const BODIES: readonly (readonly [Schema, object])[] = [
  [enrolRequestSchema, { code: "c".repeat(43), device_name: "Phone" }],
  [proposePlanSchema, { markdown: PLAN }],
  [proposePayloadSchema, { payload: BATCH }],
  [requestSchema, { request_id: "0190f8a2-0000-7000-8000-000000000000" }],
  [decideRequestSchema, { request_id: "r-1", verdict: "approved", shown_hash: HASH, friction: ["tap", "confirm"] }],
  [enrolKeySchema, { name: "Laptop" }],
  [revokeKeySchema, { key_id: "ab".repeat(16), last_key: "refuse" }],
  [verifyFileSchema, { sha256: HASH, key_id: "ab".repeat(16), signature: "00".repeat(64) }],
  [sentMessageSchema, MESSAGE],
  [journalQuerySchema, { kind: "search", text: "notes", limit: 20 }],
  [journalRequestSchema, { operationId: "op-1", command: { kind: "label.create", name: "home" } }],
];

export const bodyParser = (): FuzzedParser => ({
  texts: BODIES.map(([, body]) => JSON.stringify(body)),
  judge: throughSchemas(BODIES.map(([schema]) => schema)),
});

/** Whatever a receipt was before it was damaged: only the whole one is proven. */
export async function receiptParser(): Promise<FuzzedParser> {
  const texts = [(await madeFiles()).receipt, (await madeFiles(PROJECT)).receipt, await executedReceipt()];
  const judge = (text: string): "accepted" | "refused" => {
    if (!isProven(verifyReceipt(text, receiptTools))) return "refused";
    assert(texts.includes(text), "APPR-05 a changed receipt proves nothing");
    return "accepted";
  };
  return { texts, judge };
}

/** A receipt that also shows what was run on its approval. */
const executedReceipt = (): Promise<string> =>
  inWorld(1, async (world) => {
    const sandboxes = playSandboxes(join(world.root, "spaces"));
    const dataDir = join(world.root, "data");
    const working = await openWork(world, { dataDir, vault: createMemoryVault(), sandboxes });
    const runId = await grantPlan(working, INSIDE);
    await working.work.runGranted(runId);
    const shown = await working.work.show(runId);
    assert(shown.ok && shown.value.run.isVerified, "the plan was run");
    const receipt = await working.trust.approvals.receipt(shown.value.requestId);
    assert(receipt.ok && receipt.value.includes('"executions"'), "the receipt shows the run");
    await closeWork(working);
    return receipt.value;
  });

/** Whatever an exported chain was before it was damaged: only the whole one verifies. */
export async function auditParser(): Promise<FuzzedParser> {
  const { chain } = await madeFiles();
  const judge = (text: string): "accepted" | "refused" => {
    let state = auditFileStart;
    for (const line of text.split("\n")) {
      const read = readAuditLine(state, { text: line, hash: sha256Hex });
      if (!read.ok) return "refused";
      state = read.value;
    }
    if (!endAuditFile(state).ok) return "refused";
    assert(text === chain, "AUD-02 a changed chain does not verify");
    return "accepted";
  };
  return { texts: [chain], judge };
}

type MadeFiles = { readonly receipt: string; readonly chain: string };

/** A receipt and a chain as the product exports them, after one approval. */
const madeFiles = (plan = PLAN): Promise<MadeFiles> =>
  inWorld(1, async (world) => {
    const { stores, approvals } = await openTrust(world, { dataDir: world.root, vault: createMemoryVault() });
    const proposed = await approvals.propose(plan, BY);
    assert(proposed.ok, "the plan is proposed");
    const decided = await approvals.decide(answerTo(proposed.value.request, "approved"));
    assert(decided.ok, "the plan is approved");
    const receipt = await approvals.receipt(decided.value.requestId);
    assert(receipt.ok, "there is a receipt");
    const lines: string[] = [];
    for await (const line of stores.audit.exportLines()) lines.push(line);
    stores.close();
    return { receipt: receipt.value, chain: lines.join("\n") };
  });
