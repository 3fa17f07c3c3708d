/** Samples of everything whose hash a person signs: plans of each form, proposals of several parts, and payloads. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sha256Hex, type Instant } from "#base";
import { planProposalText, type PayloadBody } from "#model";
import type { SkillFact } from "#work";
import {
  BODY,
  goalFile,
  highPlan,
  mediumPlan,
  planFile,
  STEPS_PLAN,
  stepFile,
  taskFile,
  WHOLE_PLAN,
  WITHOUT_SKILLS,
} from "../../plan-texts.ts";

const EXAMPLES = fileURLToPath(new URL("../../../docs/examples/", import.meta.url));

const examples = Object.fromEntries(
  readdirSync(EXAMPLES)
    .toSorted()
    .map((name) => [`example ${name}`, readFileSync(EXAMPLES + name, "utf8")]),
);

const WRITE = `steps:\n  - { name: write, tool: file_write, args: { path: page.txt, content: "one\\n" } }`;
const child = (id: string, more = ""): string =>
  planFile(`id: ${id}\ntype: task\ntitle: Part ${id}\n${more}${WRITE}\n`);
const PROJECT = planFile("id: project-1\ntype: project\ntitle: Two parts\ntasks: [task-a, task-b]\n");
const REPAIRED = goalFile(
  `schedule: "0 * * * *"\non_failure: spawn_task\nfailure_context: "Again: $failed_checks"\n${WRITE}\nverify:\n  - { name: there, run: cat page.txt, expect: { contains: one } }\n`,
);
const MODEL = "executor: model\ntools: [file_read, file_write, shell_exec]\n";
const STANDING = { max_executions: 4, expires_at: "2027-01-01T00:00:00.000Z" as Instant };

/** By name, as somebody proposes them. */
export const PROPOSALS: Readonly<Record<string, string>> = {
  ...examples,
  "one step": stepFile(),
  "text that is not ASCII": stepFile("", `${BODY}Grüße, 東京 \u{1f600}\n`),
  "steps, places and a script": STEPS_PLAN,
  "every field": WITHOUT_SKILLS,
  "medium risk": mediumPlan(),
  "high risk": highPlan(),
  "a repository": stepFile("repository: { path: /srv/pages, ref: main }"),
  "hosts and a secret": taskFile(
    'hosts: [bank.example, "api.bank.example:8443"]\nsteps:\n  - { name: load, run: "curl https://bank.example/", network: true, credentials: { BANK_KEY: { ref: bank-login, host: bank.example } } }\n',
  ),
  "a search": taskFile(
    "steps:\n  - { name: find, tool: web_search, args: { query: workshop hours, file: found.json } }\n",
  ),
  "a question and a draft": taskFile(
    "steps:\n  - { name: choose, tool: ask_owner, args: { question: Which way?, options: [{ label: By post, value: post }, { label: By mail, value: mail }], freetext: true, file: way.txt } }\n  - { name: write, tool: file_write, args: { path: letter.txt, content: Dear all } }\n  - { name: look, tool: review_draft, args: { path: letter.txt, about: The letter } }\n",
  ),
  "a model": taskFile(MODEL),
  "a model with no tools": taskFile("executor: model\n"),
  "a goal that looks for files": goalFile(
    'schedule: "0 * * * *"\nfiles: { write: [/srv/inbox] }\nreviewed_batches: { action: move_files, folder: /srv/inbox }\n',
  ),
  "a project": planProposalText({ plan: PROJECT, tasks: [child("task-a"), child("task-b")], standing: null }),
  "a project in order": planProposalText({
    plan: PROJECT,
    tasks: [child("task-a"), child("task-b", "depends_on: [task-a]\n")],
    standing: null,
  }),
  "a project with a model": planProposalText({
    plan: PROJECT,
    tasks: [child("task-a"), planFile(`id: task-b\ntype: task\ntitle: Part\n${MODEL}`)],
    standing: null,
  }),
  "a goal": planProposalText({ plan: REPAIRED, tasks: [], standing: null }),
  "a standing goal": planProposalText({ plan: REPAIRED, tasks: [], standing: STANDING }),
};

const SKILLS: readonly SkillFact[] = [
  {
    name: "http-check",
    treeDigest: sha256Hex("every byte of it"),
    hosts: ["b.example", "a.example"],
    secretRefs: ["ref-1"],
  },
];

/** Plans with facts that a file does not have. */
export const WITH_FACTS = { "every field and a skill": { text: WHOLE_PLAN, skills: SKILLS } } as const;

const item = (itemId: string) => ({
  item_id: itemId,
  title: `Title of ${itemId}`,
  actor: "news@a.example",
  occurred_at: "2026-11-01T08:00:00.000Z",
  reason: "Never opened",
  confidence: 0.97,
});
const CONTENT = "Meet at nine.";

/** By name, as parts of Silas propose them. */
export const PAYLOADS: Readonly<Record<string, PayloadBody>> = {
  "a batch": {
    kind: "batch_review",
    batch_id: "batch-1",
    goal_id: "goal-1",
    action: "archive",
    params: { folder: "old" },
    items: [item("m1"), item("m2")],
    reason_summary: "Old newsletters",
    confidence_min: 0.97,
    created_at: "2026-11-15T08:00:00.000Z",
  },
  "limits of autonomy": {
    kind: "autonomy_threshold",
    proposal_id: "proposal-1",
    scope_id: "owner",
    goal_id: null,
    changes: [{ key: "batch_review.default_size", current_value: "10", proposed_value: "20", direction: "widen" }],
    sample_size: 50,
    correction_rate: 0.04,
    evidence_window: "last 50 batches / 14 days",
    rationale: "You rarely correct these.",
    risk_level: "medium",
    created_at: "2026-11-15T08:00:00.000Z",
  },
  "a message to be trusted": {
    kind: "memory_promotion",
    item_id: "msg-1",
    item_digest: sha256Hex(CONTENT),
    content: CONTENT,
    from: "external",
    to: "owner",
  },
  "a value at a gate": {
    kind: "gate_approval",
    scope_id: "owner",
    gate: "amount",
    trigger: "on_tool_call",
    value: 120,
    context_digest: sha256Hex("context"),
  },
};
