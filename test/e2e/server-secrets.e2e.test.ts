/** The one way in for a secret: who may use it, what it takes, and that nothing of it is found anywhere afterwards. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clientFrameSchema, type SecretRef } from "#model";
import { systemRandomness } from "#runtime";
import { openVault } from "#stores";
import { filesIn } from "./file-tree.ts";
import { codeOf, exchange, rawRequest, startServer, statusOf, type Running } from "./server-start.ts";
import { openSocket, opened } from "./server-talk.ts";

const CANARY = "canary-4b1d22fb-\u00e9-only-for-the-vault";
const BY = { kind: "terminal" } as const;
const REF = "mail.token";

let running: Running;
beforeEach(async () => {
  running = await startServer();
});
afterEach(() => running.stop());

const ask = async (name = REF) => {
  const guidance = { instructions: "Settings, then tokens.", helpUrl: "https://example.com/help" };
  const wanted = { refId: name as SecretRef, label: "Mail token", inputHint: "abc", guidance, host: null };
  const asked = await running.app.secrets.ask(wanted, BY);
  if (!asked.ok) throw new Error(asked.error.code);
};
const post = (json: unknown, name = REF) => running.call(`/secrets/${name}`, { json });
const codeIn = async (response: Response) =>
  ((await response.json()) as { readonly error?: { readonly code: string } }).error?.code ?? null;

async function keptIn(dir: string, name = REF): Promise<string | null> {
  const access = { passphrase: null, askPassphrase: async () => null, sessionBus: "absent" } as const;
  const vault = openVault({
    dataDir: join(dir, "data"),
    stateDir: join(dir, "state"),
    random: systemRandomness,
    access,
  });
  const got = await vault.get(name as SecretRef);
  return got.ok ? Buffer.from(got.value).toString("utf8") : null;
}

/** Every file of the home that holds the text, in any of the forms somebody may write it. */
function filesWith(dir: string, text: string): readonly string[] {
  const raw = Buffer.from(text);
  const forms = [text, raw.toString("hex"), raw.toString("base64").slice(0, -4), JSON.stringify(text).slice(1, -1)];
  return filesIn(dir)
    .filter(({ bytes }) => forms.some((form) => bytes.includes(form)))
    .map(({ path }) => path);
}

type Entry = { readonly event: string; readonly data: object };
const recorded = async (): Promise<readonly Entry[]> =>
  ((await (await running.call("/api/activity")).json()) as { readonly items: readonly Entry[] }).items;

describe("POST /secrets/{ref_id}", () => {
  test("[SECRET-05] takes the value, puts it into the vault and answers with nothing but that it is stored", async () => {
    await ask();
    const response = await post({ value: CANARY });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('{"stored":true}');
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await keptIn(running.dir)).toBe(CANARY);
  });

  test("[SECRET-06] a name that nothing waits for gets 404, and the vault is as it was", async () => {
    await ask("another");
    for (const name of [REF, "owner-signing-key", "..%2fowner-signing-key", "UPPER", "a%00b", "x".repeat(200)]) {
      const response = await post({ value: CANARY }, name);
      expect([name, response.status]).toEqual([name, name.length > 128 ? 400 : 404]);
      expect(await response.text()).not.toContain(CANARY);
    }
    expect(await keptIn(running.dir)).toBeNull();
    expect((await keptIn(running.dir, "owner-signing-key"))?.includes(CANARY)).toBe(false);
  });

  test("[SECRET-07] a second value gets 409, also at the same moment, and the first one stays", async () => {
    await ask();
    const both = await Promise.all([post({ value: "one" }), post({ value: "two" })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const first = await keptIn(running.dir);
    expect((await post({ value: "three" })).status).toBe(409);
    expect(await keptIn(running.dir)).toBe(first);
    expect((await recorded()).filter(({ event }) => event === "secret_stored")).toHaveLength(1);
  });

  test("[SECRET-08] the audit chain gets one entry, which carries the name and nothing else", async () => {
    await ask();
    await post({ value: CANARY });
    const entries = (await recorded()).filter(({ event }) => event.startsWith("secret_"));
    expect(entries.map(({ event, data }) => [event, data])).toEqual([
      ["secret_stored", { ref_id: REF }],
      ["secret_asked", { ref_id: REF }],
    ]);
  });

  test("what is not exactly one value as same-origin JSON of this session is refused, and nothing is stored", async () => {
    await ask();
    const sent = async (init: RequestInit) => {
      const response = await running.call(`/secrets/${REF}`, { method: "POST", ...init });
      return [response.status, await codeIn(response)];
    };
    const typed = (type: string, body: string) => sent({ headers: { "content-type": type }, body });
    const json = (body: string) => typed("application/json", body);
    expect(await typed("application/x-www-form-urlencoded", `value=${CANARY}`)).toEqual([415, "json_only"]);
    expect(await typed("text/plain", JSON.stringify({ value: CANARY }))).toEqual([415, "json_only"]);
    expect(await typed("application/x-ndjson", JSON.stringify({ value: CANARY }))).toEqual([415, "json_only"]);
    expect(await typed("multipart/form-data; boundary=x", "--x--")).toEqual([415, "json_only"]);
    expect(await sent({ body: null })).toEqual([415, "json_only"]);
    expect(await json(`{"value":"a","value":"${CANARY}"}`)).toEqual([400, "invalid_json"]);
    expect(await json(`{"value":"${CANARY}"`)).toEqual([400, "invalid_json"]);
    expect(await json('{"value":"\\ud800"}')).toEqual([400, "invalid_json"]);
    for (const body of [{}, { value: 7 }, { value: null }, { value: [CANARY] }, { value: "" }, [CANARY], CANARY]) {
      expect(await json(JSON.stringify(body))).toEqual([400, "invalid_input"]);
    }
    expect(await json(JSON.stringify({ value: CANARY, ref_id: "other" }))).toEqual([400, "invalid_input"]);
    expect(await json(JSON.stringify({ value: "x".repeat(16_385) }))).toEqual([400, "invalid_input"]);
    expect(await json(JSON.stringify({ value: "\u00e9".repeat(16_000) }))).toEqual([507, "vault_full"]);
    expect(await json(JSON.stringify({ value: "x".repeat(100_000) }))).toEqual([413, "body_too_large"]);
    expect(
      await sent({ headers: { authorization: "Bearer no", "content-type": "application/json" }, body: "{}" }),
    ).toEqual([401, "unauthorized"]);
    const foreign = { origin: "https://evil.example", "content-type": "application/json" };
    expect(await sent({ headers: foreign, body: JSON.stringify({ value: CANARY }) })).toEqual([403, "foreign_origin"]);
    expect(await keptIn(running.dir)).toBeNull();
    expect(filesWith(running.dir, CANARY)).toEqual([]);
    expect((await post({ value: "x".repeat(16_384) })).status).toBe(200);
  });

  test("[SECRET-09] when the vault fails nothing of the body is answered, logged or kept, and it can be sent again", async () => {
    await ask();
    const vault = join(running.dir, "data", "vault.json");
    const whole = readFileSync(vault);
    writeFileSync(vault, "damaged");
    const answers: string[] = [];
    for (const body of [{ value: CANARY }, { value: CANARY, extra: CANARY }, { [CANARY]: CANARY }]) {
      const response = await post(body);
      expect(response.ok).toBe(false);
      answers.push(await response.text());
    }
    expect(answers[0]).toContain("vault_damaged");
    expect(answers.join()).not.toContain(CANARY);
    const log = readdirSync(running.dir, { recursive: true }).filter((name) => String(name).endsWith(".log"));
    expect(log.length).toBeGreaterThan(0);
    expect(filesWith(running.dir, CANARY)).toEqual([]);
    writeFileSync(vault, whole);
    expect((await post({ value: CANARY })).status).toBe(200);
    expect(await keptIn(running.dir)).toBe(CANARY);
    expect(filesWith(running.dir, CANARY)).toEqual([]);
  });

  test("[SECRET-03] after asking, storing, replacing and removing, it is in no database, write-ahead log or other file", async () => {
    await ask();
    await post({ value: CANARY });
    await ask();
    await post({ value: `${CANARY} replaced` });
    expect(await keptIn(running.dir)).toBe(`${CANARY} replaced`);
    expect(filesWith(running.dir, CANARY)).toEqual([]);
    const removed = await running.app.secrets.remove(REF as SecretRef, BY);
    expect(removed.ok).toBe(true);
    expect(await keptIn(running.dir)).toBeNull();
    expect(filesWith(running.dir, CANARY)).toEqual([]);
    await running.app.close();
    expect(filesWith(running.dir, CANARY)).toEqual([]);
    running = await startServer();
  });
});

describe("the other routes", () => {
  test("what waits is listed with everything about it but the secret, and no more once it is stored", async () => {
    await ask();
    const pending = async () => (await running.call("/api/secrets/pending")).json() as Promise<{ requests: object[] }>;
    expect(await pending()).toEqual({
      requests: [
        {
          ref_id: REF,
          label: "Mail token",
          input_hint: "abc",
          host: null,
          guidance: { instructions: "Settings, then tokens.", help_url: "https://example.com/help" },
          created_at: expect.any(String),
          expires_at: expect.any(String),
        },
      ],
    });
    await post({ value: CANARY });
    expect(await pending()).toEqual({ requests: [] });
    expect(await (await running.call("/api/secrets")).json()).toMatchObject({
      secrets: [{ ref_id: REF, state: "fulfilled", stored: true }],
    });
  });

  test("a page neither asks nor removes, and no route gives a secret or needs no session", async () => {
    await ask();
    await post({ value: CANARY });
    for (const [path, json] of [
      [
        "/api/secrets/ask",
        { ref_id: "x", label: "x", input_hint: null, guidance: { instructions: "", help_url: null }, host: null },
      ],
      ["/api/secrets/remove", { ref_id: REF }],
    ] as const) {
      const response = await running.call(path, { json });
      expect([response.status, await codeIn(response)]).toEqual([403, "terminal_only"]);
    }
    for (const path of ["/api/secrets", "/api/secrets/pending", `/api/secrets/${REF}`]) {
      expect((await fetch(running.url + path)).ok).toBe(false);
      expect(await (await running.call(path)).text()).not.toContain(CANARY);
    }
    expect((await running.call(`/secrets/${REF}`, { method: "DELETE" })).status).toBe(404);
    expect(await keptIn(running.dir)).toBe(CANARY);
  });

  test("the status says where secrets go", async () => {
    expect(await (await running.call("/api/status")).json()).toMatchObject({
      vault: { backend: "encrypted_file", opens_with: "key_file" },
    });
  });
});

describe("the socket", () => {
  test("[SECRET-01] no frame has room for a secret: each kind refuses every field it does not name", () => {
    const kinds = clientFrameSchema.def.options.map((option) => String([...option.shape.type.def.values][0]));
    expect(kinds).not.toContain("secure_input_completed");
    for (const type of [...kinds, "secure_input_completed", "secret", "http", "secrets"]) {
      for (const field of ["value", "secret", "success", "ref_id", "body", "path", "password"]) {
        const frame = { type, token: "t", text: "t", request_id: "r", ref_id: REF, [field]: CANARY };
        expect(clientFrameSchema.safeParse(frame).success).toBe(false);
      }
    }
  });

  test("[SECRET-01] [FLOW-19] frames that carry one, claim one or ask to pass one on are refused, and what waits goes on waiting", async () => {
    await ask();
    for (const frame of [
      { type: "secure_input_completed", ref_id: REF, success: true },
      { type: "secure_input_completed", ref_id: REF, success: true, value: CANARY },
      { type: "ping", value: CANARY },
      { type: "http", method: "POST", path: `/secrets/${REF}`, body: { value: CANARY } },
    ]) {
      const talk = openSocket(running, { protocols: ["silas", `bearer.${running.token}`] });
      await opened(talk);
      expect((await talk.next()).type).toBe("auth_ok");
      talk.socket.send(JSON.stringify(frame));
      expect((await talk.closed).code).toBe(1008);
      expect(JSON.stringify(talk.frames)).not.toContain(CANARY);
    }
    expect(await keptIn(running.dir)).toBeNull();
    const pending = await running.app.secrets.pending();
    expect(pending.ok && pending.value.map(({ refId }) => refId)).toEqual([REF]);
    expect(filesWith(running.dir, CANARY)).toEqual([]);
  });

  test("[SECRET-01] the server's own frames say nothing of it while it is asked for, stored and removed", async () => {
    const talk = openSocket(running, { protocols: ["silas", `bearer.${running.token}`] });
    await opened(talk);
    await talk.next();
    await ask();
    await post({ value: CANARY });
    await running.app.secrets.remove(REF as SecretRef, BY);
    talk.socket.send(JSON.stringify({ type: "ping" }));
    while ((await talk.next()).type !== "pong");
    expect(JSON.stringify(talk.frames)).not.toContain(CANARY);
    talk.socket.close();
  });
});

describe("over a network", () => {
  const remote = (flags: Readonly<Record<string, string>>) =>
    startServer({
      flags: { "channels.web.host": "0.0.0.0", ...flags },
      env: { SILAS_CHANNELS__WEB__AUTH_TOKEN: "a-token-that-is-long-enough-for-a-test" },
    });
  const send = async (server: Running, headers: Readonly<Record<string, string>>) => {
    const body = JSON.stringify({ value: CANARY });
    const answer = await exchange(
      server.port,
      rawRequest(
        `POST /secrets/${REF} HTTP/1.1`,
        {
          host: `localhost:${server.port}`,
          authorization: `Bearer ${server.token}`,
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(body)),
          ...headers,
        },
        body,
      ),
    );
    return [statusOf(answer), codeOf(answer)];
  };

  test("[SECRET-10] plain HTTP is refused, whatever an unknown proxy claims; a trusted one that came by HTTPS is believed", async () => {
    const own = running;
    for (const [proxies, expected] of [
      ["10.11.12.13", [403, "https_needed"]],
      ["127.0.0.1", [200, null]],
    ] as const) {
      running = await remote({ "channels.web.trusted_proxies": `["${proxies}"]` });
      try {
        await ask();
        expect(await send(running, {})).toEqual([403, "https_needed"]);
        expect(await send(running, { "x-forwarded-proto": "http" })).toEqual([403, "https_needed"]);
        expect(await send(running, { "x-forwarded-proto": "https" })).toEqual(expected);
        expect(filesWith(running.dir, CANARY)).toEqual([]);
      } finally {
        await running.stop();
        running = own;
      }
    }
  });

  test("[SECRET-10] on loopback plain HTTP is taken, but not from a proxy that passes plain HTTP on", async () => {
    await ask();
    expect(await send(running, { "x-forwarded-for": "203.0.113.9" })).toEqual([403, "https_needed"]);
    expect(await send(running, {})).toEqual([200, null]);
  });
});
