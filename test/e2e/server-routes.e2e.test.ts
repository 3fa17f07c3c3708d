import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AcknowledgedBody } from "#model";
import { NEED_NO_STORE, NONE, READERS, ROUTES, type RouteRow } from "./server-routes.ts";
import { startServer, type Running } from "./server-start.ts";

const CONFIGURED = "token-of-the-configuration-long-enough";

type Answered = { readonly status: number; readonly code: string | null; readonly cache: string | null };
type Call = { readonly token: string | null; readonly body?: object | null };

let running: Running;
beforeAll(async () => {
  running = await startServer({ env: { SILAS_CHANNELS__WEB__AUTH_TOKEN: CONFIGURED } });
});
afterAll(() => running.stop());

const terminalToken = ({ dir }: Running): string =>
  (JSON.parse(readFileSync(join(dir, "data", "instance.json"), "utf8")) as { readonly cli_token: string }).cli_token;

async function call(
  to: Running,
  { method, path, body: usual }: RouteRow,
  { token, body = usual }: Call,
): Promise<Answered> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  if (body !== null) headers["content-type"] = "application/json";
  const response = await fetch(to.url + path, {
    method,
    headers,
    ...(body !== null && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const code = response.ok ? null : (JSON.parse(text) as { readonly error: { readonly code: string } }).error.code;
  return { status: response.status, code, cache: response.headers.get("cache-control") };
}

const tokenFor = (to: Running, { who }: RouteRow): string =>
  who === "terminal" || who === "owner" ? terminalToken(to) : to.token;

describe("every route", () => {
  test("[WEB-15] needs a session", async () => {
    for (const row of ROUTES) {
      expect
        .soft(await call(running, row, { token: null }), row.path)
        .toMatchObject({ status: 401, code: "unauthorized" });
    }
  });

  test("is there, says what became of it with its documented code, and is kept by no cache", async () => {
    for (const row of ROUTES) {
      const [status, code] = row.answers;
      const answered = await call(running, row, { token: tokenFor(running, row) });
      expect.soft(answered, `${row.method} ${row.path}`).toEqual({ status, code, cache: "no-store" });
    }
  });

  test("refuses callers it is not for", async () => {
    for (const row of ROUTES.filter(({ who }) => who !== "any")) {
      const refused = { status: 403, code: row.who === "terminal" ? "terminal_only" : "device_only" };
      const others =
        row.who === "owner" ? [CONFIGURED] : [row.who === "device" ? terminalToken(running) : running.token];
      for (const token of others) expect.soft(await call(running, row, { token }), row.path).toMatchObject(refused);
    }
  });

  test("refuses a body with a field it does not name", async () => {
    for (const row of ROUTES.filter(({ body, path }) => body !== null && path !== "/session/links")) {
      const answered = await call(running, row, {
        token: tokenFor(running, row),
        body: { ...row.body, trust: "owner" },
      });
      expect.soft(answered, row.path).toMatchObject({ status: 400, code: "invalid_input" });
    }
  });
});

describe("when the database does not answer", () => {
  test("every route that reads it says so and nothing else", async () => {
    const broken = await startServer();
    for (const file of ["db.sqlite", "silas.db"]) dropTables(join(broken.dir, "data", file));
    for (const row of ROUTES) {
      const answered = await call(broken, row, { token: tokenFor(broken, row) });
      const isExport = row.path.endsWith("/export");
      const [status, code] = NEED_NO_STORE.has(`${row.method} ${row.path}`)
        ? row.answers
        : [500, isExport ? "internal" : "store_failed"];
      expect.soft(answered, `${row.method} ${row.path}`).toMatchObject({ status, code });
    }
    await broken.stop();
  });
});

describe("when one table of the database does not answer", () => {
  test("whatever reads it says so, and answers again once it is back", async () => {
    const messageId = await sendAnswered();
    const db = new DatabaseSync(join(running.dir, "data", "silas.db"), { timeout: 60_000 });
    // Only the table itself: whatever names it elsewhere goes on naming it.
    db.exec("PRAGMA legacy_alter_table = ON");
    for (const [table, paths] of Object.entries(READERS)) {
      const rows = paths.flatMap((path) => ROUTES.filter((row) => row.method === "GET" && row.path === path));
      expect(rows).toHaveLength(paths.length);
      const answers = async () => {
        const all = rows.map((row) => {
          const path = row.path.replace(`message_id=${NONE}`, `message_id=${messageId}`);
          return call(running, { ...row, path }, { token: tokenFor(running, row) });
        });
        return (await Promise.all(all)).map(({ status, code }) => [status, code]);
      };
      db.exec(`ALTER TABLE ${table} RENAME TO gone_away`);
      const without = await answers();
      db.exec(`ALTER TABLE gone_away RENAME TO ${table}`);
      expect.soft(without, table).toEqual(rows.map(() => [500, "store_failed"]));
      expect.soft(await answers(), table).toEqual(rows.map(() => [200, null]));
    }
    db.close();
  });
});

/** A message whose turn is over, so that nothing works on it any more. */
async function sendAnswered(): Promise<string> {
  const sent = await running.call("/api/messages", { json: { text: "Buy oats" } });
  const { message } = (await sent.json()) as AcknowledgedBody;
  const path = `/api/messages/turn?message_id=${message.message_id}`;
  await expect
    .poll(async () => (await (await running.call(path)).json()) as unknown)
    .toMatchObject({ turn: { ended_at: expect.any(String) } });
  return message.message_id;
}

/** All but the sessions, without which nobody is answered at all. */
function dropTables(path: string): void {
  const db = new DatabaseSync(path, { timeout: 60_000 });
  const listed = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  for (const { name } of listed) if (name !== "sessions") db.exec(`DROP TABLE IF EXISTS "${String(name)}"`);
  db.close();
}
