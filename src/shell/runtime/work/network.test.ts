import { expect, test } from "vitest";
import { err, ok } from "#base";
import { parseYaml } from "#config";
import type { AuditDraft, AuditEntry } from "#model";
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
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  return { drafts, network: createRunNetwork({ audit: { append }, clock: { now: () => AT }, log }) };
}
const ls = { argv: ["ls"], stdin: null };

test("a step has the hosts of its plan if it says so, and none otherwise", () => {
  const { network: of } = network();
  expect(of.forStep(plan(), { stepIndex: 0, call: ls })).toMatchObject({ hosts: [{ host: "a.example", port: 443 }] });
  expect(of.forStep(plan(), { stepIndex: 1, call: ls })).toBeNull();
  expect(of.forStep(plan(), { stepIndex: 2, call: ls })).toBeNull();
});

test("a search has its query as gates left it, and no host", () => {
  const search = { query: "less", maxResults: 1, domains: ["a.example"] };
  const grant = network().network.forStep(plan(), { stepIndex: 0, call: { ...ls, search } });
  expect(grant).toMatchObject({ hosts: [], search });
});

test("what is used is recorded by its place, and what cannot be recorded is not allowed", async () => {
  const kept = network();
  const lost = network(false);
  const use = { kind: "opened", host: "a.example", port: 443 } as const;
  expect(await kept.network.forChecks(plan())(3).onUse(use)).toBe(true);
  expect(await lost.network.forStep(plan(), { stepIndex: 0, call: ls })?.onUse(use)).toBe(false);
  const data = { run_id: "run-1", work_item_id: "task-1", part: "check", index: 3, host: "a.example:443" };
  expect(kept.drafts).toMatchObject([{ event: "egress_opened", data, actor: { kind: "system" } }]);
});
