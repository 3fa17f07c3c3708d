import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectionViewToWire } from "#model";
import {
  ACCESS,
  askedToConnect,
  connected,
  copiedDesks,
  HINT,
  installed,
  NOTES,
  openConnectionDesk,
  OPENING,
  REFRESH_TOKEN,
  REFRESHED,
  until,
  type ConnectionDesk,
} from "./connection-fixture.ts";
import { eventsOf, TERMINAL } from "./batch-fixture.ts";
import { must } from "./journal-fixture.ts";
import { decide, type Files } from "./skill-fixture.ts";

const secretsOf = async ({ app }: ConnectionDesk): Promise<readonly string[]> =>
  must(await app.secrets.list()).map(({ refId }) => refId.replace(/^conn-[0-9a-f]+\./, ""));

const installedDesk = copiedDesks(installed);

const begun = async (desk: ConnectionDesk): Promise<void> => decide(desk, await askedToConnect(desk));
const begunWith = async (desk: ConnectionDesk, files: Files): Promise<void> => {
  await installed(desk, files);
  await begun(desk);
};

describe("connecting to a service", () => {
  test("[SETUP-04] [SETUP-09] [SETUP-10] [SETUP-14] [SETUP-15] [PERM-01] [SECRET-13] [SETUP-03] finds out how, asks, shows the code while it waits, proves that it works, and keeps what it was granted of what was approved", async () => {
    const desk = await installedDesk();
    const { app, service } = desk;
    const request = await askedToConnect(desk);
    expect(request).toMatchObject({ kind: "connection_setup", riskLevel: "medium" });
    const shown = new Map(request.card.details.rows.map(({ path, text }) => [path, text]));
    expect(shown.get("/permissions/0")).toBe("notes.read");
    expect(shown.has("/permissions/1")).toBe(false);
    // The script would take a typed secret first; a code is better.
    expect(shown.get("/auth_strategy")).toBe("device_code");
    expect(shown.get("/hosts/0")).toBe("notes.example.com");
    expect(service.asked).toEqual([]);
    expect(must(await app.connections.list())).toMatchObject([{ record: { status: "proposed" }, setup: null }]);
    await decide(desk, request);
    const waiting = await until(app, ({ setup }) => setup !== null);
    expect(waiting.record.status).toBe("connecting");
    expect(waiting.setup).toMatchObject({
      step_id: "code",
      card: { card_type: "device_code", user_code: "WXYZ-1234" },
    });
    expect(JSON.parse(service.asked[0]?.body ?? "")).toEqual({ scope: ["notes.read"] });
    service.allow();
    const view = await until(app, ({ record }) => record.status !== "connecting");
    expect(view).toMatchObject({ failure: null, probe: "probed", summary: "7 notes", setup: null });
    expect(view.record).toMatchObject({
      status: "active",
      name: "Notes of Ada",
      permissionsGranted: ["notes.read"],
      initialPermissions: ["notes.read"],
      permissionsAvailable: ["notes.read", "notes.write"],
      healthCheck: "*/30 * * * *",
      tokenExpiresAt: "2026-11-16T09:00:00.000Z",
    });
    expect(await secretsOf(desk)).toEqual(["access", "refresh"]);
    // The probe never held the token: the gateway added it for the host it was saved for.
    expect(service.asked.at(-1)).toMatchObject({ path: "/me", authorization: `Bearer ${ACCESS}` });
    expect((await eventsOf(desk)).map(({ event }) => event)).toEqual(
      expect.arrayContaining([
        "connection_proposed",
        "connection_setup_begun",
        "connection_registered",
        "approval_granted",
      ]),
    );
    // A look that ends because Silas does is no failure of the connection.
    const before = service.asked.length;
    service.silent.add("/me");
    void app.connections.check(view.record.connectionId);
    await expect.poll(() => service.asked.length).toBe(before + 1);
    await app.close();
    const again = await openConnectionDesk({ home: desk.home, service });
    expect(must(await again.app.connections.list())).toMatchObject([{ record: { status: "active" }, failure: null }]);
    must(await again.app.connections.remove(view.record.connectionId, TERMINAL));
    expect(must(await again.app.connections.list())).toEqual([]);
    expect(await secretsOf(again)).toEqual([]);
  });

  test("[SETUP-09] what was declined is not asked any more: nothing begins, and no view leads to a decision", async () => {
    const desk = await installedDesk();
    const { requestId, planHash: shownHash } = await askedToConnect(desk);
    const asks = async () => must(await desk.app.connections.list()).map(({ request_id }) => request_id);
    expect(await asks()).toEqual([requestId]);
    const answer = { requestId, verdict: "declined", shownHash, actor: TERMINAL, friction: [] } as const;
    must(await desk.app.approvals.decide(answer));
    expect(await asks()).toEqual([null]);
    expect(desk.service.asked).toEqual([]);
  });

  test("[SETUP-16] a setup can be ended at its step: nothing of it is left but the proposal", async () => {
    const desk = await installedDesk();
    await begun(desk);
    const { record, setup } = await until(desk.app, (view) => view.setup !== null);
    const other = { step_id: "other", step_type: "device_code", action: "done" } as const;
    expect(await desk.app.connections.answer(record.connectionId, other)).toMatchObject({
      error: { code: "step_not_shown" },
    });
    const cancel = { step_id: setup?.step_id ?? "", step_type: "device_code", action: "cancel" } as const;
    const view = must(await desk.app.connections.answer(record.connectionId, cancel));
    expect(view).toMatchObject({ record: { status: "proposed" }, setup: null, failure: null });
    expect(await secretsOf(desk)).toEqual([]);
    desk.service.allow();
    expect(must(await desk.app.connections.list())).toMatchObject([{ record: { status: "proposed" } }]);
  });

  test("[SETUP-16] [SETUP-09] a setup that a dead Silas had begun says so on its card, leaves no secret, and its decision begins no second one", async () => {
    const desk = await installedDesk();
    await begun(desk);
    await until(desk.app, (view) => view.setup !== null);
    const [{ record }] = must(await desk.app.connections.list()) as [Awaited<ReturnType<typeof until>>];
    await desk.app.close();
    const database = new DatabaseSync(join(desk.dataDir, "silas.db"));
    database.exec("UPDATE connections SET connection = json_set(connection, '$.record.status', 'connecting')");
    database.close();
    const again = await openConnectionDesk({ home: desk.home, service: desk.service });
    again.service.allow();
    expect(must(await again.app.connections.show(record.connectionId))).toMatchObject({
      record: { status: "failed", permissionsGranted: [] },
      setup: null,
      failure: { message: expect.stringContaining("Silas ended while it was being set up") },
    });
    expect(await secretsOf(again)).toEqual([]);
  });

  test("[SETUP-11] a code is shown while the script asks in the background; one that expires ends in a failure that offers to try again, and a new code completes it", async () => {
    const desk = await installedDesk();
    const { app, service } = desk;
    await begun(desk);
    const shown = await until(app, ({ setup }) => setup !== null);
    expect(shown.setup?.card).toMatchObject({ card_type: "device_code", user_code: "WXYZ-1234", expires_in: 60 });
    const polls = (): number => service.asked.filter(({ path }) => path === "/token").length;
    await expect.poll(polls).toBeGreaterThan(2);
    expect(must(await app.connections.show(shown.record.connectionId)).setup).toEqual(shown.setup);
    service.answers.set("/token", { error: "expired_token" });
    const failed = await until(app, ({ record }) => record.status !== "connecting");
    expect(failed).toMatchObject({ record: { status: "failed" }, setup: null });
    expect(failed.failure?.ctas.map(({ action }) => action)).toContain("retry");
    expect(await secretsOf(desk)).toEqual([]);
    service.answers.delete("/token");
    must(await app.connections.recover(failed.record.connectionId, { action: "retry", actor: TERMINAL }));
    const [request] = must(await app.approvals.inbox());
    if (request === undefined) throw new Error("it asks again");
    await decide(desk, request);
    await until(app, ({ setup }) => setup !== null);
    service.allow();
    expect(await until(app, ({ record }) => record.status !== "connecting")).toMatchObject({
      record: { status: "active", connectionId: failed.record.connectionId },
    });
  });

  test("[RECOV-01] [CARD-10] [CARD-11] what is declined there is a failure with its ways on, and trying again asks again", async () => {
    const desk = await installedDesk();
    desk.service.deny();
    await begun(desk);
    const view = await until(desk.app, ({ record }) => record.status !== "connecting");
    const id = view.record.connectionId;
    expect(view).toMatchObject({
      record: { status: "failed" },
      failure: { failure_type: "consent_denied", service: "Notes" },
    });
    const unknown = await desk.app.connections.recover(id, { action: "reconnect", actor: TERMINAL });
    expect(unknown).toMatchObject({ error: { code: "recovery_unknown" } });
    const retried = must(await desk.app.connections.recover(id, { action: "retry", actor: TERMINAL }));
    expect(retried).toMatchObject({ record: { status: "proposed", connectionId: id }, failure: null });
    expect(must(await desk.app.approvals.inbox())).toMatchObject([
      { requestId: retried.request_id, kind: "connection_setup" },
    ]);
  });
});

const withScript = (name: string, text: string): Files => ({ ...NOTES, [`scripts/${name}.mjs`]: OPENING + text });

describe("a script of a connection", () => {
  test("[SECRET-14] that prints its secret connects nothing, and what it said is nowhere", async () => {
    const desk = await openConnectionDesk();
    const leaking = `hand("access", "${ACCESS}");
      console.error("the token is " + Buffer.from("${ACCESS}").toString("base64"));
      say({ type: "completion", connection_payload: { name: "Notes", permissions_granted: [] } });
      process.exit(0);`;
    // Written in two pieces, as a careless author would not: the checks of the skill look for plain ones.
    await begunWith(desk, withScript("setup", leaking));
    const view = await until(desk.app, ({ record }) => record.status !== "connecting");
    expect(view).toMatchObject({ record: { status: "failed" }, failure: { failure_type: "unknown" } });
    expect(view.failure?.rationale).toContain("showed a secret");
    expect(JSON.stringify(connectionViewToWire(view))).not.toContain(ACCESS);
    expect(await secretsOf(desk)).toEqual([]);
    expect((await eventsOf(desk)).map(({ event }) => event)).toContain("connection_output_withheld");
  });

  test("[CONN-15] [SETUP-02] that says no message of a setup, or nothing at all, still ends in a card", async () => {
    for (const [text, words] of [
      ['console.log("{");\nconsole.log("}");\nawait lines.next();', "no message of a setup"],
      ["process.exit(3);", "code 3"],
    ] as const) {
      const desk = await openConnectionDesk();
      await begunWith(desk, withScript("setup", text));
      const view = await until(desk.app, ({ record }) => record.status !== "connecting");
      expect(view).toMatchObject({
        record: { status: "failed" },
        failure: { failure_type: "unknown", service: "Notes" },
      });
      expect(view.failure?.rationale).toContain(words);
      expect(view.failure?.ctas.map(({ action }) => action)).toEqual(["retry", "skip"]);
    }
  });

  test("[SETUP-04] that cannot say how to connect asks nobody; one that is no connection neither", async () => {
    const desk = await openConnectionDesk();
    await expect(
      begunWith(desk, withScript("discover", 'console.log("a");\nconsole.log("b");\nprocess.exit(0);')),
    ).rejects.toThrow("discovery_failed");
    expect(must(await desk.app.connections.list())).toEqual([]);
    const refused = await desk.app.connections.connect({ skill: "none", hint: HINT, actor: TERMINAL });
    expect(refused).toMatchObject({ error: { code: "skill_unusable" } });
  });
});

/** A setup that leads to a page of its service; answers where that page leads back to. */
async function ledAway(desk: Awaited<ReturnType<typeof openConnectionDesk>>, query: string): Promise<URL> {
  const setup = `const back = process.env.SILAS_REDIRECT_URI;
    say({ type: "setup_step", step_id: "page", step: { type: "browser_redirect",
      auth_url: "https://notes.example.com/auth?redirect_uri=" + encodeURIComponent(back) + "${query}", listening_on: new URL(back).host } });
    say({ type: "await_input", step_id: "page" });
    const { payload } = JSON.parse((await lines.next()).value);
    const got = await ask("/token", { code: payload.code, state: payload.state });
    hand("access", got.access_token);
    say({ type: "completion", connection_payload: { name: "Notes of Ada", permissions_granted: ["notes.read"] } });
    process.exit(0);`;
  const discover = `say({ auth_strategy: "browser_redirect", provider: "Notes", identity_match: true, initial_permissions: [],
      setup_requirements: { browser: true, secure_input: false, app_registration: false } });
    process.exit(0);`;
  desk.service.allow();
  await begunWith(desk, { ...withScript("setup", setup), "scripts/discover.mjs": OPENING + discover });
  const { setup: shown } = await until(desk.app, (one) => one.setup !== null);
  const card = shown?.card;
  if (card?.card_type !== "browser_redirect") throw new Error("a page is shown");
  expect(card.listening_on).toMatch(/^127\.0\.0\.1:\d+$/);
  return new URL(new URL(card.auth_url).searchParams.get("redirect_uri") ?? "");
}

describe("other ways in", () => {
  test("[SETUP-13] [SETUP-05] [SETUP-07] a secret that is typed goes to the vault, and the script proves by its name alone that it works", async () => {
    const desk = await openConnectionDesk();
    const typed = "canary-typed-secret-77";
    const setup = `say({ type: "setup_step", step_id: "key", step: { type: "secure_input",
        request: { ref_id: "access", label: "Access key", guidance: { instructions: "Make one there." } } } });
      say({ type: "await_input", step_id: "key" });
      const answer = JSON.parse((await lines.next()).value);
      const me = await ask("/me", answer);
      say({ type: "completion", connection_payload: { name: "Notes of Ada", permissions_granted: me.ok ? ["notes.read"] : [] } });
      process.exit(0);`;
    await begunWith(desk, withScript("setup", setup));
    const view = await until(desk.app, (one) => one.setup !== null);
    expect(view.setup?.card).toMatchObject({ card_type: "secure_input" });
    const [asked] = must(await desk.app.secrets.pending());
    if (asked === undefined) throw new Error("a secret is asked for");
    expect(asked).toMatchObject({ label: "Access key", host: "notes.example.com:443" });
    must(await desk.app.secrets.store({ refId: asked.refId, secret: Buffer.from(typed), actor: TERMINAL }));
    expect(await until(desk.app, ({ record }) => record.status !== "connecting")).toMatchObject({
      record: { status: "active" },
    });
    const [proof] = desk.service.asked;
    expect(proof?.authorization).toBe(`Bearer ${typed}`);
    // The script was told that it is there, and nothing of it.
    expect(JSON.parse(proof?.body ?? "")).toEqual({ type: "step_result", step_id: "key", payload: { action: "done" } });
  });

  test("[SETUP-13] a script that completes without proving the typed secret connects nothing when the secret does not work", async () => {
    const desk = await openConnectionDesk();
    const setup = `say({ type: "setup_step", step_id: "key", step: { type: "secure_input",
        request: { ref_id: "access", label: "Access key", guidance: { instructions: "Make one there." } } } });
      say({ type: "await_input", step_id: "key" });
      await lines.next();
      say({ type: "completion", connection_payload: { name: "Notes of Ada", permissions_granted: ["notes.read"] } });
      process.exit(0);`;
    desk.service.answers.set("/me", { ok: false });
    await begunWith(desk, withScript("setup", setup));
    await until(desk.app, (one) => one.setup !== null);
    const [asked] = must(await desk.app.secrets.pending());
    if (asked === undefined) throw new Error("a secret is asked for");
    must(await desk.app.secrets.store({ refId: asked.refId, secret: Buffer.from("wrong-key-12"), actor: TERMINAL }));
    const view = await until(desk.app, ({ record }) => record.status !== "connecting");
    expect(view).toMatchObject({ record: { status: "failed", permissionsGranted: [] } });
    expect(desk.service.asked.at(-1)).toMatchObject({ path: "/me", authorization: "Bearer wrong-key-12" });
    expect((await eventsOf(desk)).map(({ event }) => event)).not.toContain("connection_registered");
  });

  test("[SETUP-12] a page of the service leads back to this machine, and the script exchanges what it brings", async () => {
    const desk = await openConnectionDesk();
    const back = await ledAway(desk, "");
    expect((await fetch(new URL("/other", back))).status).toBe(404);
    back.search = "?code=c-1&state=s-1";
    expect((await fetch(back)).status).toBe(200);
    expect(await until(desk.app, ({ record }) => record.status !== "connecting")).toMatchObject({
      record: { status: "active" },
    });
    expect(desk.service.asked.map(({ path, body }) => [path, body])[0]).toEqual([
      "/token",
      '{"code":"c-1","state":"s-1"}',
    ]);
    await expect(fetch(back)).rejects.toThrow("fetch failed");
  });

  test("a page that brings back another state than it was sent with is not heard, and the right one still is", async () => {
    const desk = await openConnectionDesk();
    const back = await ledAway(desk, "&state=s-1");
    for (const query of [
      "?code=stolen&state=s-2",
      "?code=stolen",
      "?error=access_denied&state=",
      "?code=c-1&state=s-1",
    ]) {
      back.search = query;
      expect((await fetch(back)).status).toBe(200);
    }
    await until(desk.app, ({ record }) => record.status === "active");
    expect(desk.service.asked[0]).toMatchObject({ path: "/token", body: '{"code":"c-1","state":"s-1"}' });
  });
});

/** A secret in the forms in which it could be found again. */
const tracesOf = (secret: string): readonly (string | Buffer)[] => {
  const bytes = Buffer.from(secret);
  const digest = createHash("sha256").update(bytes);
  const texts = ["hex", "base64", "base64url"].map((form) => bytes.toString(form as BufferEncoding).replace(/=+$/, ""));
  return [secret, ...texts, digest.copy().digest("hex"), digest.digest()];
};

/** Everything the data directory and the state hold, as bytes. */
function everythingIn(folder: string): readonly Buffer[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}

describe("a connection that is used", () => {
  test("[REFRESH-01] [RECOV-03] [RECOV-04] [RECOV-05] [RECOV-06] [CONN-12] [SECRET-02] is renewed before its token ends, repaired once, then failed with a card; and its secrets are nowhere", async () => {
    const desk = await openConnectionDesk();
    const { app, service } = desk;
    const id = (await connected(desk)).record.connectionId;
    const check = async () => must(await app.connections.check(id));
    // Eight minutes before its end.
    desk.moveMs(52 * 60_000);
    service.answers.set("/refresh", { access_token: REFRESHED, expires_at: "2026-11-16T09:52:00.000Z" });
    expect((await check()).record).toMatchObject({
      lastRefresh: desk.now(),
      tokenExpiresAt: "2026-11-16T09:52:00.000Z",
    });
    expect(service.asked.find(({ path }) => path === "/refresh")?.body).toBe(
      JSON.stringify({ refresh_token: REFRESH_TOKEN }),
    );
    // An error about the token is met by renewing it, and nobody sees a card.
    service.answers.set("/me", { ok: false, error: "token expired" });
    expect(await check()).toMatchObject({ record: { status: "active" }, failure: null });
    // Another error is met by repairing it, once.
    service.answers.set("/me", { ok: false, error: "no mailbox" });
    service.answers.set("/repair", { ok: true });
    expect(await check()).toMatchObject({ record: { status: "active" }, failure: null });
    expect(service.asked.findLast(({ path }) => path === "/me")?.authorization).toBe(`Bearer ${REFRESHED}`);
    expect(await check()).toMatchObject({ record: { status: "failed" }, failure: { failure_type: "unknown" } });
    expect(service.asked.filter(({ path }) => path === "/repair")).toHaveLength(1);
    expect((await eventsOf(desk)).map(({ event }) => event)).toEqual(
      expect.arrayContaining(["connection_refreshed", "connection_recovered", "connection_failed"]),
    );
    const wire = Buffer.from(JSON.stringify(must(await app.connections.list()).map(connectionViewToWire)));
    await app.close();
    const found = [wire, ...everythingIn(desk.home)].filter((bytes) =>
      [ACCESS, REFRESHED, REFRESH_TOKEN].some((secret) =>
        tracesOf(secret).some((trace) => bytes.indexOf(trace) !== -1),
      ),
    );
    expect(found).toHaveLength(0);
  });
});
