import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHome, type Home } from "./cli-process.ts";
import { sitAt } from "./typing-person.ts";

type Outcome = {
  readonly operationId: string;
  readonly subjectId: string;
  readonly records: readonly { id: string; kind: string; body: Record<string, unknown> }[];
};
type TaskList = {
  readonly tasks: readonly { readonly task: { id: string; body: Record<string, unknown> } }[];
  readonly nextCursor: string | null;
};

/** No cursor movement, no colour, nothing that reorders text. */
const RAW_CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

let home: Home;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.remove());

const end = (id: string): string => id.slice(-6);
const add = async (...args: string[]): Promise<Outcome> => home.json<Outcome>(["tasks", "add", ...args, "--json"]);
const titles = async (view: string): Promise<unknown[]> =>
  (await home.json<TaskList>(["tasks", "list", "--view", view, "--json"])).tasks.map(({ task }) => task.body["title"]);
/** Everything that was done so far was done long ago. */
function makeOld(): void {
  const database = new DatabaseSync(join(home.dir, "data", "db.sqlite"), { timeout: 60_000 });
  database.exec("UPDATE operations SET at = '2026-01-05T09:00:00.000Z'");
  database.close();
}

describe("tasks in the terminal, without a server", () => {
  test("capture shows what it understood, and the task is there", async () => {
    const ran = await home.silas(["tasks", "add", "call Ana tomorrow 9 #home !2 est 30m"]);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).toMatch(/call Ana/);
    const { tasks } = await home.json<TaskList>(["tasks", "list", "--json"]);
    expect(tasks[0]?.task.body).toMatchObject({
      title: "call Ana",
      priority: 2,
      dueTime: "09:00",
      estimateMinutes: 30,
    });
    const table = await home.silas(["tasks", "list"]);
    expect(table.out).toMatch(/!2 +\d{4}-\d\d-\d\d 09:00 +call Ana/);
    expect(table.out.split("\n").every((line) => line.length <= 80)).toBe(true);
  });

  test("--raw takes the text literally", async () => {
    const outcome = await add("--raw", "buy #7 screws tomorrow !1");
    expect(outcome.records.find(({ kind }) => kind === "task")?.body).toMatchObject({
      title: "buy #7 screws tomorrow !1",
      dueDate: null,
    });
  });

  test("edit, done, reopen, drop, archive, move, delete and undo", async () => {
    const { subjectId } = await add("--raw", "write the report");
    const id = end(subjectId);
    for (const args of [
      [
        "edit",
        id,
        "--title",
        "write the long report",
        "--priority",
        "1",
        "--due",
        "2026-12-24",
        "--at",
        "18:30",
        "--estimate",
        "1h30m",
      ],
      ["done", id],
      ["reopen", id],
      ["drop", id],
      ["archive", id],
      ["unarchive", id],
      ["reopen", id],
      ["move", id, "--first"],
    ]) {
      expect(await home.silas(["tasks", ...args]), args.join(" ")).toMatchObject({ code: 0, err: "" });
    }
    const shown = await home.json<{ task: { body: unknown } }>(["tasks", "show", id, "--json"]);
    expect(shown.task.body).toMatchObject({
      title: "write the long report",
      priority: 1,
      dueDate: "2026-12-24",
      dueTime: "18:30",
      estimateMinutes: 90,
      status: "OPEN",
    });
    expect((await titles("open"))[0]).toBe("write the long report");
    expect(await home.silas(["tasks", "delete", id])).toMatchObject({ code: 0 });
    expect(await titles("open")).not.toContain("write the long report");
    const undo = await home.silas(["undo"]);
    expect(undo).toMatchObject({ code: 0 });
    expect(undo.err).toContain("puts back task");
    expect(await titles("open")).toContain("write the long report");
    const again = /silas undo (\S+)/.exec(undo.out)?.[1] ?? "";
    expect(await home.silas(["undo", again, "--yes"])).toMatchObject({ code: 0 });
    expect(await titles("open")).not.toContain("write the long report");
  });

  test("undo asks before it removes what is older than a minute, and without a person refuses", async () => {
    await add("--raw", "written yesterday");
    makeOld();
    const refused = await home.silas(["undo"]);
    expect(refused).toMatchObject({ code: 3, out: "" });
    expect(refused.err).toMatch(/older than a minute.*nobody can be asked here/s);
    expect(refused.err).toContain("--yes");
    expect(await titles("open")).toContain("written yesterday");
    const declined = await sitAt(home, { args: ["undo"], turns: [{ when: /Remove it\?/, type: "n" }] });
    expect(declined.code).toBe(3);
    expect(await titles("open")).toContain("written yesterday");
    expect(await home.silas(["undo", "--preview"])).toMatchObject({ code: 0 });
    const agreed = await sitAt(home, { args: ["undo"], turns: [{ when: /Remove it\?/, type: "y" }] });
    expect(agreed).toMatchObject({ code: 0, screen: expect.stringContaining("Undone.") });
    expect(await titles("open")).not.toContain("written yesterday");
  });

  test("undo asks nothing where it only puts something back, or with --yes", async () => {
    const { subjectId } = await add("--raw", "deleted last week");
    expect(await home.silas(["tasks", "delete", end(subjectId)])).toMatchObject({ code: 0 });
    makeOld();
    expect(await home.silas(["undo"])).toMatchObject({ code: 0 });
    expect(await titles("open")).toContain("deleted last week");
    await add("--raw", "added last week");
    makeOld();
    expect(await home.silas(["undo", "--yes"])).toMatchObject({ code: 0 });
    expect(await titles("open")).not.toContain("added last week");
  });

  test("labels, items and a follow-up with its preview", async () => {
    const { subjectId } = await add("--raw", "plan the trip", "--item", "tickets", "hotel");
    const id = end(subjectId);
    expect(await home.silas(["tasks", "labels", "add", "errand"])).toMatchObject({ code: 0 });
    expect(await home.silas(["tasks", "edit", id, "--label", "errand"])).toMatchObject({ code: 0 });
    const { checklists } = await home.json<{ checklists: { items: { id: string; body: { title: string } }[] }[] }>([
      "tasks",
      "show",
      id,
      "--json",
    ]);
    const ticket = checklists[0]?.items.find(({ body }) => body.title === "tickets")?.id ?? "";
    expect(await home.silas(["tasks", "item", "check", id, end(ticket)])).toMatchObject({ code: 0 });
    const preview = await home.silas(["tasks", "follow-up", id, "pack", "bags", "--close", "done", "--preview"]);
    expect(preview).toMatchObject({ code: 0, out: "" });
    expect(preview.err).toContain("1 open item carried over");
    expect(await titles("open")).not.toContain("pack bags");
    expect(await home.silas(["tasks", "follow-up", id, "pack", "bags", "--close", "done"])).toMatchObject({ code: 0 });
    expect(await titles("open")).toContain("pack bags");
    expect(await titles("done")).toContain("plan the trip");
  });

  test("hostile titles reach no terminal and stay as they were written", async () => {
    const hostile = "pay \u001b[2J\u001b]0;own\u0007 rent\u202Etxt.exe\u2066";
    await add("--raw", hostile);
    for (const args of [
      ["tasks", "list"],
      ["search", "rent"],
      ["undo", "--list"],
    ]) {
      const { out, err } = await home.silas(args);
      expect(out + err, args.join(" ")).not.toMatch(RAW_CONTROLS);
    }
    expect(await titles("open")).toContain(hostile);
  });

  test("wrong input says which, changes nothing, and has its exit code", async () => {
    const before = await titles("open");
    const cases: [string[], number, RegExp][] = [
      [["tasks", "done", "zzzzzz"], 1, /no task "zzzzzz"/],
      [["tasks", "done", "3"], 2, /too short/],
      [["tasks", "add", "--raw", "  "], 2, /title/i],
      [["tasks", "add", "--raw", "x".repeat(501)], 2, /title/i],
      [["tasks", "edit", "zzzzzz"], 1, /no task/],
      [["tasks", "list", "--view", "nonsense"], 2, /open, today/],
      [["tasks", "list", "--limit", "0"], 2, /1 to 500/],
      [["tasks", "lst"], 2, /Did you mean list/],
      [["task"], 2, /Did you mean tasks/],
      [["tasks", "list", "--jsn"], 2, /Did you mean --json/],
      [["rate", "day", "6"], 2, /not a rating/],
      [["time", "add", "soon"], 2, /not a duration/],
      [["time", "stop"], 1, /timer/],
      [["journal", "add", "x", "--when", "noonish"], 2, /not a moment/],
      [["journal", "import", "nowhere.jsonl"], 1, /could not be read/],
      [["search"], 2, /missing required argument[^]*with --help/],
      [["help", "taks"], 2, /^unknown command 'taks'[^]*Did you mean tasks/],
      [["undo", "zzzzzz"], 1, /no operation/],
    ];
    for (const [args, code, sentence] of cases) {
      const ran = await home.silas(args);
      expect({ args, code: ran.code, out: ran.out }, ran.err).toEqual({ args, code, out: "" });
      expect(ran.err).toMatch(sentence);
      expect(ran.err).not.toMatch(/\n\s+at /);
    }
    expect(await titles("open")).toEqual(before);
  });
});

describe("the rest of the journal in the terminal", () => {
  test("notes: write, list, show, edit, delete", async () => {
    const { subjectId } = await home.json<Outcome>(["journal", "add", "slept", "well", "--json"]);
    const id = end(subjectId);
    expect((await home.silas(["journal", "list"])).out).toMatch(/note +slept well/);
    expect(await home.silas(["journal", "edit", id, "--text", "slept very well"])).toMatchObject({ code: 0 });
    expect((await home.silas(["journal", "show", id])).out).toContain("slept very well");
    expect((await home.json<{ hits: unknown[] }>(["search", "slept", "--json"])).hits).toHaveLength(1);
    expect(await home.silas(["journal", "delete", id])).toMatchObject({ code: 0 });
    expect((await home.silas(["search", "slept"])).err).toContain("Nothing found");
  });

  test("time: start, status, stop, add, list, edit, rate, delete", async () => {
    expect(await home.silas(["time", "start", "reading", "--since", "-10m"])).toMatchObject({ code: 0 });
    expect((await home.silas(["time", "status"])).out).toMatch(/^1\dm since \d\d:\d\d {2}reading\n$/);
    expect((await home.silas(["time", "start", "again"])).code).toBe(1);
    expect(await home.silas(["time", "stop"])).toMatchObject({ code: 0 });
    const { subjectId } = await home.json<Outcome>([
      "time",
      "add",
      "45m",
      "review",
      "--from",
      "yesterday 09:00",
      "--json",
    ]);
    expect(await home.silas(["time", "edit", end(subjectId), "--to", "yesterday 10:00"])).toMatchObject({ code: 0 });
    expect((await home.silas(["time", "list"])).out).toMatch(/09:00 +10:00 +1h +review/);
    expect(await home.silas(["rate", "session", end(subjectId), "4"])).toMatchObject({ code: 0 });
    expect(await home.silas(["time", "delete", end(subjectId)])).toMatchObject({ code: 0 });
  });

  test("day plan, ratings and categories", async () => {
    const { subjectId } = await add("--raw", "one thing");
    expect(await home.silas(["plan-day", "pin", end(subjectId)])).toMatchObject({ code: 0 });
    expect(await home.silas(["plan-day", "block", "add", "09:00", "10:30", "deep", "work"])).toMatchObject({ code: 0 });
    expect(await home.silas(["plan-day", "note", "quiet", "day"])).toMatchObject({ code: 0 });
    expect(await home.silas(["rate", "day", "5"])).toMatchObject({ code: 0 });
    expect(await home.silas(["rate", "task", end(subjectId), "3"])).toMatchObject({ code: 0 });
    const shown = (await home.silas(["plan-day", "show"])).out;
    for (const part of [/rated 5 of 5/, /quiet day/, /one thing/, /09:00-10:30 +deep work/])
      expect(shown).toMatch(part);
    const day = await home.json<{ blocks: { id: string }[] }>(["plan-day", "show", "--json"]);
    expect(await home.silas(["plan-day", "block", "delete", end(day.blocks[0]?.id ?? "")])).toMatchObject({ code: 0 });
    expect(await home.silas(["plan-day", "unpin", end(subjectId)])).toMatchObject({ code: 0 });
    for (const args of [
      ["add", "garden"],
      ["rename", "garden", "yard"],
      ["archive", "yard"],
      ["unarchive", "Yard"],
    ]) {
      expect(await home.silas(["categories", ...args]), args.join(" ")).toMatchObject({ code: 0 });
    }
    expect((await home.silas(["categories", "list"])).out).toContain("yard");
    expect((await home.silas(["categories", "add", "yard"])).code).toBe(1);
  });

  test("export is private, refuses to overwrite, and import of it changes nothing", async () => {
    const file = join(home.dir, "journal.jsonl");
    expect(await home.silas(["journal", "export", "--to", file])).toMatchObject({ code: 0, out: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const printed = await home.silas(["journal", "export"]);
    expect(printed.out).toBe(readFileSync(file, "utf8"));
    expect((await home.silas(["journal", "export", "--to", file])).err).toContain("EEXIST");
    expect(await home.json(["journal", "import", file, "--json"])).toMatchObject({
      added: 0,
      replaced: 0,
      conflicts: [],
    });
    const other = createHome();
    try {
      expect((await other.silas(["journal", "import", file])).code).toBe(0);
      expect((await other.silas(["journal", "export"])).out).toBe(printed.out);
    } finally {
      await other.remove();
    }
    writeFileSync(join(home.dir, "broken.jsonl"), `${printed.out.split("\n")[0] ?? ""}\n{"half":\n`);
    const broken = await home.silas(["journal", "import", "broken.jsonl"]);
    expect(broken).toMatchObject({ code: 1 });
    expect(broken.err).toMatch(/2/);
  });

  test("changes count on without a gap", async () => {
    const { changes } = await home.json<{ changes: { counter: number }[] }>([
      "journal",
      "changes",
      "--limit",
      "500",
      "--json",
    ]);
    expect(changes.map(({ counter }) => counter)).toEqual(changes.map((_, index) => index + 1));
  });

  test("a reader that stops early is no failure", async () => {
    const { execFileSync } = await import("node:child_process");
    const script = `"${process.execPath}" src/main.ts tasks list --json | head -n 1`;
    const out = execFileSync("bash", ["-c", `set -o pipefail; ${script}`], {
      env: { PATH: process.env["PATH"], HOME: home.dir, SILAS_HOME: home.dir },
      encoding: "utf8",
    });
    expect(out).toBe("{\n");
  });
});
