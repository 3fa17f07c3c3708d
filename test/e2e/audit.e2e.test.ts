import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHome, databaseIn, urlIn, type Home } from "./cli-process.ts";
import { enrol, tryEnrol } from "./server-start.ts";

type Item = { readonly event: string; readonly sentence: string; readonly state: string; readonly actor: object };
type Activity = { readonly items: readonly Item[]; readonly next_before_seq: number | null };
type Heads = { readonly heads_checked: number; readonly heads_signed: number; readonly last_signed_at: string | null };
type Verdict = { readonly ok: boolean; readonly broken?: { readonly code: string; readonly seq: number } };

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

/** Newest first, without the machine's own signing key, which is made by the way. */
const events = async (): Promise<readonly string[]> =>
  (await home.json<Activity>(["activity", "--json"])).items
    .map(({ event }) => event)
    .filter((event) => event !== "key_enrolled");

describe("what a running Silas records", () => {
  test("[AUD-08] start, sign-in, refused sign-ins, sign-out and stop are told in order, and no secret is among them", async () => {
    const started = await home.start();
    const url = urlIn(started.output());
    const link = /http:\S+#\S+/.exec(started.output())?.[0] ?? "";
    const { token, session_id: id } = await enrol(url, link);
    for (let index = 0; index < 9; index += 1) await tryEnrol(url, { code: "x".repeat(43), device_name: "Thief" });
    const authorization = `Bearer ${token}`;
    const activity = await fetch(`${url}/api/activity?limit=2`, { headers: { authorization } });
    expect(activity.status).toBe(200);
    const page = (await activity.json()) as Activity;
    expect(page.items.map(({ sentence }) => sentence)).toEqual(["Refused 1 sign-in", "Signed in Test device"]);
    expect(page.items[1]?.actor).toEqual({ kind: "owner", session_id: id });
    expect(page.next_before_seq).not.toBeNull();
    expect((await fetch(`${url}/api/activity`)).status).toBe(401);
    expect((await fetch(`${url}/api/activity?limit=0`, { headers: { authorization } })).status).toBe(400);
    expect((await fetch(`${url}/session`, { method: "DELETE", headers: { authorization } })).status).toBe(204);
    expect((await home.silas(["stop"])).code).toBe(0);
    await started.ended;
    const told = await events();
    expect(told.slice(0, 5)).toEqual([
      "instance_stopped",
      "enrolment_refused",
      "device_revoked",
      "enrolment_refused",
      "device_enrolled",
    ]);
    const exported = (await home.silas(["audit", "export"])).out;
    for (const secret of [token, link.split("#")[1] ?? "?", "x".repeat(43), "Thief"])
      expect(exported).not.toContain(secret);
    const verified = await home.json<Verdict & Heads>(["audit", "verify", "--full", "--json"]);
    expect(verified).toMatchObject({ ok: true, last_signed_at: expect.stringMatching(/Z$/) as string });
    // All but perhaps one, from before there was a key.
    expect(verified.heads_signed).toBeGreaterThanOrEqual(Math.max(2, verified.heads_checked - 1));
    expect((await home.silas(["audit", "verify"])).out).toMatch(/1 of 1 heads signed, the last at /);
  });

  test("[AUD-06] a killed Silas leaves a sound chain, and the next start tells of it", async () => {
    const started = await home.start();
    await enrol(urlIn(started.output()), /http:\S+#\S+/.exec(started.output())?.[0] ?? "");
    started.child.kill("SIGKILL");
    await started.ended;
    expect(await home.json<Verdict>(["audit", "verify", "--full", "--json"])).toMatchObject({ ok: true });
    await home.start();
    const { items } = await home.json<Activity>(["activity", "--json"]);
    expect(items[0]?.sentence).toMatch(/^Silas \S+ started; the run before it ended without a stop$/);
    expect(items.map(({ event }) => event)).toContain("device_enrolled");
  });
});

describe("the audit log in the terminal", () => {
  test("imports, exports, backups and restores are recorded, also beside a running Silas", async () => {
    const file = join(home.dir, "journal.jsonl");
    await home.silas(["tasks", "add", "Call Ana"]);
    await home.silas(["journal", "export", "--to", file]);
    expect((await home.silas(["journal", "import", "-"], { input: "nonsense\n" })).code).toBe(1);
    const started = await home.start();
    await home.silas(["journal", "import", file]);
    await home.silas(["backup", "--to", join(home.dir, "copy")]);
    await home.silas(["stop"]);
    await started.ended;
    const before = await events();
    expect(before.slice(0, 5)).toEqual([
      "instance_stopped",
      "backup_created",
      "journal_imported",
      "instance_started",
      "journal_import_failed",
    ]);
    expect(before).toContain("journal_exported");
    expect((await home.silas(["restore", join(home.dir, "copy"), "--yes"])).code).toBe(0);
    const after = await events();
    // The chain that came back ends where the copy was taken, and says what it replaced.
    expect(after.slice(0, 3)).toEqual(["backup_restored", "approvals_voided", "journal_imported"]);
    expect(await home.json<Verdict>(["audit", "verify", "--full", "--json"])).toMatchObject({ ok: true });
    expect(readdirSync(join(home.dir, "data")).some((name) => name.startsWith("audit-heads.jsonl.replaced-"))).toBe(
      true,
    );
    expect((await home.silas(["activity"])).out).toMatch(/^\d{4}-\d\d-\d\d\n {2}\d\d:\d\d {2}Restored the backup of /);
    expect((await home.silas(["activity", "--day", "2001-01-01"])).err).toBe("Nothing was recorded.\n");
  });

  test("[AUD-02] an edited entry ends verify and doctor with 1, each naming it; an export proves itself elsewhere", async () => {
    await home.silas(["init"]);
    const file = join(home.dir, "audit.jsonl");
    expect((await home.silas(["audit", "export", file])).code).toBe(0);
    expect((await home.silas(["audit", "verify", "--file", file])).out).toMatch(
      /^The chain holds: \d+ entries checked/,
    );
    const started = await home.start();
    await home.silas(["stop"]);
    await started.ended;
    const signed = join(home.dir, "signed.jsonl");
    await home.silas(["audit", "export", signed]);
    const told = await home.silas(["audit", "verify", "--file", signed]);
    expect(told.out).toMatch(/[1-9]\d* of \d+ heads signed/);
    expect(told.err).toContain("with the public keys in the file, and those with nothing");
    expect((await home.silas(["audit", "export", file])).err).toContain("EEXIST");
    const other = createHome();
    try {
      expect((await other.silas(["audit", "verify", "--file", file, "--json"])).code).toBe(0);
      expect((await other.silas(["audit", "verify"])).err).toContain("There is no audit log");
    } finally {
      await other.remove();
    }
    const db = databaseIn(home.dir);
    db.exec("DROP TRIGGER audit_entries_stay");
    db.exec(`UPDATE audit_entries SET entry = replace(entry, '"at":"20', '"at":"19') WHERE seq = 2`);
    db.close();
    const verified = await home.silas(["audit", "verify", "--full", "--json"]);
    expect(verified.code).toBe(1);
    expect(JSON.parse(verified.out)).toMatchObject({ ok: false, broken: { code: "entry_changed", seq: 2 } });
    expect((await home.silas(["audit", "verify", "--full"])).out).toContain("Entry 2 was changed");
    const doctor = await home.silas(["doctor", "--json"], { env: { SILAS_CHANNELS__WEB__PORT: "0" } });
    const { checks } = JSON.parse(doctor.out) as { checks: { check: string; state: string; message: string }[] };
    expect(doctor.code).toBe(1);
    expect(checks.find(({ check }) => check === "audit chain")).toMatchObject({
      state: "fail",
      message: expect.stringContaining("Entry 2") as string,
    });
    const tail = await home.silas(["audit", "tail", "-n", "3"]);
    expect(tail.out.split("\n")[0]).toMatch(/^SEQ +WHEN +WHO +WHAT/);
  });
});
