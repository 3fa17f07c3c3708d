import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { canonicalDigest, sha256Hex } from "#base";
import type { AuditDraft, AuditEntry, AuditQuery } from "#model";
import { AUDIT_GENESIS, auditFileStart, createAuditRules, endAuditFile, readAuditLine } from "#policy";
import type { AuditLog } from "#ports";
import { openMigratedRuntime } from "#sim";
import { openAuditLog, openAuditReader } from "#stores";
import { openInMemory } from "../stores-in-memory.ts";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

const rules = createAuditRules(sha256Hex);
const ALL: AuditQuery = { beforeSeq: null, from: null, to: null, limit: 500 };

async function openFile(dataDir = join(tempDir(), "data")): Promise<AuditLog> {
  const opened = must(
    await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules: rules }),
  );
  onTestFinished(() => opened.close());
  return opened.audit;
}

const stopped = (minutes: number): AuditDraft => ({
  event: "instance_stopped",
  data: {},
  at: at(minutes),
  actor: { kind: "system" },
});
const enrolled = (name: string): AuditDraft => ({
  event: "device_enrolled",
  data: { session_id: "session-1", device_name: name },
  at: at(0),
  actor: { kind: "owner", session_id: "session-1" },
});
const act = (event: "journal_import_started" | "journal_import_failed", actId: string): AuditDraft =>
  event === "journal_import_started"
    ? { event, data: { act_id: actId }, at: at(0), actor: { kind: "terminal" } }
    : { event, data: { act_id: actId, reason: "invalid_line" }, at: at(0), actor: { kind: "terminal" } };

describe.each([
  ["in memory", async () => openInMemory(rules).audit],
  ["on disk", () => openFile()],
] as const)("the audit log (%s)", (_name, openLog) => {
  test("[AUD-01] an entry's hash covers all of it and the hash of the entry before, and it is there to be read", async () => {
    const log = await openLog();
    const first = must(await log.append(enrolled("Firefox on Linux")));
    const second = must(await log.append(stopped(1)));
    expect([first.seq, second.seq]).toEqual([1, 2]);
    expect([first.prev_hash, second.prev_hash]).toEqual([AUDIT_GENESIS.hash, first.hash]);
    for (const { hash, ...covered } of [first, second]) expect(must(canonicalDigest(covered))).toBe(hash);
    expect(must(await log.entries(ALL))).toEqual([second, first]);
    expect(must(await log.head())).toEqual({ seq: 2, hash: second.hash });
  });

  test("[AUD-02] an untouched log of any length is valid, and every entry was checked", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }), { maxLength: 12 }),
        async (names) => {
          const log = await openLog();
          const drafts = names.map((name) => (name.trim() === "" ? stopped(1) : enrolled(name)));
          for (const draft of drafts) must(await log.append(draft));
          expect(must(await log.verify("genesis"))).toMatchObject({ valid: true, entriesChecked: drafts.length });
        },
      ),
      { numRuns: 20 },
    );
  });

  test("[AUD-03] a checkpoint marks the head; verifying goes from the latest or the named one to the head", async () => {
    const log = await openLog();
    for (let minute = 0; minute < 5; minute += 1) must(await log.append(stopped(minute)));
    const first = must(await log.checkpoint({ checkpointId: "checkpoint-1", at: at(6), key: null }));
    expect(first).toMatchObject({ checkpointId: "checkpoint-1", seq: 6 });
    for (let minute = 7; minute < 10; minute += 1) must(await log.append(stopped(minute)));
    must(await log.checkpoint({ checkpointId: "checkpoint-2", at: at(11), key: null }));
    must(await log.append(stopped(12)));
    const checked = async (from: Parameters<AuditLog["verify"]>[0]) => must(await log.verify(from));
    expect(await checked("latest")).toMatchObject({ valid: true, entriesChecked: 1 });
    expect(await checked({ checkpointId: "checkpoint-1" })).toMatchObject({ valid: true, entriesChecked: 5 });
    expect(await checked("genesis")).toMatchObject({ valid: true, entriesChecked: 11, headsChecked: 2 });
    expect(await checked({ checkpointId: "none" })).toMatchObject({
      valid: false,
      broken: { code: "checkpoint_unknown", checkpointId: "none" },
    });
  });

  test("a checkpoint with nothing new behind the last one is that one", async () => {
    const log = await openLog();
    must(await log.append(stopped(0)));
    const first = must(await log.checkpoint({ checkpointId: "checkpoint-1", at: at(1), key: null }));
    expect(must(await log.checkpoint({ checkpointId: "checkpoint-2", at: at(2), key: null }))).toEqual(first);
    expect(must(await log.head()).seq).toBe(2);
  });

  test("[AUD-06] appends at the same moment become one chain in the order they were asked for, and none is lost", async () => {
    const log = await openLog();
    const names = Array.from({ length: 200 }, (_, index) => `device ${index}`);
    const entries = (await Promise.all(names.map((name) => log.append(enrolled(name))))).map((each) => must(each));
    expect(entries.map(({ seq }) => seq)).toEqual(names.map((_, index) => index + 1));
    expect(entries.map(({ data }) => data["device_name"])).toEqual(names);
    expect(must(await log.verify("genesis"))).toMatchObject({ valid: true, entriesChecked: 200 });
  });

  test("[AUD-08] one refused among many at the same moment leaves no gap and keeps none of the others out", async () => {
    const log = await openLog();
    const drafts = Array.from({ length: 40 }, (_, index) => enrolled(`device ${index}`));
    const bad = { ...enrolled("Phone"), at: "yesterday" } as unknown as AuditDraft;
    const appended = await Promise.all([...drafts.slice(0, 5), bad, ...drafts.slice(5)].map((one) => log.append(one)));
    expect(appended.flatMap((one, index) => (one.ok ? [] : [index]))).toEqual([5]);
    expect(appended.flatMap((one) => (one.ok ? [one.value.seq] : []))).toEqual(drafts.map((_, index) => index + 1));
    expect(must(await log.verify("genesis"))).toMatchObject({ valid: true, entriesChecked: 40 });
  });

  test("[AUD-08] what an event's schema does not name is refused, and nothing is recorded", async () => {
    const log = await openLog();
    const good = enrolled("Phone");
    const bad = [
      { ...good, data: { ...good.data, token: "secret" } },
      { ...good, data: { session_id: "s" } },
      { ...good, event: "device_stolen" },
      { ...good, actor: { kind: "owner" } },
      { ...good, actor: { kind: "system", token: "secret" } },
      { ...good, at: "yesterday" },
      { ...act("journal_import_failed", "a"), data: { act_id: "a", reason: "the password is hunter2" } },
    ] as unknown as AuditDraft[];
    for (const draft of bad) {
      expect(await log.append(draft)).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    }
    expect(must(await log.head()).seq).toBe(0);
  });

  test("entries are paged from the newest, by number and by time", async () => {
    const log = await openLog();
    for (const minutes of [0, 10, 5, 20, 30]) must(await log.append(stopped(minutes)));
    const seqs = async (query: Partial<AuditQuery>) =>
      must(await log.entries({ ...ALL, ...query })).map(({ seq }: AuditEntry) => seq);
    expect(await seqs({ limit: 2 })).toEqual([5, 4]);
    expect(await seqs({ limit: 2, beforeSeq: 4 })).toEqual([3, 2]);
    // Entry 3 was written after a clock was set back: between times the order is that of the times.
    expect(await seqs({ from: at(5), to: at(20) })).toEqual([2, 3]);
    expect(await seqs({ from: at(5), to: at(20), beforeSeq: 2 })).toEqual([3]);
    expect(await seqs({ from: at(5), beforeSeq: 99, limit: 2 })).toEqual([5, 4]);
    expect(await seqs({ from: at(5), beforeSeq: 0 })).toEqual([]);
    expect(await seqs({ from: at(20) })).toEqual([5, 4]);
    expect(await seqs({ to: at(10), beforeSeq: 3 })).toEqual([1]);
    // Two of one moment: behind the second stands the first, and neither where that moment is the end.
    must(await log.append(stopped(30)));
    expect(await seqs({ from: at(20), beforeSeq: 6 })).toEqual([5, 4]);
    expect(await seqs({ to: at(30), beforeSeq: 6, limit: 2 })).toEqual([4, 2]);
  });

  test("an act is ended when an entry says so", async () => {
    const log = await openLog();
    must(await log.append(act("journal_import_started", "one")));
    must(await log.append(act("journal_import_started", "two")));
    must(await log.append(act("journal_import_failed", "two")));
    expect(must(await log.endedActs(["one", "two", "three"]))).toEqual(new Set(["two"]));
  });

  test("[AUD-02] an export needs nothing but itself to be checked; any changed byte of it shows", async () => {
    const log = await openLog();
    for (const name of ["Firefox on Linux", "Téléphone 📱", '"quoted"\\']) must(await log.append(enrolled(name)));
    must(await log.checkpoint({ checkpointId: "checkpoint-1", at: at(9), key: null }));
    const lines: string[] = [];
    for await (const line of log.exportLines()) lines.push(line);
    expect(checkLines(lines)).toMatchObject({ ok: true, value: must(await log.head()) });
    const text = Buffer.from(lines.join("\n"));
    for (let index = 0; index < text.length; index += 1) {
      const changed = Buffer.from(text);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(checkLines(changed.toString("utf8").split("\n")).ok, `byte ${index}`).toBe(false);
    }
    for (let index = 0; index < lines.length; index += 1) {
      expect(checkLines(lines.toSpliced(index, 1)).ok, `without line ${index}`).toBe(false);
      expect(checkLines(lines.toSpliced(index, 0, lines[index] ?? "")).ok, `line ${index} twice`).toBe(false);
    }
  });
});

function checkLines(lines: readonly string[]): ReturnType<typeof endAuditFile> {
  let state = auditFileStart;
  for (const line of lines) {
    const read = readAuditLine(state, { text: line, hash: sha256Hex });
    if (!read.ok) return read;
    state = read.value;
  }
  return endAuditFile(state);
}

describe("the audit log on disk", () => {
  test("[AUD-06] two connections write one chain, and it goes on unbroken after a restart", async () => {
    const dataDir = join(tempDir(), "data");
    const log = await openFile(dataDir);
    const beside = must(openAuditLog({ dataDir, rules }));
    for (let round = 0; round < 20; round += 1) {
      must(await log.append(stopped(round)));
      must(await beside.append(enrolled(`device ${round}`)));
    }
    must(await beside.checkpoint({ checkpointId: "checkpoint-1", at: at(50), key: null }));
    await beside.close();
    await log.close();
    const again = await openFile(dataDir);
    must(await again.append(stopped(60)));
    expect(must(await again.verify("genesis"))).toMatchObject({ valid: true, entriesChecked: 42, headsChecked: 1 });
    const reader = must(openAuditReader({ dataDir, rules }));
    onTestFinished(() => reader.close());
    expect(must(await reader.verify("latest"))).toMatchObject({ valid: true, entriesChecked: 1 });
    expect(must(await reader.entries({ ...ALL, limit: 1 }))[0]).toMatchObject({ seq: 42, event: "instance_stopped" });
  });

  test("a directory without a log says so, and nothing is made there", () => {
    const dataDir = tempDir();
    expect(openAuditReader({ dataDir, rules })).toMatchObject({ ok: false, error: { code: "no_audit" } });
    expect(openAuditLog({ dataDir, rules })).toMatchObject({ ok: false, error: { code: "no_audit" } });
  });
});
