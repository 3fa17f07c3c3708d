import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIMITS } from "#base";
import type { ActivityPage } from "#model";
import { openEnrolledPage, openPage, propose, terminalOf } from "./page-device.ts";
import { startServer, type Running } from "./server-start.ts";
import { createHandMachine } from "./server-talk.ts";

/** Somebody who copied the token of a signed-in browser and has no key of it. */

const EXAMPLE = readFileSync(new URL("../../docs/examples/tidy-notes.md", import.meta.url), "utf8");

let running: Running;
const machine = createHandMachine();
beforeAll(async () => {
  running = await startServer({ machine: { clock: machine.clock } });
});
afterAll(() => running.stop());

test("signs no further browser in, so that it ends when its device is signed out", async () => {
  const stolen = await openPage(running);
  expect(await stolen.call("/session/links", {})).toMatchObject({ status: 403, code: "terminal_only" });
  expect(await terminalOf(running).call("/session/links", {})).toMatchObject({ status: 200 });
});

test("does not fill the audit chain with approvals and passkeys that do not hold", async () => {
  machine.nextMinute();
  const { call, keyId, sessionId } = await openEnrolledPage(running);
  const request = await propose(running, EXAMPLE);
  const mint = { request_id: request.request_id, shown_hash: "0".repeat(64), friction: ["tap"], key_id: keyId };
  const sign = {
    request_id: request.request_id,
    signatures: [{ token_id: "tok_1", signature: Buffer.alloc(64).toString("base64") }],
    passkey_assertion: null,
  };
  const codes = new Map<string | null, number>();
  for (let index = 0; index < LIMITS.signingTriesPerMinute; index += 1) {
    for (const [path, body] of [
      ["/api/approvals/mint", mint],
      ["/api/approvals/sign", sign],
    ] as const) {
      const { code } = await call(path, body);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  }
  expect(codes.get("rate_limited")).toBe(LIMITS.signingTriesPerMinute);
  expect(await call("/api/keys/passkeys/ask", { purpose: "add" })).toMatchObject({ code: "rate_limited" });
  const { body } = await terminalOf(running).call<ActivityPage>("/api/activity?limit=500");
  const refused = body.items.filter(({ event }) => event === "approval_refused");
  expect(refused).toHaveLength(LIMITS.signingTriesPerMinute);
  expect(refused.every(({ actor }) => actor.kind === "owner" && actor.session_id === sessionId)).toBe(true);
});

test("does not fill the audit chain with what may be repeated, and stopping is never refused for it", async () => {
  machine.nextMinute();
  const { call, token } = await openPage(running);
  const codes = new Map<string | null, number>();
  for (let index = 0; index <= LIMITS.signingTriesPerMinute; index += 1) {
    expect(await call("/api/stop", {})).toMatchObject({ status: 200 });
    const { code } = await call("/api/start-again", {});
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  expect(codes).toEqual(
    new Map([
      [null, LIMITS.signingTriesPerMinute],
      ["rate_limited", 1],
    ]),
  );
  const got = await fetch(`${running.url}/api/journal/export`, { headers: { authorization: `Bearer ${token}` } });
  expect(got.status).toBe(429);
  expect(await terminalOf(running).call("/api/start-again", {})).toMatchObject({ body: { was_stopped: true } });
});
