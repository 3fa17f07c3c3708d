import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JournalOutcome } from "#model";
import { startServer, type Running } from "./server-start.ts";

let running: Running;
beforeAll(async () => {
  running = await startServer();
});
afterAll(() => running.stop());

const command = (json: unknown) => running.call("/api/journal/command", { json });
const query = async (json: unknown): Promise<unknown> => (await running.call("/api/journal/query", { json })).json();
const exported = async (from = running): Promise<string> => (await from.call("/api/journal/export")).text();
const imported = (into: Running, body: string | Uint8Array<ArrayBuffer>) =>
  into.call("/api/journal/import", { method: "POST", headers: { "content-type": "application/x-ndjson" }, body });
const openTitles = async () => {
  const page = (await query({ kind: "tasks", view: "open", today: "2026-11-15" })) as {
    rows: { task: { body: { title: string } } }[];
  };
  return page.rows.map(({ task }) => task.body.title);
};

describe("commands over HTTP", () => {
  test("a task is captured, found, and shown with its provenance", async () => {
    const response = await command({
      operationId: "op-1",
      command: { kind: "task.create", title: "Water the plants" },
    });
    expect(response.status).toBe(200);
    const outcome = (await response.json()) as JournalOutcome;
    expect(outcome).toMatchObject({ operationId: "op-1", replayed: false, records: [{ counter: 1, revision: 1 }] });
    expect(await openTitles()).toContain("Water the plants");
    expect(await query({ kind: "task", id: outcome.subjectId })).toMatchObject({ task: { id: outcome.subjectId } });
    expect(await query({ kind: "task", id: "nobody" })).toBeNull();
  });

  test("the same request twice is applied once, also at the same moment", async () => {
    const request = { operationId: "op-twice", command: { kind: "task.create", title: "Only once" } };
    const answers = await Promise.all(Array.from({ length: 8 }, async () => (await command(request)).json()));
    const outcomes = answers as JournalOutcome[];
    expect(outcomes.filter((outcome) => !outcome.replayed)).toHaveLength(1);
    expect(new Set(outcomes.map((outcome) => outcome.subjectId)).size).toBe(1);
    expect((await openTitles()).filter((title) => title === "Only once")).toHaveLength(1);
  });

  test("the same id with another command is refused", async () => {
    await command({ operationId: "op-same", command: { kind: "label.create", name: "one" } });
    const response = await command({ operationId: "op-same", command: { kind: "label.create", name: "two" } });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ error: { code: "operation_mismatch", operationId: "op-same" } });
  });

  test("a preview shows what would change and changes nothing", async () => {
    const request = { operationId: "op-look", command: { kind: "task.create", title: "Just looking" } };
    const preview = (await (await command({ ...request, mode: "preview" })).json()) as JournalOutcome;
    expect(preview.records).toMatchObject([{ kind: "task", body: { title: "Just looking" } }]);
    expect(await openTitles()).not.toContain("Just looking");
    const applied = (await (await command(request)).json()) as JournalOutcome;
    expect(applied.replayed).toBe(false);
  });

  test("refusals of the journal keep their code, facts and a sentence", async () => {
    const response = await command({ operationId: "op-none", command: { kind: "task.delete", id: "nobody" } });
    expect(response.status).toBe(404);
    const body = (await response.json()) as { error: { message: string } };
    expect(body).toMatchObject({ error: { code: "not_found", what: "task", id: "nobody" } });
    expect(body.error.message).toMatch(/^There is no task/);
  });

  test("two tabs that edit one field: the second is told, and nothing of the first is lost", async () => {
    const made = (await (
      await command({ operationId: "op-tabs", command: { kind: "task.create", title: "Before" } })
    ).json()) as JournalOutcome;
    const edit = (operationId: string, title: string) =>
      command({
        operationId,
        command: { kind: "task.update", id: made.subjectId, set: { title }, was: { title: "Before" } },
      });
    const [one, two] = await Promise.all([edit("op-tab-1", "First"), edit("op-tab-2", "Second")]);
    expect([one.status, two.status].toSorted()).toEqual([200, 409]);
    const loser = one.status === 409 ? one : two;
    expect(await loser.json()).toMatchObject({ error: { code: "edit_conflict", field: "title" } });
  });

  test("text with emoji, right-to-left and control characters comes back exactly", async () => {
    const title = 'x \u202Eevil\u202C \u{1F469}\u200D\u{1F680} \u0007 שלום "quoted" <b>';
    const response = await command({ operationId: "op-odd", command: { kind: "task.create", title } });
    expect(await response.json()).toMatchObject({ records: [{ body: { title } }] });
  });
});

describe("export and import", () => {
  test("an export into an empty journal and out again is the same bytes, and a second import changes nothing", async () => {
    const first = await exported();
    const other = await startServer();
    const report = await (await imported(other, first)).json();
    expect(report).toMatchObject({ replaced: 0, unchanged: 0, conflicts: [] });
    expect(await exported(other)).toBe(first);
    const again = await (await imported(other, first)).json();
    expect(again).toMatchObject({ added: 0, replaced: 0, conflicts: [] });
    await other.stop();
  });

  test.each([
    ["nothing", () => ""],
    ["no header", (text: string) => text.split("\n").slice(1).join("\n")],
    ["no trailer", (text: string) => `${text.split("\n").slice(0, -2).join("\n")}\n`],
    ["a missing record", (text: string) => text.split("\n").toSpliced(1, 1).join("\n")],
    [
      "a repeated record",
      (text: string) =>
        text
          .split("\n")
          .toSpliced(1, 0, text.split("\n")[1] ?? "")
          .join("\n"),
    ],
    ["a changed record", (text: string) => text.replace("Water the plants", "Water the cats")],
    ["a line that is no JSON", (text: string) => text.split("\n").toSpliced(2, 1, "{").join("\n")],
    ["an empty line", (text: string) => text.split("\n").toSpliced(2, 0, "").join("\n")],
    ["a line after the trailer", (text: string) => `${text}{}\n`],
    ["a repeated key", (text: string) => text.replace('"body":', '"body":{},"body":')],
  ])("a file with %s is refused whole", async (_name, damage) => {
    const damaged = damage(await exported());
    const other = await startServer();
    const response = await imported(other, damaged);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "invalid_line", line: expect.any(Number) } });
    expect((await exported(other)).split("\n")).toHaveLength(3);
    await other.stop();
  });

  test("a line of three megabytes, bytes that are not UTF-8, and another type are refused whole", async () => {
    const before = await exported();
    expect((await imported(running, "x".repeat(3_000_000))).status).toBe(413);
    expect((await imported(running, Uint8Array.from([0xff, 0xfe, 0x0a]))).status).toBe(400);
    const asJson = await running.call("/api/journal/import", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: before,
    });
    expect(asJson.status).toBe(415);
    expect(await exported()).toBe(before);
  });

  test("a client that goes away in the middle leaves the journal as it was", async () => {
    const before = await exported();
    const gone = new AbortController();
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(before.split("\n")[0] ?? ""));
        gone.abort();
      },
    });
    const sent = running.call("/api/journal/import", {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body,
      signal: gone.signal,
      duplex: "half",
    } as RequestInit);
    await expect(sent).rejects.toThrow(/abort/i);
    expect(await exported()).toBe(before);
  });
});
