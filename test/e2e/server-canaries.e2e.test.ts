/** Thirty forms of credentials by every way in: each is refused before anything of it is stored, logged or sent on. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OWNER, startBotServer, TOKEN, type BotServer } from "../bot-api-server.ts";
import { secretTexts } from "../secret-texts.ts";
import { filesIn } from "./file-tree.ts";
import { terminalOf, type Answered, type Caller } from "./page-device.ts";
import { startServer, type Running } from "./server-start.ts";
import { createHandMachine, opened, openSocket, type Talk } from "./server-talk.ts";

const SECRETS = secretTexts(20_261_118);
const { clock, nextMinute } = createHandMachine();

let running: Running;
let terminal: Caller;
let bot: BotServer;
let page: Talk;
let outside: string;
const answers: string[] = [];

beforeAll(async () => {
  outside = mkdtempSync(join(tmpdir(), "silas-canaries-"));
  bot = await startBotServer();
  running = await startServer({
    machine: { clock },
    flags: { "channels.telegram.enabled": "true", "channels.telegram.api_root": bot.url },
    env: { SILAS_TELEGRAM_TOKEN: TOKEN, SILAS_TELEGRAM_OWNER_ID: String(OWNER) },
  });
  terminal = terminalOf(running);
  page = openSocket(running, { protocols: ["silas", `bearer.${running.token}`] });
  await opened(page);
});
afterAll(async () => {
  page.socket.close();
  await running.stop();
  await bot.close();
  rmSync(outside, { recursive: true, force: true });
});

const sent = (text: string) => ({ text, attachments: [], reply_to: null, quotes: [], signed: null });
const asPage = (path: string, json: unknown): Promise<Answered> =>
  running.call(path, { json }).then(async (response) => {
    const body = (await response.json()) as { readonly error?: { readonly code: string } };
    return { status: response.status, code: body.error?.code ?? null, body };
  });
let operations = 0;
const command = (body: object) =>
  asPage("/api/journal/command", { operationId: `canary-${(operations += 1)}`, command: body });
const plan = (text: string): string =>
  `---\nid: task-1\ntype: task\ntitle: Upload\nsteps:\n  - { name: a, run: ls }\nverify:\n  - { name: b, run: "ls", expect: { exit_code: 0 } }\n---\n# Context\n${text}\n`;

function skill(files: Readonly<Record<string, string>>): string {
  const folder = join(outside, `skill-${(operations += 1)}`);
  const front = `name: ${folder.split("/").at(-1)}\ndescription: Uploads a report when somebody asks for it to be sent.`;
  for (const [path, text] of Object.entries({ "SKILL.md": `---\n${front}\n---\n# Upload\n`, ...files })) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text.replace("FRONT", front));
  }
  return folder;
}

type Way = (text: string) => Promise<Answered>;
const JOURNAL: Readonly<Record<string, Way>> = {
  "a note": (text) => command({ kind: "entry.create", form: "text", occurredAt: clock.now(), text }),
  "the title of a task": (text) => command({ kind: "task.create", title: text.replaceAll("\n", " ").slice(0, 500) }),
  "the notes of a task": (text) => command({ kind: "task.create", title: "Upload", notes: text }),
  "an item of a list": (text) =>
    command({ kind: "task.create", title: "Upload", items: [text.replaceAll("\n", " ").slice(0, 500)] }),
  "the note of a day": (text) => command({ kind: "plan.note", planDate: "2026-11-18", note: text }),
};
const WAYS: Readonly<Record<string, Way>> = {
  "a message of the page": (text) => asPage("/api/messages", sent(text)),
  "a message of the terminal": (text) => terminal.call("/api/messages", sent(text)),
  "signed words of the terminal": (text) =>
    terminal.call("/api/messages/say", { text, attachments: [], reply_to: null, quotes: [] }),
  "a memory": (text) => asPage("/api/memory", { from: "own", content: text, memory_type: "fact", semantic_tags: [] }),
  ...JOURNAL,
  "a plan to check": (text) => terminal.call("/api/approvals/check", { markdown: plan(text) }),
  "a plan": (text) => terminal.call("/api/approvals/propose", { markdown: plan(text) }),
};

describe("a credential", () => {
  test("what is sent without one is taken by every way in", async () => {
    for (const [name, way] of Object.entries(WAYS)) expect([name, (await way("Upload it")).code]).toEqual([name, null]);
  });

  test.each(Object.keys(WAYS))(
    "is refused as %s, whatever its form, in a sentence that names its kind",
    async (name) => {
      nextMinute();
      for (const [index, one] of SECRETS.entries()) {
        if (index % 20 === 19) nextMinute();
        const answer = await WAYS[name]?.(one.text);
        expect([one.name, answer?.status, answer?.code]).toEqual([one.name, 422, "holds_secret"]);
        answers.push(JSON.stringify(answer?.body));
      }
      expect(answers.at(-1)).toMatch(/This looks like an? .*Nothing of it was stored\. .*silas secrets set/);
    },
  );

  test("is refused in an import, which is then not written at all", async () => {
    const exported = await (await running.call("/api/journal/export")).text();
    for (const { name, text } of SECRETS) {
      nextMinute();
      const body = exported.replace("Upload it", () => JSON.stringify(text).slice(1, -1));
      const headers = { "content-type": "application/x-ndjson" };
      const response = await running.call("/api/journal/import", { method: "POST", headers, body });
      answers.push(await response.text());
      expect([name, response.status, answers.at(-1)]).toEqual([name, 400, expect.stringMatching(/looks like: /)]);
    }
  });

  test("is refused in a skill, in its text and in its scripts, and nothing of it is copied", async () => {
    for (const { name, text } of SECRETS) {
      const comment = text
        .split("\n")
        .map((line) => `// ${line}`)
        .join("\n");
      for (const files of [{ "SKILL.md": `---\nFRONT\n---\n# Upload\n${text}\n` }, { "scripts/a.mjs": comment }]) {
        const place = skill(files);
        const installed = await terminal.call("/api/skills/install", { place });
        answers.push(JSON.stringify(installed.body));
        expect([name, installed.code, answers.at(-1)]).toEqual([
          name,
          "skill_invalid",
          expect.stringContaining("credential"),
        ]);
      }
    }
  });

  test("[SECRET-11] is refused in the chat, and the chat is told so", async () => {
    const refusals = () => bot.chat().filter(({ text }) => text.startsWith("This looks like a secret")).length;
    for (const { text } of SECRETS) {
      const before = refusals();
      bot.write(text);
      await expect.poll(refusals, { interval: 20 }).toBe(before + 1);
    }
    answers.push(...bot.calls.map(({ body }) => JSON.stringify(body)));
  });

  test("is nowhere afterwards: not in a database, a write-ahead log, a log file, an answer or a frame", async () => {
    const files = filesIn(running.dir);
    expect(files.some(({ path }) => path.endsWith("silas.db-wal"))).toBe(true);
    expect(files.some(({ path }) => path.endsWith(".log"))).toBe(true);
    const told = [...answers, ...page.frames.map((frame) => JSON.stringify(frame))].join("\n");
    const activity = await (await running.call("/api/activity?limit=500")).text();
    for (const { name, canary } of SECRETS) {
      const forms = [canary, Buffer.from(canary).toString("base64").slice(0, -4), Buffer.from(canary).toString("hex")];
      const holding = files.filter(({ bytes }) => forms.some((form) => bytes.includes(form))).map(({ path }) => path);
      expect([name, holding]).toEqual([name, []]);
      for (const form of forms)
        expect([name, told.includes(form), activity.includes(form)]).toEqual([name, false, false]);
    }
  });
});
