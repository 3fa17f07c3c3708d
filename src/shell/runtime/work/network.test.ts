import { expect, test } from "vitest";
import { err, ok } from "#base";
import { parseYaml } from "#config";
import type { AuditDraft, AuditEntry } from "#model";
import type { NetworkUsed } from "#ports";
import { parsePlan } from "#work";
import { AT, taskFile } from "../../../../test/plan-texts.ts";
import { createRunNetwork } from "./network.ts";

const plan = () => {
  const steps = "steps:\n  - { name: a, run: ls, network: true }\n  - { name: b, run: ls }\n";
  const parsed = parsePlan({ markdown: taskFile(`hosts: [a.example]\n${steps}`), readYaml: parseYaml, at: AT });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return { grant: { runId: "run-1" }, item: parsed.value.item };
};

function network(isKept = true) {
  const drafts: AuditDraft[] = [];
  const append = async (draft: AuditDraft) => {
    drafts.push(draft);
    return isKept ? ok({} as AuditEntry) : err({ code: "store_failed" as const, retryable: true, cause: null });
  };
  const used: NetworkUsed[] = [];
  const addNetworkUse = async (use: NetworkUsed) => (used.push(use), ok());
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const store = { addNetworkUse };
  return { drafts, used, network: createRunNetwork({ audit: { append }, store, clock: { now: () => AT }, log }) };
}
const envelope = (index: number, given: object = {}) => ({
  stepIndex: index,
  envelope: {
    executionId: "run-1.1",
    stepIndex: index,
    taskDescription: "",
    action: "shell_exec",
    args: { argv: ["ls"] },
    inputArtifacts: {},
    credentialRefs: {},
    timeoutSeconds: 1,
    maxOutputBytes: 1,
    sandboxConfig: { networkAccess: index === 0, env: {} },
    ...given,
  },
});

test("a step has the hosts of its plan if it says so, and none otherwise", () => {
  const { network: of } = network();
  expect(of.forStep(plan(), envelope(0))).toMatchObject({ hosts: [{ host: "a.example", port: 443 }] });
  expect(of.forStep(plan(), envelope(1))).toBeNull();
  expect(of.forStep(plan(), envelope(2))).toBeNull();
});

test("a search has its query as gates left it, and no host", () => {
  const args = { query: "less", max_results: 1, domains: ["a.example"] };
  const grant = network().network.forStep(plan(), envelope(0, { action: "web_search", args }));
  expect(grant).toMatchObject({ hosts: [], search: { query: "less", maxResults: 1, domains: ["a.example"] } });
});

test("what is used is recorded by its place, and what cannot be recorded is not allowed", async () => {
  const kept = network();
  const lost = network(false);
  const use = { kind: "opened", host: "a.example", port: 443 } as const;
  expect(await kept.network.forChecks(plan())(3).onUse(use)).toBe(true);
  expect(await lost.network.forStep(plan(), envelope(0))?.onUse(use)).toBe(false);
  const data = { run_id: "run-1", work_item_id: "task-1", part: "check", index: 3, host: "a.example:443" };
  expect(kept.drafts).toMatchObject([{ event: "egress_opened", data, actor: { kind: "system" } }]);
  const sums = { requests: 2, bytesSent: 10, bytesReceived: 20 };
  await kept.network
    .forChecks(plan())(3)
    .onUse({ kind: "ended", host: "a.example", port: 443, ...sums });
  expect(kept.used).toMatchObject([
    { runId: "run-1", use: { host: "a.example:443", ...sums }, draft: { event: "egress_ended" } },
  ]);
});
