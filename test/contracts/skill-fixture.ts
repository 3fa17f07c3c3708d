import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { KeptRequest, SkillView, WorkDetail } from "#model";
import { homeDir, openDesk, TERMINAL, type Desk } from "./batch-fixture.ts";
import { must } from "./journal-fixture.ts";

export type Files = Readonly<Record<string, string>>;

export const SCRIPT = `import { writeFileSync } from "node:fs";
let input = "";
for await (const chunk of process.stdin) input += chunk;
const { text, unit } = JSON.parse(input);
const count = text.split(" ").filter((word) => word !== "").length;
writeFileSync("count.txt", count + " " + unit + "\\n");
`;
export const documentOf = (name: string): string => `---
name: ${name}
description: Counts the words of a text when somebody asks how long it is.
script_args:
  scripts/count.mjs:
    text: { type: string, max_length: 40 }
    unit: { type: string, default: words }
---

# Count

Use \`scripts/count.mjs\`.
`;
export const COUNT: Files = { "SKILL.md": documentOf("word-count"), "scripts/count.mjs": SCRIPT };

/** A folder of a skill, named like it. */
export function skillFolder(files: Files = COUNT, name = "word-count"): string {
  const folder = join(realpathSync(mkdtempSync("/var/tmp/silas-skill-")), name);
  onTestFinished(() => rmSync(dirname(folder), { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export const openSkillDesk = (): Promise<Desk> => openDesk({}, homeDir());
/** Where the desk keeps a file of an installed skill. */
export const installedFile = ({ dataDir }: Desk, path: string): string => join(dataDir, "skills", path);

export async function decide({ app }: Desk, { requestId }: Pick<KeptRequest, "requestId">): Promise<void> {
  const { planHash: shownHash } = must(await app.approvals.show(requestId));
  const answer = {
    requestId,
    verdict: "approved",
    shownHash,
    actor: TERMINAL,
    friction: ["tap", "confirm", "slide"],
  } as const;
  must(await app.approvals.decide(answer));
}

export async function installIn(desk: Desk, place: string): Promise<SkillView> {
  const { request } = must(await desk.app.skills.install(place, TERMINAL));
  await decide(desk, request);
  const found = must(await desk.app.skills.list()).find(({ requestId }) => requestId === request.requestId);
  if (found === undefined) throw new Error("an approved installation is settled");
  return found;
}

type Step = { readonly tool?: string; readonly args: string; readonly id?: string; readonly more?: string };

export const skillPlan = ({ tool = "node_exec", args, id = "task-count", more = "" }: Step): string => `---
id: ${id}
type: task
title: Count
skills: [word-count]
budget: { max_attempts: 2 }
steps:
  - { name: count, tool: ${tool}, args: ${args} }
${more}
verify:
  - { name: counted, run: cat count.txt, expect: { equals: "3 words" } }
---

# What to do

Count.
`;
export const COUNT_ARGS = '{ skill: word-count, file: scripts/count.mjs, input: { text: "one two three" } }';

export async function proposed({ app }: Desk, markdown: string): Promise<KeptRequest> {
  return must(await app.approvals.propose(markdown, TERMINAL)).request;
}

export async function runOf({ app }: Desk, { requestId }: Pick<KeptRequest, "requestId">): Promise<WorkDetail> {
  const found = must(await app.work.list({ idPart: requestId }))[0];
  if (found === undefined) throw new Error("an approval lets a run begin");
  await app.work.runGranted(found.run.runId);
  return must(await app.work.show(found.run.runId));
}

export async function refusalOf({ app }: Desk, markdown: string): Promise<object | null> {
  const refused = await app.approvals.propose(markdown, TERMINAL);
  return refused.ok ? null : refused.error;
}
