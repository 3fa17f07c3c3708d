import { mkdtempSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LocalApp } from "#compose";
import { approvalTokenToWire, type ApprovalToken, type KeptRequest, type Receipt } from "#model";
import { isProven, mintTokens, readReceipt, renderReceipt, verifyReceipt } from "#policy";
import { receiptTools } from "#runtime";
import { must, openSilas, receiptsIn, unpackHistory } from "./silas.ts";

const HISTORY = "finished-work";
const GOLDEN = receiptsIn(HISTORY);
const NAMES = [
  "batch",
  "decision",
  "device-key",
  "draft",
  "draft-review",
  "failed-check",
  "gated-step",
  "limits",
  "memory",
  "model",
  "project",
  "question",
  "skill-install",
  "skill-run",
  "standing-goal",
  "step-approval",
  "task",
];

let home: string;
let app: LocalApp;
let requests: readonly KeptRequest[];
beforeAll(async () => {
  home = mkdtempSync("/var/tmp/silas-golden-");
  unpackHistory(HISTORY, home);
  app = await openSilas(home);
  requests = must(await app.approvals.all());
});
afterAll(async () => {
  await app.close();
  rmSync(home, { recursive: true, force: true });
});

test("no golden receipt disappears", () => {
  expect([...GOLDEN.keys()].toSorted()).toEqual(NAMES);
});

test("each receipt of an earlier version is exported with the same bytes", async () => {
  const approved = requests.filter(({ state }) => state === "approved");
  const exported: string[] = [];
  for (const { requestId } of approved) exported.push(must(await app.approvals.receipt(requestId)));
  expect(exported.toSorted()).toEqual([...GOLDEN.values()].toSorted());
});

const receiptOf = (file: string): Receipt => {
  const receipt = readReceipt(file);
  if (receipt === null) throw new Error("a golden receipt can be read");
  return receipt;
};

describe.each([...GOLDEN])("the receipt of %s", (_name, file) => {
  test("is verified offline", () => {
    expect(isProven(verifyReceipt(file, receiptTools))).toBe(true);
  });

  test("is rendered from its parts with the same bytes", () => {
    const { also = [], executions = [], decisions = [], ...parts } = receiptOf(file);
    expect(renderReceipt({ ...parts, also, executions, decisions })).toBe(file);
  });

  test("has the tokens that today's code mints for the same decision", () => {
    const { token, also = [] } = receiptOf(file);
    const tokens = [token, ...also.map((one) => one.token)];
    const request = requests.find(({ tokenId }) => tokenId === token.tokenId);
    if (request === undefined) throw new Error("a golden receipt belongs to a request");
    expect(mintAgain(request, tokens).map(unsigned)).toEqual(tokens.map(unsigned));
  });
});

const unsigned = (token: Omit<ApprovalToken, "signature">): object => {
  const { signature: _signature, ...wire } = approvalTokenToWire({ signature: new Uint8Array(64), ...token });
  return wire;
};

function mintAgain(request: KeptRequest, [token, ...also]: readonly ApprovalToken[]) {
  if (token === undefined) throw new Error("a receipt has a token");
  const { friction, ...conditions } = token.conditions;
  const decision = {
    verdict: "approved",
    approvalStrength: "tap",
    friction: friction as never,
    keyId: token.keyId,
    signature: null,
    shownHash: request.planHash,
    conditions,
  } as const;
  return must(
    mintTokens({
      decision,
      pending: { ...request, state: "pending", decidedAt: null, decidedBy: null, tokenId: null },
      at: token.issuedAt,
      nonces: [token, ...also].map(({ nonce }) => nonce),
      ttlMs: 1_800_000,
      maxExecutions: 1,
      standingUsesMax: 100,
      strongAuth: "unavailable",
    }),
  );
}
