import { mkdtempSync, rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LocalApp } from "#compose";
import type { KeptRequest } from "#model";
import { readReceipt } from "#policy";
import { startLoopbackModel, type LoopbackModel } from "../../e2e/loopback-model.ts";
import { must, openSilas, receiptsIn, unpackHistory } from "./silas.ts";

const HISTORY = "finished-work";
const TERMINAL = { kind: "terminal" } as const;

/** The answers that the model of the history gave, in order. */
const ANSWERS = [
  { tool: "file_write", args: { path: "out.txt", content: "good morning" } },
  { summary: "It is written.", artifact_refs: [], next_steps: [] },
];

let home: string;
let app: LocalApp;
let model: LoopbackModel;
/** The requests of the history, whose plans are run once more in a fresh home. */
let earlier: readonly KeptRequest[];
beforeAll(async () => {
  home = mkdtempSync("/var/tmp/silas-golden-");
  unpackHistory(HISTORY, home);
  const history = await openSilas(home);
  earlier = must(await history.approvals.all());
  await history.close();
  rmSync(home, { recursive: true, force: true });
  home = mkdtempSync("/var/tmp/silas-golden-");
  let asked = 0;
  model = await startLoopbackModel(() => ({ content: ANSWERS[asked++] ?? {} }));
  app = await openSilas(home, model.env);
  must(await app.keys.prepare());
});
afterAll(async () => {
  await app.close();
  model.close();
  rmSync(home, { recursive: true, force: true });
});

test.each(["task", "failed-check", "project", "model"])(
  "the plan of the receipt %s leaves the same receipt when it runs today, but for ids and times",
  async (name) => {
    const golden = receiptsIn(HISTORY).get(name) ?? "";
    const tokenId = readReceipt(golden)?.token.tokenId;
    const request = earlier.find((one) => one.tokenId === tokenId);
    const today = await carryOut(request?.markdown ?? "");
    expect(withoutChance(today)).toEqual(withoutChance(golden));
  },
);

async function carryOut(markdown: string): Promise<string> {
  const { request } = must(await app.approvals.propose(markdown, TERMINAL));
  const { requestId, planHash: shownHash } = request;
  const friction = ["tap", "confirm", "slide"] as const;
  must(await app.approvals.decide({ requestId, verdict: "approved", shownHash, friction, actor: TERMINAL }));
  for (const { run } of must(await app.work.list({ idPart: requestId })).toReversed())
    await app.work.runGranted(run.runId);
  return must(await app.approvals.receipt(requestId));
}

const MEASURED = new Set(["duration_ms", "wall_time_seconds", "seq"]);
const CHANCE = [
  [/^(?:tok_)?[0-9a-f]{16,}(?:\.\d+)?$/, "<digits>"],
  [/^[0-9a-f]{8}-[0-9a-f-]{27}(?:\.\d+)?$/, "<uuid>"],
  [/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, "<moment>"],
  [/^[A-Za-z0-9+/]{86}==$/, "<signature>"],
] as const;

/** A receipt with every text inside of it unfolded, and a placeholder for all that differs between two runs. */
function withoutChance(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => {
    if (MEASURED.has(key)) return `<${typeof value}>`;
    if (typeof value !== "string") return value;
    if (value.startsWith("{")) return withoutChance(value);
    return CHANCE.find(([pattern]) => pattern.test(value))?.[1] ?? value;
  });
}
