import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import type { ChainBody, ErrorBody } from "#model";
import { createAuditRules } from "#policy";
import { systemEd25519, systemSha256 } from "#runtime";
import { openAuditLog } from "#stores";
import { startServer, type Running } from "./server-start.ts";

const ENTRIES = 30_000;
const WHOLE = "/api/activity/chain?whole=true";

let running: Running;
let stopped: Promise<void> | null = null;
const stop = (): Promise<void> => (stopped ??= running.stop());
afterEach(async () => {
  await stop();
  stopped = null;
});

/** A running Silas whose chain takes a while to verify, written beside it as `silas backup` writes its entries. */
async function startWithLongChain(): Promise<string> {
  running = await startServer();
  const dataDir = join(running.dir, "data");
  const log = openAuditLog({ dataDir, rules: createAuditRules(systemSha256, systemEd25519) });
  if (!log.ok) throw new Error(log.error.code);
  const at = new Date().toISOString() as Parameters<typeof log.value.append>[0]["at"];
  const entry = { event: "instance_stopped", data: {}, at, actor: { kind: "system" } } as const;
  await Promise.all(Array.from({ length: ENTRIES }, () => log.value.append(entry)));
  await log.value.close();
  return dataDir;
}

/** Asks for the whole chain, and answers when the thread that verifies it is there. */
async function askForWhole(): Promise<{ readonly thread: Worker; readonly answer: Promise<Response> }> {
  const begun = once(process, "worker");
  const answer = running.call(WHOLE);
  const [thread] = (await begun) as [Worker];
  return { thread, answer };
}

const refusal = async (answer: Response): Promise<string> => ((await answer.json()) as ErrorBody).error.code;

test("the server goes on answering while the whole chain is verified, and the thread is gone afterwards", async () => {
  await startWithLongChain();
  const events: string[] = [];
  const { thread, answer } = await askForWhole();
  const over = once(thread, "exit");
  const whole = answer.then((told) => (events.push("whole"), told));
  // One call, so that this holds on a busy machine too: the thread still has to load itself.
  const { status } = await fetch(`${running.url}/health`);
  events.push(`health ${status}`);
  const told = (await (await whole).json()) as ChainBody;
  expect(told).toMatchObject({ ok: true });
  expect(told.entries_checked).toBeGreaterThan(ENTRIES);
  expect(events).toEqual(["health 200", "whole"]);
  await over;
});

test("[AUD-02] a changed entry is named by the whole verification of a running server", async () => {
  const dataDir = await startWithLongChain();
  const db = new DatabaseSync(join(dataDir, "silas.db"));
  const triggers = db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit_entries'");
  for (const { name } of triggers.all()) db.exec(`DROP TRIGGER ${String(name)}`);
  db.prepare("UPDATE audit_entries SET entry = replace(entry, '\"system\"', '\"System\"') WHERE seq = ?").run(9_999);
  db.close();
  const told = (await (await running.call(WHOLE)).json()) as ChainBody;
  expect(told).toMatchObject({ ok: false, entries_checked: 9_998, broken: { code: "entry_changed", seq: 9_999 } });
});

test("a thread that dies is told as that, nothing is lost, and the next one has the verdict", async () => {
  await startWithLongChain();
  const { thread, answer } = await askForWhole();
  await thread.terminate();
  const refused = await answer;
  expect([refused.status, await refusal(refused)]).toEqual([503, "chain_check_ended"]);
  expect(await (await running.call(WHOLE)).json()).toMatchObject({ ok: true });
});

test("stopping ends a verification that is under way and answers whoever asked for it", async () => {
  await startWithLongChain();
  const { thread, answer } = await askForWhole();
  const over = once(thread, "exit");
  const stopping = stop();
  const refused = await answer;
  expect(await refusal(refused)).toBe("chain_check_ended");
  // A connection that stayed open would hold up the stop until its grace is over.
  expect(refused.headers.get("connection")).toBe("close");
  await stopping;
  await over;
});
