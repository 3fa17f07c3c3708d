import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { RUNTIME_STATE, type WorkDetail } from "#model";
import type { Sandboxes } from "#ports";
import { createMemoryVault } from "#stores";
import { BY, RUNTIME_FILE } from "./approval-world.ts";
import { inWorld } from "./disk-run.ts";
import { openSandboxes } from "./work-kill.ts";
import { closeWork, grantPlan, INSIDE, openWork, playSandboxes, type Working } from "./work-world.ts";

type Scene = Working & { readonly database: DatabaseSync };

const inScene = (make: (root: string) => Sandboxes, look: (scene: Scene) => Promise<void>): Promise<void> =>
  inWorld(7, async (world) => {
    const dataDir = join(world.root, "data");
    const working = await openWork(world, { dataDir, vault: createMemoryVault(), sandboxes: make(world.root) });
    const database = new DatabaseSync(join(dataDir, RUNTIME_FILE));
    try {
      await look({ ...working, database });
    } finally {
      database.close();
      await closeWork(working);
    }
  });

async function runPlan(scene: Scene, text: string): Promise<WorkDetail> {
  const runId = await grantPlan(scene, text);
  await scene.work.runGranted(runId);
  const shown = await scene.work.show(runId);
  if (!shown.ok) throw new Error(shown.error.code);
  return shown.value;
}

const planOf = (front: string): string =>
  `---\nid: task-rules\ntype: task\ntitle: Keep to the rules\n${front}\n---\n\n# What to do\n\nTHE-BRIEFING.\n`;
const step = (program: string): string =>
  `steps:\n  - { name: only, tool: shell_exec, args: { argv: [sh, -c, '${program}'] } }`;

test("[WORK-03] what only Silas writes is refused in a plan, and nothing that a program prints or leaves sets it", async () => {
  await inScene(openSandboxes, async (scene) => {
    const keys = Object.keys(RUNTIME_STATE.children);
    expect(keys).toEqual(expect.arrayContaining(["status", "attempts", "budget_used", "verification_results"]));
    for (const key of keys) {
      const proposed = await scene.trust.approvals.propose(planOf(`${key}: done\n${step("true")}`), BY);
      expect(proposed, key).toMatchObject({ error: { code: "plan_refused" } });
    }
    const claim = `{"status":"done","is_verified":true,"attempts":0,"results":[{"passed":true}]}`;
    const check = "verify:\n  - { name: right, run: /bin/false, expect: { exit_code: 0 } }";
    const said = step(`echo ${claim.replaceAll('"', '\\\\"')}`).replace(" } }", " }, artifacts: { } }");
    const { run, ledger } = await runPlan(scene, planOf(`budget: { max_attempts: 1 }\n${said}\n${check}`));
    expect(run).toMatchObject({ status: "stuck", isVerified: false, attempts: 1, results: [{ passed: false }] });
    expect(run.budgetUsed).toMatchObject({ attempts: 1, executorRuns: 1, tokens: 0, costUsd: 0 });
    expect(ledger[0]?.returnValue).toContain("is_verified");
    expect(ledger[0]).toMatchObject({ state: "ended", success: true, taint: "external" });
  });
});

test("[VER-03] every check answers, in order and also after one has failed, with name, verdict, reason, output and code", async () => {
  await inScene(openSandboxes, async (scene) => {
    const checks = `verify:
  - { name: fails, run: sh -c "echo bad; exit 3", expect: { exit_code: 0 } }
  - { name: absent, run: no-such-program, expect: { exit_code: 0 } }
  - { name: passes, run: echo good, expect: { equals: good } }`;
    const { run } = await runPlan(scene, planOf(`budget: { max_attempts: 1 }\n${step("true")}\n${checks}`));
    expect(run.results.map(({ name, passed }) => [name, passed])).toEqual([
      ["fails", false],
      ["absent", false],
      ["passes", true],
    ]);
    for (const result of run.results) {
      expect(Object.keys(result).toSorted()).toEqual(["exitCode", "name", "output", "passed", "reason"]);
      expect(result.reason).not.toBe("");
    }
    expect(run.results[0]).toMatchObject({ output: "bad\n", exitCode: 3 });
    expect(run.results[2]).toMatchObject({ output: "good\n", exitCode: 0 });
    // All passed or not, which failed, and when: what a report says besides.
    expect(run).toMatchObject({ isVerified: false, status: "stuck", endedAt: expect.stringMatching(/Z$/) });
    expect(run.lastError).toMatch(/fails.*absent/);
    expect(run.lastError).not.toContain("passes");
  });
});

test("[VER-01] a check has a time of 60 seconds and no network unless it says so, no shell, and is read again from what was approved", async () => {
  const plan = (check: string): string => planOf(`${step("true")}\nverify:\n  - ${check}`);
  const CHECK = "{ name: right, run: look, expect: { exit_code: 0 } }";
  await inScene(playIn, async (scene) => {
    const { approvals } = scene.trust;
    const ask = async (check: string) => {
      const proposed = await approvals.propose(plan(check), BY);
      if (!proposed.ok) throw new Error(proposed.error.code);
      return proposed.value.request;
    };
    const first = await ask(CHECK);
    const { verify } = JSON.parse(first.projection) as { readonly verify: readonly object[] };
    expect(verify).toMatchObject([{ name: "right", run: "look", timeout: 60, network: false }]);
    const others = [
      CHECK.replace("name: right", "name: left"),
      CHECK.replace("run: look", "run: peek"),
      CHECK.replace("exit_code: 0", "exit_code: 1"),
      CHECK.replace(/ \}$/, ", timeout: 61 }"),
    ];
    const hashes = [first.planHash];
    for (const other of others) hashes.push((await ask(other)).planHash);
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const command of ["look && rm x", "look | sort", "look > out", "look; ls", "look $(ls)", "look `ls`"]) {
      const proposed = await approvals.propose(plan(CHECK.replace("run: look", `run: '${command}'`)), BY);
      expect(proposed, command).toMatchObject({ error: { code: "plan_refused" } });
    }
    const runId = await grantPlan(scene, INSIDE);
    for (const { name } of scene.database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()) {
      scene.database.exec(`DROP TRIGGER "${String(name)}"`);
    }
    scene.database.exec("UPDATE pending_decisions SET markdown = replace(markdown, 'run: look', 'run: true')");
    await scene.work.runGranted(runId);
    expect(await scene.work.show(runId)).toMatchObject({ value: { run: { status: "blocked", results: [] } } });
  });
});
const playIn = (root: string): Sandboxes => playSandboxes(join(root, "spaces"));

test("[EXEC-02] a program is given its words, its input and its time: no plan, approval, run or environment of Silas", async () => {
  process.env["SILAS_TEST_CANARY"] = "THE-ENVIRONMENT";
  const given: string[] = [];
  const keys = new Set<string>();
  const record = (root: string): Sandboxes =>
    playSandboxes(join(root, "spaces"), (command, config) => {
      const { onLine: _told, stdin, ...words } = command;
      for (const key of Object.keys(words)) keys.add(key);
      given.push(JSON.stringify({ words, stdin: stdin === undefined ? "" : Buffer.from(stdin).toString(), config }));
      return 0;
    });
  try {
    await inScene(record, async (scene) => {
      const tools = "steps:\n  - { name: talk, tool: node_exec, args: { script: 'console.log(1)', args: [a] } }";
      const check = "verify:\n  - { name: right, run: look around, expect: { exit_code: 0 } }";
      const { run, requestId } = await runPlan(scene, planOf(`${tools}\n${check}`));
      expect(run.status).toBe("done");
      expect(given).toHaveLength(2);
      expect([...keys].toSorted()).toEqual(["argv", "cwd", "env", "timeoutMs"]);
      for (const one of given) {
        const { words } = JSON.parse(one) as { readonly words: { readonly env?: object } };
        const allowed = { SILAS_ATTEMPT: "1", SILAS_LAST_FAILURE: "" };
        expect({ ...allowed, ...words.env }).toEqual(allowed);
      }
      const token = scene.database.prepare("SELECT token_id, nonce, key_id FROM approval_tokens").get() ?? {};
      const secrets = [run.runId, run.planHash, requestId, "THE-BRIEFING", "Keep to the rules", "THE-ENVIRONMENT"];
      for (const secret of [...secrets, ...Object.values(token).map(String)]) {
        for (const one of given) expect(one, secret).not.toContain(secret);
      }
      for (const one of given) expect(JSON.parse(one)).toMatchObject({ config: { env: {}, network: "none" } });
    });
  } finally {
    delete process.env["SILAS_TEST_CANARY"];
  }
});

test("[EXEC-06] what runs twice with the same words finds nothing of the time before: not in its workspace, not in its temporary files", async () => {
  await inScene(openSandboxes, async (scene) => {
    const program = "cat mine /tmp/mine 2>/dev/null; echo x >> mine; echo x >> /tmp/mine; echo done; exit 1";
    const first = await runPlan(scene, planOf(`budget: { max_attempts: 2 }\n${step(program)}`));
    const second = await runPlan(scene, planOf(`budget: { max_attempts: 2 }\n${step(program)}`));
    const said = [...first.ledger, ...second.ledger].map(({ returnValue }) => returnValue);
    expect(said).toEqual(["done\n", "done\n", "done\n", "done\n"]);
    expect(new Set([...first.ledger, ...second.ledger].map(({ executionId }) => executionId)).size).toBe(4);
  });
});
