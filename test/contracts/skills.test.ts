import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { activitySentence, planProposalText } from "#model";
import { eventsOf, TERMINAL } from "./batch-fixture.ts";
import { must } from "./journal-fixture.ts";
import {
  COUNT,
  COUNT_ARGS,
  decide,
  documentOf,
  installedFile,
  installIn,
  openSkillDesk,
  proposed,
  refusalOf,
  runOf,
  skillFolder,
  skillPlan,
  SCRIPT,
} from "./skill-fixture.ts";

describe("installing a skill", () => {
  test("[INST-01] [INST-05] [INST-07] [INV-06] checks it, asks with every file and text, tries its scripts, and binds the version to its bytes", async () => {
    const desk = await openSkillDesk();
    const folder = skillFolder();
    const checked = must(await desk.app.skills.check(folder));
    expect(checked.report).toEqual({ problems: [], notes: [] });
    const { request } = must(await desk.app.skills.install(folder, TERMINAL));
    expect(request).toMatchObject({ kind: "skill_install", riskLevel: "medium", workItemId: "skill:word-count" });
    const shown = new Map(request.card.details.rows.map(({ path, text }) => [path, text]));
    expect([...shown.values()]).toContain(SCRIPT);
    expect(shown.get("/tree_digest")).toBe(checked.treeDigest);
    expect(shown.get("/files/1/path")).toBe("scripts/count.mjs");
    expect(shown.get("/report/problems")).toBe("[]");
    expect(must(await desk.app.skills.list())).toMatchObject([{ name: "word-count", state: "present" }]);
    await decide(desk, request);
    const view = { name: "word-count", state: "active", treeDigest: checked.treeDigest, requestId: request.requestId };
    expect(must(await desk.app.skills.list())).toMatchObject([view]);
    const last = (await eventsOf(desk)).find(({ event }) => event === "skill_installed");
    expect(last === undefined ? "" : activitySentence(last)).toMatch(/^Installed the skill word-count/);
    expect(await desk.app.skills.install("word-count", TERMINAL)).toMatchObject({ error: { code: "skill_active" } });
    expect(must(await desk.app.work.list())).toEqual([]);
  });

  test("[INST-01] [INST-02] [INST-04] what fails the checks asks nobody and is laid nowhere", async () => {
    const desk = await openSkillDesk();
    for (const [path, text, code] of [
      ["scripts/count.mjs", "const = 1;", "script_syntax"],
      ["scripts/more.py", "def :", "script_syntax"],
      ["scripts/more.js", "export const = 1;", "script_syntax"],
      ["scripts/more.cjs", "}); process.stdout.write('more'); (() => {", "script_syntax"],
      ["scripts/count.mjs", 'const key = "ghp_" + "Zq8K2mVx7Rt4Yw1Lp9Bn3Cd6Fg5Hj0SaTuEi";', "credential_literal"],
    ] as const) {
      const folder = skillFolder({ ...COUNT, [path]: text });
      const refused = await desk.app.skills.install(folder, TERMINAL);
      expect(refused, text).toMatchObject({ error: { code: "skill_invalid", report: { problems: [{ code, path }] } } });
    }
    expect(must(await desk.app.approvals.all())).toEqual([]);
    expect(existsSync(installedFile(desk, "word-count"))).toBe(false);
    const others = { py: "print(1)\n", js: "export const more = await 1;\n", cjs: "return;\n" };
    const files = Object.entries(others).map(([end, text]) => [`scripts/more.${end}`, text]);
    const sound = skillFolder({ ...COUNT, ...Object.fromEntries(files) });
    expect(must(await desk.app.skills.check(sound)).report.problems).toEqual([]);
  });

  test("[INST-07] [INST-06] a script that fails when it is tried leaves the skill inactive, says so, and no plan may list it", async () => {
    const desk = await openSkillDesk();
    const failing = "if (process.env.SILAS_DRY_RUN === '1') { console.error('not here'); process.exitCode = 4; }\n";
    const view = await installIn(desk, skillFolder({ ...COUNT, "scripts/count.mjs": failing }));
    expect(view).toMatchObject({ state: "failed", why: expect.stringContaining("ended with code 4: not here") });
    const refused = { code: "skill_unusable", name: "word-count", reason: "not_active" };
    expect(await refusalOf(desk, skillPlan({ args: COUNT_ARGS }))).toMatchObject(refused);
    writeFileSync(installedFile(desk, "word-count/scripts/count.mjs"), SCRIPT);
    expect(await installIn(desk, "word-count")).toMatchObject({ state: "active" });
  });

  test("[INST-08] [INV-06] one changed byte anywhere makes it inactive until that version is approved as well", async () => {
    const desk = await openSkillDesk();
    await installIn(desk, skillFolder({ ...COUNT, "references/a.md": "a" }));
    appendFileSync(installedFile(desk, "word-count/references/a.md"), "b");
    expect(must(await desk.app.skills.list())).toMatchObject([{ state: "changed" }]);
    const refused = { code: "skill_unusable", name: "word-count", reason: "changed" };
    expect(await refusalOf(desk, skillPlan({ args: COUNT_ARGS }))).toMatchObject(refused);
    expect(await installIn(desk, "word-count")).toMatchObject({ state: "active" });
    expect(await refusalOf(desk, skillPlan({ args: COUNT_ARGS }))).toBeNull();
  });

  test("[INST-06] a row without the signed approval is worth nothing: declined, forged or removed, it is not used", async () => {
    const desk = await openSkillDesk();
    const plan = skillPlan({ args: COUNT_ARGS });
    const { request } = must(await desk.app.skills.install(skillFolder(), TERMINAL));
    const reason = async () => ((await refusalOf(desk, plan)) as { readonly reason?: string } | null)?.reason ?? null;
    expect(await reason()).toBe("not_installed");
    const declined = { requestId: request.requestId, verdict: "declined", shownHash: request.planHash } as const;
    must(await desk.app.approvals.decide({ ...declined, actor: TERMINAL, friction: [] }));
    expect(await reason()).toBe("not_installed");
    await installIn(desk, "word-count");
    expect(await reason()).toBeNull();
    const database = new DatabaseSync(join(desk.dataDir, "silas.db"));
    const forge = (tokenId: string) => database.exec(`UPDATE skill_installs SET token_id = '${tokenId}'`);
    const { token_id: tokenId } = database.prepare("SELECT token_id FROM skill_installs").get() as { token_id: string };
    forge("tok_other");
    expect(await reason()).toBe("unapproved");
    expect(must(await desk.app.skills.list())).toMatchObject([{ state: "unapproved" }]);
    forge(tokenId);
    database.close();
    expect(await reason()).toBeNull();
    const [key] = must(await desk.app.keys.list());
    if (key === undefined) throw new Error("it was signed with a key");
    must(await desk.app.keys.revoke({ keyId: key.keyId, actor: TERMINAL, lastKey: "revoke" }));
    expect(await reason()).toBe("unapproved");
    must(await desk.app.skills.remove("word-count", TERMINAL));
    expect(await reason()).toBe("not_installed");
    expect(existsSync(installedFile(desk, "word-count"))).toBe(false);
  });

  test("a folder of the same name is never replaced by a copy", async () => {
    const desk = await openSkillDesk();
    await installIn(desk, skillFolder());
    const other = skillFolder({ ...COUNT, "references/new.md": "x" });
    expect(await desk.app.skills.install(other, TERMINAL)).toMatchObject({ error: { code: "skill_present" } });
    expect(must(await desk.app.skills.list())).toMatchObject([{ state: "active" }]);
  });
});

describe("a plan that lists a skill", () => {
  test("[EXEC-11] [WORK-08] [SKILL-09] [SKILL-10] runs its script with checked arguments and defaults, and finds the listed skills alone, to read only", async () => {
    const desk = await openSkillDesk();
    await installIn(desk, skillFolder());
    await installIn(desk, skillFolder({ ...COUNT, "SKILL.md": documentOf("other-one") }, "other-one"));
    const look = "ls /skills; echo x > /skills/word-count/SKILL.md || echo readonly";
    const more = `  - { name: look, tool: shell_exec, args: { argv: [sh, -c, ${JSON.stringify(look)}] } }`;
    const request = await proposed(desk, skillPlan({ args: COUNT_ARGS, more }));
    const { treeDigest } = must(await desk.app.skills.show("word-count")).view;
    expect(request.card.capabilities?.skills).toEqual([{ name: "word-count", sha256: treeDigest }]);
    await decide(desk, request);
    const detail = await runOf(desk, request);
    expect(detail.run).toMatchObject({ status: "done", isVerified: true, attempts: 1 });
    expect(detail.ledger.at(-1)?.returnValue).toBe("word-count\nreadonly\n");
    expect(readFileSync(installedFile(desk, "word-count/SKILL.md"), "utf8")).toBe(COUNT["SKILL.md"]);
  });

  test("[EXEC-11] [SKILL-09] a script that is not there, an argument that does not fit and a skill nobody listed are refused before anybody is asked", async () => {
    const desk = await openSkillDesk();
    await installIn(desk, skillFolder({ ...COUNT, "scripts/more.py": "print(1)\n" }));
    const about = async (args: string, tool = "node_exec") => {
      const refused = (await refusalOf(desk, skillPlan({ args, tool }))) as Record<string, string> | null;
      return refused === null ? null : `${refused["reason"]} ${refused["about"] ?? ""}`.trim();
    };
    const count = (input: string): string => `{ skill: word-count, file: scripts/count.mjs, input: ${input} }`;
    expect(await about("{ skill: word-count, file: scripts/none.mjs }")).toBe("script_missing scripts/none.mjs");
    expect(await about("{ skill: word-count, file: scripts/none.py }", "python_exec")).toBe(
      "script_missing scripts/none.py",
    );
    expect(await about(count("{}"))).toBe("argument_refused text (missing)");
    expect(await about(count("{ text: 1 }"))).toBe("argument_refused text (wrong_type)");
    expect(await about(count(`{ text: ${"x".repeat(41)} }`))).toBe("argument_refused text (too_long)");
    expect(await about(count("{ text: a, more: b }"))).toBe("argument_refused more (unknown)");
    const inherited = skillPlan({ args: COUNT_ARGS }).replace("skills: [word-count]\n", "");
    expect(await refusalOf(desk, inherited)).toMatchObject({ name: "word-count", reason: "not_listed" });
    expect(await about("{ skill: word-count, file: scripts/more.py }", "python_exec")).toBeNull();
  });

  test("[INST-08] [PLAN-10] [SKILL-12] a byte that changed after the approval blocks the run by name, and another version is another plan", async () => {
    const desk = await openSkillDesk();
    await installIn(desk, skillFolder());
    const request = await proposed(desk, skillPlan({ args: COUNT_ARGS }));
    await decide(desk, request);
    appendFileSync(installedFile(desk, "word-count/scripts/count.mjs"), "// x\n");
    const blocked = await runOf(desk, request);
    expect(blocked.run.status).toBe("blocked");
    expect(blocked.run.lastError).toContain("The skill word-count cannot be used: its files are not those");
    expect(blocked.ledger).toEqual([]);
    await installIn(desk, "word-count");
    const again = await proposed(desk, skillPlan({ args: COUNT_ARGS }));
    expect(again.planHash).not.toBe(request.planHash);
    await decide(desk, again);
    writeFileSync(installedFile(desk, "word-count/scripts/count.mjs"), SCRIPT);
    await installIn(desk, "word-count");
    const other = await runOf(desk, again);
    expect(other.run.lastError).toContain("another version of it is installed");
  });

  test("[INST-08] a byte that changes while the plan runs blocks the next step, by name", async () => {
    const desk = await openSkillDesk();
    await installIn(desk, skillFolder());
    const [begun, go] = [join(desk.folder, "begun"), join(desk.folder, "go")];
    const waiting = `const fs = require("node:fs"); fs.writeFileSync(${JSON.stringify(begun)}, "");
      const look = setInterval(() => fs.existsSync(${JSON.stringify(go)}) && clearInterval(look), 20)`;
    const more = `  - { name: wait, tool: shell_exec, args: { argv: [/opt/silas/bin/node, -e, ${JSON.stringify(waiting)}] } }
  - { name: again, tool: node_exec, args: ${COUNT_ARGS} }
files: { write: [${desk.folder}] }`;
    const request = await proposed(desk, skillPlan({ args: COUNT_ARGS, more }));
    await decide(desk, request);
    const runId = must(await desk.app.work.list({ idPart: request.requestId }))[0]?.run.runId ?? "";
    const running = desk.app.work.runGranted(runId);
    await expect.poll(() => existsSync(begun), { interval: 50 }).toBe(true);
    appendFileSync(installedFile(desk, "word-count/SKILL.md"), "\n");
    writeFileSync(go, "");
    await running;
    const { run, ledger } = must(await desk.app.work.show(runId));
    expect(run).toMatchObject({ status: "blocked", attempts: 1 });
    expect(run.lastError).toContain("Step again was not run: The skill word-count cannot be used: its files");
    expect(ledger.map(({ success }) => success)).toEqual([true, true, false]);
  });

  test("[SKILL-11] [PLAN-06] a task of a project has the skills of the project unless it writes its own list", async () => {
    const desk = await openSkillDesk();
    await installIn(desk, skillFolder());
    const project =
      "---\nid: p\ntype: project\ntitle: P\nskills: [word-count]\ntasks: [task-a, task-b]\n---\n\n# What to do\n\nBoth.\n";
    const inherits = skillPlan({ args: COUNT_ARGS, id: "task-a" }).replace("skills: [word-count]\n", "");
    const own =
      "---\nid: task-b\ntype: task\ntitle: B\nskills: []\nsteps:\n  - { name: s, run: ls /skills }\n---\n\n# What to do\n\nIt.\n";
    const request = await proposed(desk, planProposalText({ plan: project, tasks: [inherits, own], standing: null }));
    const { children } = JSON.parse(request.projection) as {
      readonly children: readonly { readonly skill_digests: unknown }[];
    };
    const { treeDigest: sha256 } = must(await desk.app.skills.show("word-count")).view;
    expect(children.map(({ skill_digests }) => skill_digests)).toEqual([[{ name: "word-count", sha256 }], []]);
  });

  test("[SKILL-12] a goal that repairs itself with a script holds its version, and its repair runs on the standing approval with exactly that", async () => {
    const desk = await openSkillDesk();
    await installIn(desk, skillFolder());
    const place = join(desk.folder, "count.txt");
    const goal = `---
id: goal-count
type: goal
title: Keep it counted
skills: [word-count]
schedule: "0 6 * * *"
files: { write: [${desk.folder}] }
steps:
  - { name: count, tool: node_exec, args: ${COUNT_ARGS} }
  - { name: keep, run: cp count.txt ${place} }
verify:
  - { name: counted, run: cat ${place}, expect: { equals: "3 words" } }
on_failure: spawn_task
---

# What to do

Count.
`;
    const standing = { max_executions: 1, expires_at: "2026-12-31T00:00:00.000Z" } as const;
    await decide(desk, await proposed(desk, planProposalText({ plan: goal, tasks: [], standing })));
    must(await desk.app.work.goals.check("goal-count", TERMINAL));
    const cycle = async () => must(await desk.app.work.goals.show("goal-count")).cycles[0];
    await expect.poll(async () => (await cycle())?.ended ?? null, { interval: 50 }).toBe("healthy");
    expect(readFileSync(place, "utf8")).toBe("3 words\n");
  });
});
