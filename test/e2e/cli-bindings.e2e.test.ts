import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHome, databaseIn, type Home } from "./cli-process.ts";
import { sitAt } from "./typing-person.ts";

type Proposed = {
  readonly is_new: boolean;
  readonly request: { readonly request_id: string; readonly plan_hash: string; readonly risk_level: string };
};

let home: Home;
beforeEach(async () => {
  home = createHome();
  await home.silas(["init"]);
});
afterEach(() => home.remove());

function file(name: string, text: string): string {
  const path = join(home.dir, name);
  writeFileSync(path, text);
  return path;
}
const STEPS = 'steps: [{ name: look, run: "true" }]';
const task = (name: string): string =>
  file(
    `${name}.md`,
    `---\nid: task-${name}\ntype: task\ntitle: Task ${name}\n${STEPS}\n---\n\n# What to do\n\nOnly ${name}.\n`,
  );
const project = (): string =>
  file(
    "project.md",
    "---\nid: project-1\ntype: project\ntitle: Both\ntasks: [task-a, task-b]\n---\n\n# What to do\n\nBoth.\n",
  );
const goal = (): string =>
  file(
    "goal.md",
    '---\nid: goal-1\ntype: goal\ntitle: Up\nschedule: "0 * * * *"\non_failure: spawn_task\n---\n\n# What to do\n\nLook.\n',
  );
const rows = (sql: string): number => {
  const database = databaseIn(home.dir);
  try {
    return Number(database.prepare(sql).get()?.["n"]);
  } finally {
    database.close();
  }
};
const proposed = async (...args: string[]) => (await home.json<Proposed>([...args, "--json"])).request;

/** Approves by hash, exports, and answers with the receipt's path. */
async function receiptOf({ request_id: id, plan_hash: hash }: Proposed["request"]): Promise<string> {
  expect(await home.silas(["approve", id, "--hash", hash])).toMatchObject({ code: 0 });
  const path = join(home.dir, "receipt.json");
  expect(await home.silas(["approvals", "export", id, path])).toMatchObject({ code: 0 });
  return path;
}

describe("a project", () => {
  test("[PROJ-01] is proposed with every task or not at all, and one approval signs and uses a token for each", async () => {
    const missing = await home.silas(["plan", "propose", project(), task("a")]);
    expect(missing.code).not.toBe(0);
    expect(missing.err).toContain("task-b cannot be proposed: the project names this task, and its file was not given");
    const extra = await home.silas(["plan", "propose", project(), task("a"), task("b"), task("c")]);
    expect(extra.err).toContain("the project does not name this task");
    const request = await proposed("plan", "propose", project(), task("a"), task("b"));
    const shown = await home.silas(["approvals", "show", request.request_id]);
    expect(shown.out).toContain("| Only a.");
    expect(shown.out).toContain("| Only b.");
    const receipt = await receiptOf(request);
    expect(rows("SELECT count(*) AS n FROM approval_tokens")).toBe(3);
    expect(rows("SELECT count(*) AS n FROM approval_uses")).toBe(3);
    expect(rows("SELECT count(*) AS n FROM attempt_lineages WHERE state = 'granted'")).toBe(3);
    expect(await home.silas(["approvals", "verify", receipt])).toMatchObject({ code: 0 });
    const text = readFileSync(receipt, "utf8");
    const damaged = file("damaged.json", text.replace("Only b.", "Only B."));
    const red = await home.silas(["approvals", "verify", damaged]);
    expect(red.code).toBe(1);
    expect(red.out).toContain("plan_hash_differs");
  });
});

describe("a goal", () => {
  test("[APPR-09] shows how often and until when it may repair by itself before a person signs, and keeps that token for later", async () => {
    const alone = await home.silas(["plan", "propose", goal(), "--repairs", "5"]);
    expect(alone.err).toContain("--repairs and --until belong together");
    const request = await proposed("plan", "propose", goal(), "--repairs", "5", "--until", "2090-12-31");
    expect(request.risk_level).toBe("high");
    const shown = await home.silas(["approvals", "show", request.request_id]);
    expect(shown.out).toContain("/standing/max_executions: 5");
    expect(shown.out).toMatch(/\/standing\/expires_at: 209\d-/);
    const byHash = await home.silas(["approve", request.request_id, "--hash", request.plan_hash]);
    expect(byHash.code).toBe(3);
    const { request_id: id, plan_hash: hash } = request;
    const turns = [
      { when: /Approve this plan\?/, type: "y" },
      { when: /first 8 characters/, type: `${hash.slice(0, 8)}\r` },
    ];
    expect(await sitAt(home, { args: ["approve", id], turns })).toMatchObject({ code: 0 });
    expect(rows("SELECT count(*) AS n FROM approval_tokens")).toBe(2);
    expect(rows("SELECT count(*) AS n FROM approval_uses")).toBe(1);
    const path = join(home.dir, "goal.json");
    await home.silas(["approvals", "export", id, path]);
    expect(readFileSync(path, "utf8")).toContain('"scope":"standing"');
    expect(await home.silas(["approvals", "verify", path])).toMatchObject({ code: 0 });
    const many = await home.silas(["plan", "propose", goal(), "--repairs", "101", "--until", "2090-12-31"]);
    expect(many.err).toContain("autonomy.max_standing_executions");
  });
});

const BATCH = {
  kind: "batch_review",
  batch_id: "batch-1",
  goal_id: "goal-1",
  action: "archive",
  params: null,
  items: ["m1", "m2"].map((id) => ({
    item_id: id,
    title: `Newsletter ${id}`,
    actor: "news@a.example",
    occurred_at: "2026-11-01T08:00:00.000Z",
    reason: "Never opened",
    confidence: 0.97,
  })),
  reason_summary: "Old newsletters",
  confidence_min: 0.97,
  created_at: "2026-11-15T08:00:00.000Z",
};

describe("a batch", () => {
  test("[APPR-10] is proposed from a file, shown with what is signed apart from what is said, and has a receipt", async () => {
    const request = await proposed("approvals", "propose", file("batch.json", JSON.stringify(BATCH)));
    const shown = await home.silas(["approvals", "show", request.request_id]);
    const [signed = "", said = ""] = shown.out.split("What is said about it, and not signed:");
    expect(signed).toContain("/item_ids/1: m2");
    expect(signed).not.toContain("Newsletter");
    expect(said).toContain("Newsletter m2");
    const receipt = await receiptOf(request);
    expect(await home.silas(["approvals", "verify", receipt])).toMatchObject({ code: 0 });
    const swapped = file(
      "swapped.json",
      readFileSync(receipt, "utf8").replace('[\\"m1\\",\\"m2\\"]', '[\\"m2\\",\\"m1\\"]'),
    );
    expect(await home.silas(["approvals", "verify", swapped])).toMatchObject({ code: 1 });
  });

  test("what is no batch is refused with a reason, and nothing is asked", async () => {
    for (const [name, text] of [
      ["empty.json", ""],
      ["plan.json", '{"kind":"plan_approval"}'],
      ["more.json", JSON.stringify({ ...BATCH, approval_token: "x" })],
      ["twice.json", JSON.stringify({ ...BATCH, items: [BATCH.items[0], BATCH.items[0]] })],
      [
        "trust.json",
        JSON.stringify({
          kind: "gate_approval",
          scope_id: "owner",
          gate: "g",
          trigger: "on_tool_call",
          value: 1,
          context_digest: "0".repeat(64),
        }),
      ],
    ] as const) {
      const ran = await home.silas(["approvals", "propose", file(name, text)]);
      expect(ran.code, name).not.toBe(0);
      expect(ran.err).toContain("Nothing was proposed.");
    }
    expect(rows("SELECT count(*) AS n FROM pending_decisions")).toBe(0);
  });
});
