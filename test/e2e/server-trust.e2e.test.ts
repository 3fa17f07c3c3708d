import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acceptStatement, type HoldBody, type OwnerKeyBody, type PasskeyBody, type StatusBody } from "#model";
import { createAuthenticator } from "../authenticator.ts";
import { callerFor, openEnrolledPage, openPage, terminalOf, type PageDevice } from "./page-device.ts";
import { makeDir, startServer, type Running } from "./server-start.ts";
import { openSocket } from "./server-talk.ts";

let running: Running;
beforeAll(async () => {
  running = await startServer();
});
afterAll(() => running.stop());

/** A socket that is told of everything, and how often it was told that something to review changed. */
async function listener(to: Running) {
  const talk = openSocket(to, { protocols: ["silas", `bearer.${to.token}`] });
  expect((await talk.next()).type).toBe("auth_ok");
  const told = () => talk.frames.filter(({ type }) => type === "review_changed").length;
  /** Does it, and waits until the page heard of it. */
  const hears = async (work: () => Promise<unknown>): Promise<void> => {
    const before = told();
    await work();
    await expect.poll(told).toBeGreaterThan(before);
  };
  return { hears, close: () => talk.socket.close() };
}

const listedKeys = async (): Promise<readonly OwnerKeyBody[]> =>
  (await terminalOf(running).call<{ readonly keys: readonly OwnerKeyBody[] }>("/api/keys")).body.keys;

describe("passkeys over HTTP", () => {
  type Begun = { readonly challenge: string; readonly rp: { readonly id: string } };
  type Asked = { readonly challenge: string; readonly credential_ids: readonly string[] };
  const origin = (): string => `http://localhost:${running.port}`;
  const list = async (): Promise<readonly PasskeyBody[]> =>
    (await terminalOf(running).call<{ readonly passkeys: readonly PasskeyBody[] }>("/api/keys/passkeys")).body.passkeys;

  /** As a page of ours asks, which always names its origin. */
  async function begin(page: PageDevice, proof: object | null): Promise<{ status: number; body: Begun }> {
    const headers = { authorization: `Bearer ${page.token}`, origin: origin() };
    const response = await running.call("/api/keys/passkeys/begin", { json: { proof }, headers });
    return { status: response.status, body: (await response.json()) as Begun };
  }

  async function add(page: PageDevice, name: string) {
    const authenticator = createAuthenticator();
    const { body } = await begin(page, null);
    expect(body.rp.id).toBe("localhost");
    const attestation = authenticator.make({ challenge: body.challenge, origin: origin() });
    const added = await page.call<PasskeyBody>("/api/keys/passkeys", { name, attestation });
    expect(added).toMatchObject({ status: 200, body: { name, session_id: page.sessionId } });
    return { authenticator, passkeyId: added.body.passkey_id };
  }

  test("one is added and removed by its own device with a proof, and every page is told", async () => {
    const { hears, close } = await listener(running);
    const page = await openPage(running);
    const made: Awaited<ReturnType<typeof add>>[] = [];
    await hears(async () => made.push(await add(page, "Finger")));
    const [{ authenticator, passkeyId }] = made as [Awaited<ReturnType<typeof add>>];
    expect((await list()).map(({ passkey_id: id }) => id)).toEqual([passkeyId]);
    // A second one needs a proof of the first.
    expect(await begin(page, null)).toMatchObject({ status: 409, body: { error: { code: "passkey_proof_needed" } } });
    const toAdd = await page.call<Asked>("/api/keys/passkeys/ask", { purpose: "add" });
    expect(toAdd.body.credential_ids).toEqual([authenticator.id]);
    const proof = authenticator.answer({ challenge: toAdd.body.challenge, origin: origin(), counter: 1 });
    expect(await begin(page, proof)).toMatchObject({ status: 200 });
    const without = { passkey_id: passkeyId, proof: null };
    expect(await page.call("/api/keys/passkeys/remove", without)).toMatchObject({ code: "passkey_proof_needed" });
    const asked = await page.call<Asked>("/api/keys/passkeys/ask", { purpose: "remove", passkey_id: passkeyId });
    const given = authenticator.answer({ challenge: asked.body.challenge, origin: origin(), counter: 2 });
    const withProof = { passkey_id: passkeyId, proof: given };
    await hears(() => page.call("/api/keys/passkeys/remove", withProof));
    expect(await list()).toEqual([]);
    close();
  });

  test("the terminal removes any without a proof, and the proof of one purpose serves no other", async () => {
    const page = await openPage(running);
    const { authenticator, passkeyId } = await add(page, "Phone");
    const toAdd = await page.call<Asked>("/api/keys/passkeys/ask", { purpose: "add" });
    const given = authenticator.answer({ challenge: toAdd.body.challenge, origin: origin(), counter: 1 });
    const wrong = { passkey_id: passkeyId, proof: given };
    expect(await page.call("/api/keys/passkeys/remove", wrong)).toMatchObject({ status: 409 });
    expect(await list()).toHaveLength(1);
    const byTerminal = { passkey_id: passkeyId, proof: null };
    expect(await terminalOf(running).call("/api/keys/passkeys/remove", byTerminal)).toMatchObject({ status: 200 });
    expect(await list()).toEqual([]);
  });
});

type Instance = { readonly cli_token: string };

describe("the owner's keys over HTTP", () => {
  const SHA = "ab".repeat(32);

  test("other pages hear that a device was signed out", async () => {
    const page = await openPage(running);
    const { hears, close } = await listener(running);
    await hears(() => running.call(`/sessions/${page.sessionId}`, { method: "DELETE" }));
    const sessions = await terminalOf(running).call<{ sessions: readonly { session_id: string }[] }>("/sessions");
    expect(sessions.body.sessions.map(({ session_id: id }) => id)).not.toContain(page.sessionId);
    close();
  });

  test("the terminal cannot sign itself out, and a link it makes signs one device in", async () => {
    const file = terminalOf(running);
    const link = await file.call<{ url: string; expires_at: string }>("/session/links", {});
    expect(link.body.url).toMatch(new RegExp(`^${running.url}/enrol#[\\w-]{43}$`));
    expect(Date.parse(link.body.expires_at)).toBeGreaterThan(Date.now());
    expect((await file.call("/session")).body).toMatchObject({ kind: "terminal", device_name: "Terminal" });
    const { cli_token: token } = JSON.parse(
      readFileSync(join(running.dir, "data", "instance.json"), "utf8"),
    ) as Instance;
    const out = await running.call("/session", { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
    expect([out.status, out.headers.get("allow")]).toEqual([405, "GET, HEAD, POST, DELETE"]);
  });

  // Last: without its key this server confirms no others.
  test("a key is added, signs what is checked with it, and revoked it counts no longer; pages are told", async () => {
    const terminal = terminalOf(running);
    const { hears, close } = await listener(running);
    const enrolled = await terminal.call<OwnerKeyBody>("/api/keys/enrol", { name: "Second key" });
    expect(enrolled.body).toMatchObject({ name: "Second key", revoked_at: null });
    expect((await listedKeys()).map(({ name }) => name)).toContain("Second key");
    const signed = await terminal.call<{ key_id: string; signature: string }>("/api/keys/sign-file", { sha256: SHA });
    const given = { sha256: SHA, ...signed.body };
    const verified = await running.call("/api/keys/verify-file", { json: given });
    expect(await verified.json()).toEqual({ key_id: signed.body.key_id, name: expect.any(String) });
    const other = await running.call("/api/keys/verify-file", { json: { ...given, sha256: "cd".repeat(32) } });
    expect([other.status, await other.json()]).toMatchObject([422, { error: { code: "signature_invalid" } }]);
    const tried = await terminal.call("/api/keys/self-test", {});
    expect(tried.body).toMatchObject({ off_record: expect.anything(), signing: { state: "ready" } });
    const page = callerFor(running, running.token);
    expect(await page.call("/api/keys/self-test", {})).toMatchObject({ status: 403, code: "terminal_only" });
    const { key_id } = enrolled.body;
    await hears(() => terminal.call("/api/keys/revoke", { key_id, last_key: "revoke" }));
    expect((await listedKeys()).find((key) => key.key_id === key_id)?.revoked_at).not.toBeNull();
    close();
  });
});

describe("an older database that was put back", () => {
  test("[APPR-16] is told by every answer that shows work, and accepted by the signature of a page for exactly what it was shown", async () => {
    const dir = await makeDir();
    const file = join(dir, "data", "silas.db");
    const first = await startServer({ dir });
    const page = await openEnrolledPage(first);
    await first.stop();
    copyFileSync(file, join(dir, "earlier.db"));
    const second = await startServer({ dir });
    await terminalOf(second).call("/api/stop", {});
    await second.stop();
    for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
    copyFileSync(join(dir, "earlier.db"), file);

    const held = await startServer({ dir });
    const { call } = callerFor(held, page.token);
    const { hold } = (await call<StatusBody>("/api/status")).body;
    if (hold === null) throw new Error("the database is older");
    expect(hold.reason).toBe("database_older");
    expect((await call<{ readonly hold: HoldBody }>("/api/work")).body.hold).toEqual(hold);
    const { seq, hash } = hold;
    const signature = await page.sign(acceptStatement({ seq, hash, sessionId: page.sessionId }));
    const signed = { key_id: page.keyId, signature: Buffer.from(signature, "base64").toString("hex") };
    const accept = (body: object) => call("/api/hold/accept", body);
    expect(await accept({ seq, hash, signed: null })).toMatchObject({ status: 403, code: "device_signature_needed" });
    expect(await accept({ seq: seq + 1, hash, signed })).toMatchObject({ status: 409, code: "hold_differs" });
    expect((await call<StatusBody>("/api/status")).body.hold).not.toBeNull();
    expect(await accept({ seq, hash, signed })).toMatchObject({ status: 200, body: { hold: null } });
    expect((await call<StatusBody>("/api/status")).body.hold).toBeNull();
    expect(await accept({ seq, hash, signed })).toMatchObject({ status: 409, code: "hold_over" });
    await held.stop();
    await rm(dir, { recursive: true, force: true });
  });
});
