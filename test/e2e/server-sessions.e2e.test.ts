import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { filesIn } from "./file-tree.ts";
import { terminalOf } from "./page-device.ts";
import { enrol, startServer, tryEnrol, type Running } from "./server-start.ts";
import { createHandMachine } from "./server-talk.ts";

let running: Running;
const machine = createHandMachine();
beforeAll(async () => {
  running = await startServer({ machine: { clock: machine.clock } });
});
afterAll(() => running.stop());

const newLink = async (): Promise<string> => {
  const { body } = await terminalOf(running).call<{ readonly url: string }>("/session/links", {});
  return body.url;
};

describe("signing in", () => {
  test("a link enrols one device once; of nine tries at the same moment exactly one succeeds", async () => {
    machine.nextMinute();
    const code = (await newLink()).split("#")[1];
    const tries = Array.from({ length: 9 }, () => tryEnrol(running.url, { code, device_name: "Phone" }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(8);
  });

  test("a link older than ten minutes enrols nobody", async () => {
    machine.nextMinute();
    const link = await newLink();
    for (let minute = 0; minute < LIMITS.enrolmentTtlMs / 60_000; minute += 1) machine.nextMinute();
    const response = await tryEnrol(running.url, { code: link.split("#")[1], device_name: "Phone" });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: "enrolment_invalid" } });
  });

  test("the code is in the fragment, which no client sends", async () => {
    const link = new URL(await newLink());
    expect(link.pathname).toBe("/enrol");
    expect(link.search).toBe("");
    expect(link.hash.length).toBeGreaterThan(40);
  });

  test("an address may try ten codes a minute, then waits", async () => {
    machine.nextMinute();
    const attempt = () => tryEnrol(running.url, { code: "x".repeat(43), device_name: "Phone" });
    for (let index = 0; index < LIMITS.enrolmentTriesPerMinute; index += 1) expect((await attempt()).status).toBe(401);
    const refused = await attempt();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(await refused.json()).toMatchObject({ error: { code: "rate_limited", retry_after_ms: 60_000 } });
    machine.nextMinute();
    expect((await attempt()).status).toBe(401);
  });

  test("a session of one device at its request limit leaves another device's alone", async () => {
    machine.nextMinute();
    const other = await enrol(running.url, await newLink());
    const asOther = () => running.call("/session", { headers: { authorization: `Bearer ${other.token}` } });
    let last = 0;
    for (let index = 0; index <= LIMITS.requestsPerMinute; index += 1) last = (await running.call("/session")).status;
    expect(last).toBe(429);
    expect((await asOther()).status).toBe(200);
    machine.nextMinute();
    expect((await running.call("/session")).status).toBe(200);
  });

  test("devices are listed, and a revoked one is refused at once", async () => {
    machine.nextMinute();
    const other = await enrol(running.url, await newLink());
    const listed = (await (await running.call("/sessions")).json()) as { sessions: { session_id: string }[] };
    expect(listed.sessions.map((each) => each.session_id)).toContain(other.session_id);
    expect((await running.call(`/sessions/${other.session_id}`, { method: "DELETE" })).status).toBe(204);
    const asOther = await running.call("/session", { headers: { authorization: `Bearer ${other.token}` } });
    expect(asOther.status).toBe(401);
    const after = (await (await running.call("/sessions")).json()) as { sessions: { session_id: string }[] };
    expect(after.sessions.map((each) => each.session_id)).not.toContain(other.session_id);
  });

  test("signing out makes the token worthless", async () => {
    machine.nextMinute();
    const other = await enrol(running.url, await newLink());
    const headers = { authorization: `Bearer ${other.token}` };
    expect((await running.call("/session", { method: "DELETE", headers })).status).toBe(204);
    expect((await running.call("/session", { headers })).status).toBe(401);
  });

  test("no token and no code is in any file of the data or state directory", async () => {
    machine.nextMinute();
    const link = await newLink();
    const code = link.split("#")[1] ?? "";
    const enrolled = await enrol(running.url, link);
    await running.call("/session", { headers: { authorization: `Bearer ${enrolled.token}` } });
    await running.call(`/session?token=${enrolled.token}`);
    const files = filesIn(running.dir);
    expect(files.length).toBeGreaterThan(2);
    for (const { path, bytes } of files) {
      for (const secret of [enrolled.token, running.token, code]) expect(bytes.includes(secret), path).toBe(false);
    }
  });
});
