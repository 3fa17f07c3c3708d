import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHome, databaseIn, type Home } from "./cli-process.ts";
import { pageGoalPlan } from "./goal-plans.ts";
import { sitAt } from "./typing-person.ts";

type Repair = { readonly request_id: string | null; readonly run_id: string | null; readonly why_asked: string | null };
type Cycle = {
  readonly number: number;
  readonly ended: string;
  readonly reason: string;
  readonly repair: Repair | null;
};
type Goal = {
  readonly goal_id: string;
  readonly status: string;
  readonly next_due: string | null;
  readonly repairs_used: number;
  readonly repairs_max: number;
  readonly cycles: readonly Cycle[];
};
type Asked = { readonly request_id: string; readonly projection: string };
type Request = { readonly request_id: string; readonly plan_hash: string };

let home: Home;
let place: string;
beforeAll(async () => {
  home = createHome();
  place = mkdtempSync("/var/tmp/silas-goal-");
  await home.silas(["init"]);
});
afterAll(async () => {
  await home.remove();
  rmSync(place, { recursive: true, force: true });
});

const page = (): string => join(place, "page.html");
const show = (): Promise<Goal> => home.json<Goal>(["goals", "show", "goal-page", "--json"]);

async function approveGoal(terms: readonly string[]): Promise<void> {
  const file = join(home.dir, "goal.md");
  writeFileSync(file, pageGoalPlan(place));
  const { request } = await home.json<{ readonly request: Request }>(["plan", "propose", file, ...terms, "--json"]);
  await approve(request);
}
/** A person at a terminal: it runs unattended, and changes a place of the owner. */
async function approve({ request_id: id, plan_hash: hash }: Request): Promise<void> {
  const turns = [
    { when: /Approve this plan\?/, type: "y" },
    { when: /first 8 characters/, type: `${hash.slice(0, 8)}\r` },
  ];
  expect(await sitAt(home, { args: ["approve", id], turns })).toMatchObject({ code: 0 });
}

describe("goals through the silas command, in the real sandbox", () => {
  test("[GOAL-04] [GOAL-05] [GOAL-06] a goal is checked, repaired on the approval given in advance, and asked about when that is used up", async () => {
    await approveGoal(["--repairs", "1", "--until", "2098-12-31"]);
    const repaired = await home.silas(["goals", "check", "goal-page"]);
    expect(repaired.code).toBe(0);
    expect(repaired.out).toContain("Repaired, 1 of 1 passed");
    expect(existsSync(page())).toBe(true);

    rmSync(page());
    const asked = await home.silas(["goals", "check", "goal-page"]);
    expect(asked.code).toBe(3);
    expect(asked.out).toContain("used up");
    expect(existsSync(page())).toBe(false);
    const waits = await show();
    expect(waits).toMatchObject({ status: "waiting_for_you", repairs_used: 1 });
    const inbox = await home.json<{ readonly requests: readonly Request[] }>(["inbox", "--json"]);
    const request = inbox.requests.find(({ request_id: id }) => id === waits.cycles[0]?.repair?.request_id);
    if (request === undefined) throw new Error("the repair is not in the inbox");
    await approve(request);

    // A running Silas takes up what was approved while none ran, and looks after it from then on.
    await home.start();
    await expect.poll(async () => (await show()).status, { interval: 500 }).toBe("healthy");
    expect(existsSync(page())).toBe(true);
    const paused = await home.silas(["goals", "pause", "goal-page"]);
    expect(paused.out).toMatch(/State +Paused/);
    expect(paused.out).toMatch(/Next +not planned/);
    const resumed = await home.json<Goal>(["goals", "resume", "goal-page", "--json"]);
    expect(resumed.next_due).toMatch(/T0[45]:00:00\.000Z$/);
    const table = await home.silas(["goals"]);
    expect(table.out).toMatch(/goal-page\s+Keep the page there\s+Well\s+1 of 1/);
    // As the scheduler leaves it where the settings say to ask.
    const database = databaseIn(home.dir);
    database.exec("UPDATE goals SET missed_count = 2");
    database.close();
    expect((await home.silas(["inbox"])).out).toContain("silas goals leave goal-page");
    expect((await home.silas(["goals", "leave", "goal-page"])).code).toBe(0);
    expect((await home.silas(["inbox"])).out).not.toContain("goal-page");
    const told = (await home.silas(["activity"])).out;
    expect(told).toContain("Checked");
    expect(told).toContain("is well again after a repair");
    expect((await home.silas(["audit", "verify"])).code).toBe(0);
  });

  test("[BATCH-01] [BATCH-03] a goal asks about the files of a folder; a question is answered with a place, and only then the file moves", async () => {
    const folder = join(place, "files");
    mkdirSync(folder);
    for (const name of ["a.pdf", "README"]) {
      writeFileSync(join(folder, name), name);
      utimesSync(join(folder, name), 1_700_000_000, 1_700_000_000);
    }
    const file = join(home.dir, "files.md");
    const keys = `id: goal-files\ntype: goal\ntitle: Keep it tidy\nfiles: { read: [${folder}] }`;
    writeFileSync(file, `---\n${keys}\nreviewed_batches: { folder: ${folder} }\n---\n\n# What to do\n\nAsk.\n`);
    const { request } = await home.json<{ readonly request: Request }>(["plan", "propose", file, "--json"]);
    await approve(request);
    const looked = await home.silas(["goals", "check", "goal-files"]);
    expect(looked).toMatchObject({ code: 3 });
    expect(looked.out).toContain("2 questions about its files wait for you");
    expect(looked.out).toContain("asked about 2 files");
    const { requests } = await home.json<{ readonly requests: readonly Asked[] }>(["inbox", "--json"]);
    const question = requests.find(({ projection }) => projection.includes("choose_move"));
    if (question === undefined) throw new Error("there is a question");
    const unanswered = await home.silas(["approve", question.request_id]);
    expect(unanswered).toMatchObject({ code: 3 });
    expect(unanswered.err).toContain("README -> Documents/README");
    const turns = [
      { when: /Approve this\?/, type: "y" },
      { when: /Type approve/, type: "approve\r" },
    ];
    expect(await sitAt(home, { args: ["approve", question.request_id, "--choose", "2"], turns })).toMatchObject({
      code: 0,
    });
    const isThere = (): boolean => existsSync(join(folder, "Documents/README"));
    await expect.poll(isThere, { interval: 200 }).toBe(true);
    // The other one waits, and nothing happened to it.
    expect(existsSync(join(folder, "a.pdf"))).toBe(true);
    expect((await home.silas(["goals", "check", "goal-files"])).out).toContain("nothing to ask about");
  });

  test("[WORK-06] a goal of the conversation is in force for what is said once it is approved, says so, and is out while it is paused", async () => {
    const file = join(home.dir, "shop.md");
    const gate = '{ name: no-links, on: every_user_message, type: regex, config: { pattern: "[^:]*" } }';
    const keys = `id: goal-shop\ntype: goal\ntitle: Mind the shop\nagent: stream\ngates: [${gate}]`;
    writeFileSync(file, `---\n${keys}\n---\n\nAnswer politely.\n`);
    const { request } = await home.json<{ readonly request: Request }>(["plan", "propose", file, "--json"]);
    expect(await home.silas(["say", "see https://example.org"])).toMatchObject({ code: 0 });
    await approve(request);
    const blocked = await home.silas(["say", "see https://example.org"]);
    expect(blocked).toMatchObject({ code: 1 });
    expect(blocked.out).toContain("no-links");
    expect(await home.silas(["say", "hello"])).toMatchObject({ code: 0 });
    const shown = await home.silas(["goals", "show", "goal-shop"]);
    expect(shown.out).toMatch(/Messages +In force for messages\n +Gates +no-links \(messages\)/);
    const paused = await home.silas(["goals", "pause", "goal-shop"]);
    expect(paused.out).toMatch(/Messages +Not in force for messages: it is paused/);
    expect(await home.silas(["say", "see https://example.org"])).toMatchObject({ code: 0 });
    expect((await home.silas(["activity"])).out).toContain('"Mind the shop" is no longer in force for messages');
  });
});

describe("the zone of a schedule", () => {
  const ZONES = ["Asia/Tokyo", "America/New_York"] as const;
  let elsewhere: Home;
  beforeAll(() => {
    elsewhere = createHome();
  });
  afterAll(() => elsewhere.remove());

  const goalIn = async (zone: string, id: string) => {
    const { out } = await elsewhere.silas(["goals", "show", id, "--json"], { env: { TZ: zone } });
    return JSON.parse(out) as { readonly time_zone: string; readonly next_due: string };
  };

  test("is the system's when the goal is approved, and stays when the machine is somewhere else", async () => {
    for (const zone of ZONES) {
      const id = `goal-${zone.slice(-3)}`;
      const keys = `id: ${id}\ntype: goal\ntitle: Every morning\nschedule: "0 6 * * *"`;
      const input = `---\n${keys}\n---\n\nLook.\n`;
      const proposed = await elsewhere.silas(["plan", "propose", "-", "--json"], { input });
      const { request } = JSON.parse(proposed.out) as { readonly request: Request };
      const turns = [
        { when: /Approve this plan\?/, type: "y" },
        { when: /first 8 characters/, type: `${request.plan_hash.slice(0, 8)}\r` },
      ];
      const sat = await sitAt(elsewhere, { args: ["approve", request.request_id], turns, zone });
      expect(sat).toMatchObject({ code: 0, screen: expect.stringMatching(/when +every day at 06:00/) });
    }
    for (const zone of ZONES) {
      const seen = await Promise.all([...ZONES, "Europe/Vienna"].map((here) => goalIn(here, `goal-${zone.slice(-3)}`)));
      for (const goal of seen) {
        expect(goal.time_zone).toBe(zone);
        const hour = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
        expect(hour.format(new Date(goal.next_due))).toBe("06:00");
      }
    }
  });

  test("of a goal from before zones were kept is the one it went by: the configured one, else Europe/Vienna", async () => {
    const database = databaseIn(elsewhere.dir);
    database.exec("UPDATE timers SET time_zone = NULL");
    database.close();
    expect(await goalIn("Asia/Tokyo", "goal-kyo")).toMatchObject({ time_zone: "Europe/Vienna" });
    const env = { TZ: "Asia/Tokyo", SILAS_SCHEDULER__TIMEZONE: "America/New_York" };
    const { out } = await elsewhere.silas(["goals", "show", "goal-kyo", "--json"], { env });
    expect(JSON.parse(out)).toMatchObject({ time_zone: "America/New_York" });
  });
});
